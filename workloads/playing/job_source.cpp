// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/job_source.hpp"

#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

bool is_job_file(const std::string& what) {
  return what.ends_with(".json") || what.find('/') != std::string::npos || is_file(what);
}

}  // namespace

bool is_job(const std::string& what) {
  return is_application(what) || (what.ends_with(".json") && is_file(what) && !is_trace(what));
}

void require_job(const std::string& what) {
  if (is_application(what)) return;
  if (!is_job_file(what)) application_job(what, 1, {});  // throws, and lists the applications
  read_file(what);
}

JobSource::JobSource(const std::string& what, const Description& platform) : what_(what) {
  require_job(what);
  if (is_application(what))
    device_ = device(platform);
  else
    text_ = read_file(what);
}

Job JobSource::on(Rank ranks) const {
  if (text_) return parse_job(*text_, what_, ranks);
  if (ranks == 0) throw InputError("application " + what_ + ": --ranks is required");
  return application_job(what_, ranks, device_);
}

}  // namespace collcast::workloads
