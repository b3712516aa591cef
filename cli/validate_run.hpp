// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"

namespace collcast::cli {

/// The options of `validate --run`, `validate --script` and `validate --report`.
struct CampaignOptions {
  std::string platform, campaign, collective, folder = "validation";
  std::string script, plot;
  std::vector<std::string> set, algorithms, ranks, sizes, command, reports, sbatch;
  bool slurm = false;
  Format format = Format::table;
};

/// Predicts, measures, reports. Returns the exit code: 1 if an engine is out of its bounds or a result is
/// wrong.
int validate_run(const CampaignOptions& options);
/// Predicts, and writes the script that measures elsewhere and later; submits it if asked to.
int validate_script(const CampaignOptions& options);
/// Reports on finished campaigns.
int validate_report(const CampaignOptions& options);

}  // namespace collcast::cli
