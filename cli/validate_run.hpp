// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"

namespace collcast::cli {

/// What `validate --run` and `validate --report` take.
struct CampaignOptions {
  bool run = false;
  std::string platform, campaign, collective, folder = "validation";
  std::vector<std::string> set, algorithms, ranks, sizes, command, reports;
  Format format = Format::table;
};

/// Predicts, measures, reports. Returns the exit code: 1 where an engine is out of its bounds or a result is
/// wrong.
int validate_run(const CampaignOptions& options);
/// Only reports what folders hold.
int validate_report(const CampaignOptions& options);

}  // namespace collcast::cli
