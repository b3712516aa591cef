// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"

namespace collcast::cli {

/// What `validate --run`, `validate --script` and `validate --report` take.
struct CampaignOptions {
  std::string platform, campaign, collective, folder = "validation";
  std::string script, plot;
  std::vector<std::string> set, algorithms, ranks, sizes, command, reports, sbatch;
  bool slurm = false;
  Format format = Format::table;
};

/// Predicts, measures, reports. Returns the exit code: 1 where an engine is out of its bounds or a result is
/// wrong.
int validate_run(const CampaignOptions& options);
/// Predicts, and writes what measures that elsewhere and later; submits it if that is asked.
int validate_script(const CampaignOptions& options);
/// Only reports what folders hold.
int validate_report(const CampaignOptions& options);

}  // namespace collcast::cli
