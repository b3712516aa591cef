// SPDX-License-Identifier: Apache-2.0
#include "cli/what_if.hpp"

#include <algorithm>
#include <iterator>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "forecast/report/what_if.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "support/error.hpp"

namespace collcast::cli {

void add_what_if(CLI::App& verb, std::vector<std::string>& set, bool& sensitivity) {
  verb.add_option(
          "--set", set,
          "Overrides a platform parameter, e.g. network.bandwidth_GBps=25; several values give a row each")
      ->option_text("KEY=VALUE[,...]");
  verb.add_flag("--sensitivity", sensitivity,
                "Also how strongly the time depends on each parameter: d ln(time) / d ln(parameter)");
}

Description platform_with(const std::string& name, const WhatIf& asked) {
  Description platform = load_platform(name);
  set_all(platform, asked.set);
  for (const std::string& words : implausible(platform)) note(words);
  return platform;
}

void answer_what_if(report::Report& report, const std::string& platform, const WhatIf& asked,
                    const TimesOn& times, const TimesOn& quick, const std::string& limited_by) {
  const Description base = load_platform(platform);
  Description with = base;
  set_all(with, asked.set);
  int tried = 0;
  const auto counted = [&tried](const TimesOn& on) {
    return [&tried, &on](const Description& d) {
      progress("with other parameters, " + std::to_string(++tried));
      return on(d);
    };
  };
  std::vector<Unbound> found;
  if (!asked.set.empty()) found = unbound(base, asked.set, times(with), counted(times), {}, limited_by);
  report.head["unbound"] = report::list(found);
  report.remark = report::words(found) + report.remark;
  if (asked.sensitivity) {
    const std::vector<Elasticity> moving = sensitivity(with, counted(quick)).back();
    report.sections.push_back(report::sensitivity_table(moving));
    report.remark += report::words(moving);
  }
  progress_end();
}

std::vector<std::string> unmoved(const Json& rows, const std::vector<std::string>& set,
                                 const RowsWith& rows_with) {
  std::vector<std::string> notes;
  for (const std::string& assignment : set) {
    std::vector<std::string> others;
    std::ranges::copy_if(set, std::back_inserter(others), [&](const auto& a) { return a != assignment; });
    try {
      const bool same = rows_with(others) == rows;
      if (interrupted()) return notes;
      if (same) notes.push_back("--set " + assignment + " does not change the answer");
    } catch (const InputError&) {
      // the others make no sense without it
    }
  }
  return notes;
}

void tell_unmoved(report::Report& report, const std::vector<std::string>& set, const RowsWith& rows) {
  append(report.notes, unmoved(report.sections[0].rows, set, rows));
}

}  // namespace collcast::cli
