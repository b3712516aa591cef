// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/shown.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "support/json.hpp"
#include "support/text.hpp"
#include "workloads/playing/rows.hpp"

namespace collcast::workloads {
namespace {

constexpr std::array<std::string_view, 6> step_settings = {"platform",  "model", "framework",
                                                           "precision", "batch", "policy"};

report::Section& rows_of_steps(report::Report& report) {
  return *std::ranges::find_if(report.sections,
                               [](const report::Section& s) { return s.key == "rows" || s.key == "runs"; });
}

/// "29.9 GiB of 80.0 GiB".
std::string memory(const Json& row) {
  const Json need = row.value("memory_B", Json()), has = row.value("device_memory_B", Json());
  if (need.is_null()) return "-";
  return gibibytes(need) + (has.is_null() ? "" : " of " + gibibytes(has));
}

/// The settings other than ranks in which rows of training steps differ.
std::vector<std::string> varied(const Json& rows) {
  std::vector<std::string> all;
  for (const auto& item : rows[0].items()) {
    const std::string& key = item.key();
    const bool is_setting = key.find('.') != std::string::npos ||  // a platform's parameter
                            std::ranges::find(step_settings, key) != step_settings.end();
    const auto differs = [&](const Json& row) { return row.value(key, Json()) != item.value(); };
    if (is_setting && std::ranges::any_of(rows, differs)) all.push_back(key);
  }
  return all;
}

/// "zero3", "batch 4", "framework.bucket 1MiB".
std::string setting(const Json& row, const std::string& key) {
  const Json value = row.value(key, Json());
  const std::string text = value.is_string() ? value.get<std::string>() : dump(value);
  return value.is_string() && key.find('.') == std::string::npos ? text : key + ' ' + text;
}

}  // namespace

std::vector<report::Column> run_columns(const std::string& time, const Json& rows) {
  const auto filled = [&](const char* key) {
    return std::ranges::any_of(
        rows, [&](const Json& r) { return r.contains(key) && r[key].is_number() && r[key] != 0; });
  };
  std::vector<report::Column> all{report::number_of(time, "step_s", text::seconds),
                                  report::number_of("low", "low_s", text::seconds),
                                  report::number_of("high", "high_s", text::seconds),
                                  report::number_of("bound", "lower_bound_s", text::seconds)};
  if (filled("samples_per_s"))
    all.push_back(report::number_of("samples/s", "samples_per_s", [](double x) {
      return x < 1000 ? text::number(x) : text::count(std::llround(x));
    }));
  all.push_back(report::number_of("efficiency", "efficiency", text::percent));
  all.push_back(report::number_of("compute", "compute_s", text::seconds));
  all.push_back(report::number_of("exposed", "exposed_communication_s", text::seconds));
  if (filled("hidden_communication_s"))
    all.push_back(report::number_of("hidden", "hidden_communication_s", text::seconds));
  for (const auto& [title, key] : {std::pair("bubble", "bubble_s"),
                                   {"waiting", "waiting_s"},
                                   {"input", "io_s"},
                                   {"checkpoint", "checkpoint_s"}})
    if (filled(key)) all.push_back(report::number_of(title, key, text::seconds));
  all.push_back(report::text_of("limited by", "limited_by"));
  return all;
}

std::vector<report::Column> time_columns(const std::string& verb) {
  if (verb != "replay") {
    const bool train = verb == "train";
    return run_columns(
        train ? "step" : "time",
        Json::array({{{"samples_per_s", train ? 1 : 0}, {"hidden_communication_s", 1}, {"bubble_s", 1}}}));
  }
  return {report::number_of("total", "time_s", text::seconds),
          report::number_of("low", "low_s", text::seconds),
          report::number_of("high", "high_s", text::seconds),
          report::number_of("compute", "compute_s", text::seconds),
          {"exposed",
           [](const Json& r) {
             return text::seconds(r["exposed_communication_s"].get<double>() - r["idle_s"].get<double>());
           }},
          report::number_of("idle", "idle_s", text::seconds),
          report::text_of("costliest collective", "dearest_collective"),
          report::number_of("its time", "dearest_collective_s", text::seconds),
          report::text_of("limited by", "limited_by")};
}

bool shows_idle(report::Section& runs) {
  const auto idle = [](const Json& r) { return r.value("idle_s", 0.0) > 1e-3 * r.value("time_s", 0.0); };
  if (std::ranges::any_of(runs.rows, idle)) return true;
  std::erase_if(runs.columns, [](const report::Column& c) { return c.title == "idle"; });
  *std::ranges::find(runs.columns, "exposed", &report::Column::title) =
      report::number_of("exposed", "exposed_communication_s", text::seconds);
  return false;
}

void tell_memory(report::Report& report) {
  std::vector<report::Column>& columns = rows_of_steps(report).columns;
  const auto limit = std::ranges::find(columns, "limited by", &report::Column::title);
  columns.insert(limit, {"memory", [](const Json& row) { return memory(row); }});
}

void tell_throughput(report::Report& report, const std::string& throughput,
                     const std::vector<std::string>& differ) {
  if (throughput.empty() || differ.empty()) return;
  report.notes.push_back("the throughput of one processor, " + throughput +
                         " samples/s, is taken to be the same for every " + text::join(differ, " and "));
}

bool tell_what_fits(report::Report& report) {
  report::Section& section = rows_of_steps(report);
  const auto fits = [](const Json& row) { return row.value("fits", Json()) != Json(false); };
  if (std::ranges::all_of(section.rows, fits)) return true;
  const std::vector<std::string> keys = varied(section.rows);
  std::vector<std::pair<std::string, std::string>> all;  // memory, and the rows that need more
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> ranks;
  for (const Json& row : section.rows) {
    if (fits(row)) continue;
    std::string where;
    for (const std::string& key : keys) where += setting(row, key) + ", ";
    const std::pair step{where, memory(row)};
    std::vector<std::string>& of_step = ranks[step];
    if (of_step.empty()) all.push_back(step);
    const std::string n = text::count(row["ranks"].get<std::int64_t>());
    if (std::ranges::find(of_step, n) == of_step.end()) of_step.push_back(n);
  }
  constexpr std::size_t most = 10;
  std::string where;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    where += (i > 0 ? "; " : "") + all[i].first + text::join(ranks[all[i]]) +
             (ranks[all[i]].front() == "1" && ranks[all[i]].size() == 1 ? " rank" : " ranks") + ": " +
             all[i].second;
  if (all.size() > most)
    where += "; and " + text::count(static_cast<std::int64_t>(all.size() - most)) + " more";
  report.notes.push_back("steps do not fit into their devices' memory: " + where);
  section.columns.push_back(
      {"fits", [fits](const Json& row) { return std::string(fits(row) ? "yes" : "no"); }});
  return false;
}

namespace {

/// Adds a note if the one throughput of a sweep is used for points that differ.
void tell_common_throughput(report::Report& report, const sweep::Space& space) {
  std::string throughput;
  for (const sweep::Axis& axis : space.axes())
    if (axis.key == "throughput" && axis.values.size() == 1) throughput = axis.values[0];
  std::vector<std::string> differ;
  for (const char* key : {"platform", "model", "precision", "batch"})
    if (space.varies(key)) differ.emplace_back(key);
  if (space.axis("global_batch") && (space.varies("global_batch") || space.varies("ranks")))
    differ.emplace_back("batch");
  tell_throughput(report, throughput, differ);
}

}  // namespace

bool complete(report::Report& report, const sweep::Sweep& asked) {
  const std::string_view verb = asked.verb().name;
  if (verb == "train") tell_memory(report), tell_common_throughput(report, asked.space());
  if (verb == "replay") shows_idle(report.sections[0]);
  return tell_what_fits(report);
}

}  // namespace collcast::workloads
