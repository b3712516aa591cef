// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "forecast/report/report.hpp"
#include "forecast/what_if.hpp"

namespace collcast::cli {

/// What a verb that answers on one platform is asked of the platform's parameters.
struct WhatIf {
  std::vector<std::string> set;
  bool sensitivity = false;
};
void add_what_if(CLI::App& verb, std::vector<std::string>& set, bool& sensitivity);

/// The platform by its name, or a file's, with what was set.
Description platform_with(const std::string& name, const WhatIf& asked);

/// Which of the overrides do not move the answer, that is limited by this; and what does, if that was asked
/// for, by `quick`.
void answer_what_if(report::Report& report, const std::string& platform, const WhatIf& asked,
                    const TimesOn& times, const TimesOn& quick, const std::string& limited_by);

}  // namespace collcast::cli
