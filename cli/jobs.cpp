// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs.hpp"

#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/read.hpp"

namespace collcast::cli {
namespace {

bool is_job_file(const std::string& what) {
  return what.ends_with(".json") || what.find('/') != std::string::npos || is_file(what);
}

}  // namespace

bool is_job(const std::string& what) {
  return workloads::is_application(what) || (what.ends_with(".json") && is_file(what) && !is_trace(what));
}

JobSource::JobSource(const std::string& what, const Description& platform) : what_(what) {
  if (workloads::is_application(what))
    device_ = workloads::device(platform);
  else if (is_job_file(what))
    text_ = read_file(what);
  else
    workloads::application_job(what, 1, {});  // says what it knows
}

workloads::Job JobSource::on(Rank ranks) const {
  if (text_) return workloads::parse_job(*text_, what_, ranks);
  if (ranks == 0) throw InputError("application " + what_ + ": say on how many --ranks");
  return workloads::application_job(what_, ranks, device_);
}

Timed timed(const workloads::Job& job, const workloads::Played& played, const workloads::PriceOf& price) {
  using workloads::End;
  const bool computes = played.time - played.compute < 0.1 * played.time || played.limited_by.empty();
  return {played.time, play(job, price, End::low).time, play(job, price, End::high).time, played.compute,
          computes ? "computation and waiting" : "communication: " + played.limited_by};
}

Timed timed(const ReplayReport& r) {
  return {r.time, r.low, r.high, r.compute, r.limited_by};
}

Json job_row(Rank ranks, const Timed& t, double samples, int ranks_per_node) {
  const Seconds beyond = t.time - t.compute;
  return {{"ranks", ranks},
          {"nodes", (ranks + ranks_per_node - 1) / ranks_per_node},
          {"ranks_per_node", std::min<int>(ranks_per_node, ranks)},
          {"step_s", t.time.value},
          {"low_s", t.low.value},
          {"high_s", t.high.value},
          {"samples_per_s", samples > 0 ? Json(samples / t.time.value) : Json()},
          {"efficiency", t.time > Seconds() ? Json(t.compute / t.time) : Json()},
          {"compute_s", t.compute.value},
          {"exposed_communication_s", beyond > 1e-12 * t.time ? beyond.value : 0.0},
          {"io_s", 0.0},
          {"memory_B", nullptr},
          {"limited_by", t.limited_by}};
}

}  // namespace collcast::cli
