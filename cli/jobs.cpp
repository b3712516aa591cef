// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs.hpp"

#include "platforms/machine/machine.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/compute/processor.hpp"
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

void require_job(const std::string& what) {
  if (workloads::is_application(what)) return;
  if (!is_job_file(what)) workloads::application_job(what, 1, {});  // says what it knows
  read_file(what);
}

JobSource::JobSource(const std::string& what, const Description& platform) : what_(what) {
  require_job(what);
  if (workloads::is_application(what))
    device_ = workloads::device(platform);
  else
    text_ = read_file(what);
}

workloads::Job JobSource::on(Rank ranks) const {
  if (text_) return workloads::parse_job(*text_, what_, ranks);
  if (ranks == 0) throw InputError("application " + what_ + ": --ranks is required");
  return workloads::application_job(what_, ranks, device_);
}

Json run_row(Rank ranks, int ranks_per_node, const workloads::JobForecast& f, double samples) {
  return {{"ranks", ranks},
          {"nodes", (ranks + ranks_per_node - 1) / ranks_per_node},
          {"ranks_per_node", std::min<int>(ranks_per_node, ranks)},
          {"step_s", f.time.value},
          {"low_s", f.low.value},
          {"high_s", f.high.value},
          {"samples_per_s", samples > 0 && f.time > Seconds() ? Json(samples / f.time.value) : Json()},
          {"efficiency", f.time > Seconds() ? Json(f.compute / f.time) : Json()},
          {"compute_s", f.compute.value},
          {"exposed_communication_s", f.exposed.value},
          {"hidden_communication_s", f.hidden.value},
          {"communication_s", f.communication.value},
          {"bubble_s", f.bubble.value},
          {"io_s", 0.0},
          {"memory_B", nullptr},
          {"limited_by", f.limited_by}};
}

Json job_row(const workloads::Job& job, const workloads::JobForecast& forecast, double samples,
             const Description& platform) {
  return run_row(job.ranks(), workloads::ranks_per_node(platform), forecast, samples);
}

void require_room(const Description& platform, Rank ranks) {
  const Rank most = max_ranks(platform);
  if (ranks > most)
    throw InputError(platform.name() + " holds " + std::to_string(most) + (most == 1 ? " rank" : " ranks") +
                     ", not " + std::to_string(ranks));
}

}  // namespace collcast::cli
