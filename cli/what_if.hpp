// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "forecast/report/what_if.hpp"
#include "forecast/what_if.hpp"

namespace collcast::cli {

/// What-if options of a verb that answers on one platform.
struct WhatIf {
  std::vector<std::string> set;
  bool sensitivity = false;
};
void add_what_if(CLI::App& verb, std::vector<std::string>& set, bool& sensitivity);

/// The platform, by its name or file, with parameters set.
Description platform_with(const std::string& name, const WhatIf& asked);

/// Adds to the report the overrides that do not move the answer, and the answer's sensitivity if it was asked
/// for. `limited_by`: the resource that limits the answer. `quick`: the times by a quick engine.
void answer_what_if(report::Report& report, const std::string& platform, const WhatIf& asked,
                    const TimesOn& times, const TimesOn& quick, const std::string& limited_by);

/// report::without_effect, until the user interrupts.
std::vector<std::string> without_effect(const Json& rows, const std::vector<std::string>& set,
                                        const report::RowsWith& rows_with);

}  // namespace collcast::cli
