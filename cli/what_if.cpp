// SPDX-License-Identifier: Apache-2.0
#include "cli/what_if.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "forecast/report/what_if.hpp"
#include "forecast/unbound.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "workloads/compute/processor.hpp"

namespace collcast::cli {
namespace {

/// The rows of training steps and jobs; none in other reports.
const Json& runs_of(const report::Report& report) {
  static const Json none = Json::array();
  const auto rows = std::ranges::find(report.sections, "rows", &report::Section::key);
  return rows == report.sections.end() ? none : rows->rows;
}

/// Which rows fit into the memory of a platform's devices.
std::vector<bool> fitting(const Json& rows, const Description& platform) {
  const double holds = workloads::processor(platform, workloads::Precision::fp32).memory.value;
  std::vector<bool> fit;
  for (const Json& row : rows)
    fit.push_back(!row["memory_B"].is_number() || holds == 0 || row["memory_B"].get<double>() <= holds);
  return fit;
}

bool any_exposed(const Json& rows) {
  return std::ranges::any_of(rows, [](const Json& r) { return r["exposed_communication_s"] > 0; });
}

/// An override without one of the assignments.
Description without(const Description& base, std::vector<std::string> set, const std::string& parameter) {
  std::erase_if(set, [&](const std::string& a) { return a.substr(0, a.find('=')) == parameter; });
  Description d = base;
  set_all(d, set);
  return d;
}

}  // namespace

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
  const Json& runs = runs_of(report);
  for (Unbound& u : found)
    if (u.capped_by == limited_by && any_exposed(runs))
      if (const std::string cap =
              binds_instead(with, without(base, asked.set, u.parameter), u.parameter, counted(quick));
          !cap.empty())
        u.capped_by = cap + " (of the communication that is exposed)";
  report.remark = report::words(found) + report.remark;
  // What fits is a part of the answer.
  std::erase_if(found, [&](const Unbound& u) {
    return u.capped_by == only_fits &&
           fitting(runs, with) != fitting(runs, without(base, asked.set, u.parameter));
  });
  report.head["unbound"] = report::list(found);
  if (asked.sensitivity) {
    const std::vector<Elasticity> moving = sensitivity(with, counted(quick)).back();
    report.sections.push_back(report::sensitivity_table(moving));
    report.remark += report::words(moving);
  }
  progress_end();
}

std::vector<std::string> unmoved(const Json& rows, const std::vector<std::string>& set,
                                 const report::RowsWith& rows_with) {
  const InterruptedBy user(&interrupt_flag());
  return report::unmoved(rows, set, rows_with);
}

void tell_unmoved(report::Report& report, const std::vector<std::string>& set,
                  const report::RowsWith& rows_with) {
  append(report.notes, unmoved(report.sections[0].rows, set, rows_with));
}

}  // namespace collcast::cli
