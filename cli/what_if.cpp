// SPDX-License-Identifier: Apache-2.0
#include "cli/what_if.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "forecast/report/what_if.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "workloads/playing/what_if.hpp"

namespace collcast::cli {
namespace {

/// The rows of training steps and jobs; none in other reports.
const Json& runs_of(const report::Report& report) {
  static const Json none = Json::array();
  const auto rows = std::ranges::find(report.sections, "rows", &report::Section::key);
  return rows == report.sections.end() ? none : rows->rows;
}

}  // namespace

void add_what_if(CLI::App& verb, std::vector<std::string>& set, bool& sensitivity) {
  verb.add_option(
          "--set", set,
          "Overrides a platform parameter, e.g. network.bandwidth_GBps=25; several values give a row each")
      ->option_text("KEY=VALUE[,...]");
  verb.add_flag("--sensitivity", sensitivity,
                "Also how strongly the time depends on each parameter: d ln(time) / d ln(parameter). CSV has "
                "this instead of the rows, that of predict in a column");
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
  const workloads::Overridden overridden{base, asked.set, runs_of(report), limited_by};
  const std::vector<Unbound> found = workloads::unbound_in(overridden, counted(times), counted(quick));
  report.remark = report::words(found) + report.remark;
  report.head["unbound"] = report::list(workloads::without_effect(found, overridden));
  if (asked.sensitivity) {
    const std::vector<Elasticity> moving = sensitivity(with, counted(quick)).back();
    report.sections.push_back(report::sensitivity_table(moving));
    report.as_csv = report.sections.back().key;
    if (!report.remark.empty() && !report.remark.ends_with('\n')) report.remark += '\n';
    report.remark += report::words(moving);
  }
  progress_end();
}

std::vector<std::string> without_effect(const Json& rows, const std::vector<std::string>& set,
                                        const report::RowsWith& rows_with) {
  const InterruptedBy user(&interrupt_flag());
  return report::without_effect(rows, set, rows_with);
}

}  // namespace collcast::cli
