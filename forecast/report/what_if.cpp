// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/what_if.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

constexpr std::size_t most_told = 10;

}  // namespace

Json list(const std::vector<Elasticity>& sensitivity) {
  Json rows = Json::array();
  for (const Elasticity& e : sensitivity) {
    rows.push_back({{"parameter", e.parameter}, {"elasticity", e.elasticity}});
    if (e.step()) rows.back()["step"] = true;
  }
  return rows;
}

Json list(const std::vector<Unbound>& unbound) {
  Json rows = Json::array();
  for (const Unbound& u : unbound) rows.push_back({{"parameter", u.parameter}, {"capped_by", u.capped_by}});
  return rows;
}

Section sensitivity_table(const std::vector<Elasticity>& sensitivity) {
  return {"sensitivity",
          list(sensitivity),
          {text_of("parameter", "parameter"),
           number_of("d ln(time) / d ln(parameter)", "elasticity", text::number)},
          most_told};
}

std::string words(const std::vector<Elasticity>& sensitivity) {
  if (sensitivity.empty()) return "No parameter of the platform changes the answer by itself.\n";
  std::string text;
  for (const Elasticity& e : std::span(sensitivity).first(std::min(most_told, sensitivity.size())))
    if (e.step())
      text += e.parameter + " moves the answer in a step: 1 % to its slower side by " +
              text::signed_percent(e.slower) + ", to its faster side by " +
              text::signed_percent(0 - e.faster) + ".\n";
  return text;
}

std::string words(const std::vector<Unbound>& unbound) {
  constexpr std::string_view nothing = "nothing: ";  // the words of `cap`
  std::string text;
  for (const Unbound& u : unbound) {
    if (u.capped_by == affects_fit_only) {
      text += u.parameter + " changes what fits, not the time.\n";
      continue;
    }
    text += u.parameter + " does not change the answer" +
            (u.capped_by.starts_with(nothing) ? ": " + u.capped_by.substr(nothing.size())
                                              : "; the limit is " + u.capped_by) +
            ".\n";
  }
  return text;
}

std::vector<std::string> without_effect(const Json& rows, const std::vector<std::string>& set,
                                        const RowsWith& rows_with) {
  std::vector<std::string> notes;
  for (const std::string& assignment : set) {
    if (interrupted()) return notes;
    std::vector<std::string> others;
    std::ranges::copy_if(set, std::back_inserter(others), [&](const auto& a) { return a != assignment; });
    try {
      const bool same = rows_with(others) == rows;
      if (same && !interrupted()) notes.push_back("--set " + assignment + " does not change the answer");
    } catch (const InputError&) {
      // the others make no sense without it
    } catch (const Interrupted&) {
      return notes;
    }
  }
  return notes;
}

void tell_without_effect(Report& report, const std::vector<std::string>& set, const RowsWith& rows_with) {
  for (std::string& words : without_effect(report.sections.at(0).rows, set, rows_with))
    report.notes.push_back(std::move(words));
}

}  // namespace collcast::report
