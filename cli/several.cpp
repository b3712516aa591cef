// SPDX-License-Identifier: Apache-2.0
#include "cli/several.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>

#include "cli/interrupt.hpp"
#include "cli/pictures.hpp"
#include "cli/sweep_verbs.hpp"
#include "forecast/sweep/plot.hpp"
#include "model/ranges.hpp"
#include "platforms/description/schema.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/suggest.hpp"
#include "workloads/playing/rows.hpp"

namespace collcast::cli {
namespace {

/// What takes ranges.
constexpr std::array<std::string_view, 9> numbers = {
    "ranks", "size", "fusion", "bucket", "batch", "global_batch", "throughput", "slowdown", "noise"};

constexpr std::array<std::string_view, 6> step_settings = {"platform",  "model", "framework",
                                                           "precision", "batch", "policy"};

/// "tp=8" of "megatron:tp=8", not "megatron:tp=8".
bool is_setting(const std::string& part) {
  const auto equals = part.find('=');
  return equals != std::string::npos && part.find(':') > equals;
}

/// "64:512:x2".
bool is_range(const std::string& text) {
  return !text.empty() && text.find(':') != std::string::npos && text.find_first_of("0123456789") == 0;
}

/// Whether a parameter of platforms is a list itself, as network.dimensions=6,6,6.
bool is_list(const std::string& path) {
  const Schema* form = &platform_schema();
  std::istringstream keys(path);
  for (std::string key; form && std::getline(keys, key, '.');) form = find(*form, key);
  return form && form->kind == Schema::Kind::list;
}

report::Section& rows_of_steps(report::Report& report) {
  return *std::ranges::find_if(report.sections,
                               [](const report::Section& s) { return s.key == "rows" || s.key == "runs"; });
}

/// "29.9 GiB of 80.0 GiB".
std::string memory(const Json& row) {
  const Json need = row.value("memory_B", Json()), has = row.value("device_memory_B", Json());
  if (need.is_null()) return "-";
  return workloads::gibibytes(need) + (has.is_null() ? "" : " of " + workloads::gibibytes(has));
}

/// The settings, but for ranks, that rows of training steps differ in.
std::vector<std::string> varied(const Json& rows) {
  std::vector<std::string> all;
  for (const auto& item : rows[0].items()) {
    const std::string& key = item.key();
    const bool is_setting = key.find('.') != std::string::npos ||  // of a platform
                            std::ranges::find(step_settings, key) != step_settings.end();
    const auto differs = [&](const Json& row) { return row.value(key, Json()) != item.value(); };
    if (is_setting && std::ranges::any_of(rows, differs)) all.push_back(key);
  }
  return all;
}

/// "zero3", "batch 4".
std::string setting(const Json& row, const std::string& key) {
  const Json value = row.value(key, Json());
  return value.is_string() ? value.get<std::string>() : key + ' ' + dump(value);
}

}  // namespace

std::vector<std::string> listed(const std::string& text) {
  if (text.empty()) return {};
  if (is_file(text)) return {text};
  std::vector<std::string> all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    if (!all.empty() && is_setting(part))
      all.back() += ',' + part;
    else
      all.push_back(part);
    from = comma + 1;
  }
  return all;
}

std::vector<std::string> listed_counts(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& part : listed(text))
    if (is_range(part))
      std::ranges::transform(parse_counts(part), std::back_inserter(all),
                             [](std::int64_t n) { return std::to_string(n); });
    else
      all.push_back(part);
  return all;
}

void Several::add(const std::string& key, const std::vector<std::string>& values) {
  if (values.empty()) return;
  settings_[key] = values;
  several_ = several_ || values.size() > 1 ||
             (std::ranges::find(numbers, key) != numbers.end() && is_range(values[0]));
}

void Several::set(const std::vector<std::string>& assignments) {
  for (const std::string& text : assignments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set '" + text + "' is not KEY=VALUE, as in network.bandwidth_GBps=25");
    if (settings_.contains("set") && settings_["set"].contains(text.substr(0, equals)))
      throw InputError("--set: " + text.substr(0, equals) + " is set twice");
    Json& values = settings_["set"][text.substr(0, equals)] = Json::array();
    if (is_list(text.substr(0, equals))) {
      values.push_back(text.substr(equals + 1));
      continue;
    }
    for (std::string part : CLI::detail::split(text.substr(equals + 1), ',')) {
      several_ = several_ || is_range(part);
      values.push_back(std::move(part));
    }
    several_ = several_ || values.size() > 1;
  }
}

void Several::refuse(bool given, const std::string& option) const {
  if (given && several_)
    throw InputError(option + " takes a single case, not a list of them; `collcast sweep` runs many");
}

int Several::answer(const std::string& verb, const std::string& about, Format format,
                    const std::string& plotted) const {
  Json file = settings_;
  file["ask"] = verb, file["about"] = about;
  const std::vector<sweep::Verb> verbs = sweep_verbs();
  const sweep::Sweep asked(dump(file), verb, verbs);
  const std::string over = plotted.empty() ? "" : sweep::across(asked.space(), "");
  sweep::Summary all =
      sweep::answers(asked, sweep::processes(sweep::processors()),
                     [](std::int64_t n, std::int64_t of) { progress(count(n) + " of " + count(of)); });
  progress_end();
  if (verb == "train") tell_memory(all.report), tell_throughput(all.report, asked.space());
  if (verb == "replay") shows_idle(all.report.sections[0]);
  const bool fit = tell_what_fits(all.report);
  if (!plotted.empty())
    plot(plotted, {all.report.title, {sweep::graph(asked, all.report.sections[0].rows, over)}},
         all.report.notes);
  print(all.report, format);
  return all.failed > 0 || !fit ? 1 : 0;
}

bool shows_idle(report::Section& runs) {
  const auto idle = [](const Json& r) { return r.value("idle_s", 0.0) > 1e-3 * r.value("time_s", 0.0); };
  if (std::ranges::any_of(runs.rows, idle)) return true;
  std::erase_if(runs.columns, [](const report::Column& c) { return c.title == "idle"; });
  *std::ranges::find(runs.columns, "exposed", &report::Column::title) =
      report::number_of("exposed", "exposed_communication_s", seconds);
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

void tell_throughput(report::Report& report, const sweep::Space& space) {
  std::string throughput;
  for (const sweep::Axis& axis : space.axes())
    if (axis.key == "throughput" && axis.values.size() == 1) throughput = axis.values[0];
  std::vector<std::string> differ;
  for (const char* key : {"platform", "model", "precision", "batch"})
    if (space.varies(key)) differ.emplace_back(key);
  const auto whole = std::ranges::find(space.axes(), "global_batch", &sweep::Axis::key);
  if (whole != space.axes().end() && (space.varies("global_batch") || space.varies("ranks")))
    differ.emplace_back("batch");
  tell_throughput(report, throughput, differ);
}

bool tell_what_fits(report::Report& report) {
  report::Section& section = rows_of_steps(report);
  const auto fits = [](const Json& row) { return row.value("fits", Json()) != Json(false); };
  if (std::ranges::all_of(section.rows, fits)) return true;
  const std::vector<std::string> keys = varied(section.rows);
  std::vector<std::pair<std::string, std::string>> all;  // memory, and where in what it is not enough
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> ranks;
  for (const Json& row : section.rows) {
    if (fits(row)) continue;
    std::string where;
    for (const std::string& key : keys) where += setting(row, key) + ", ";
    const std::pair step{where, memory(row)};
    std::vector<std::string>& of_step = ranks[step];
    if (of_step.empty()) all.push_back(step);
    const std::string n = count(row["ranks"].get<std::int64_t>());
    if (std::ranges::find(of_step, n) == of_step.end()) of_step.push_back(n);
  }
  constexpr std::size_t most = 10;
  std::string where;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    where += (i > 0 ? "; " : "") + all[i].first + join(ranks[all[i]]) +
             (ranks[all[i]].front() == "1" && ranks[all[i]].size() == 1 ? " rank" : " ranks") + ": " +
             all[i].second;
  if (all.size() > most) where += "; and " + count(static_cast<std::int64_t>(all.size() - most)) + " more";
  report.notes.push_back("steps do not fit into their devices' memory: " + where);
  section.columns.push_back(
      {"fits", [fits](const Json& row) { return std::string(fits(row) ? "yes" : "no"); }});
  return false;
}

std::vector<sweep::Rows> ask_all(const std::string& name, const std::vector<sweep::Point>& points) {
  const std::vector<sweep::Verb> verbs = sweep_verbs();
  const sweep::Verb& verb = *std::ranges::find(verbs, name, &sweep::Verb::name);
  const auto asked = static_cast<std::int64_t>(points.size());
  const auto heard = [asked](std::int64_t finished, const sweep::Outcome& o) {
    if (o.kind == sweep::Outcome::Kind::refused) throw InputError(o.text);
    if (o.kind == sweep::Outcome::Kind::lost) throw SubstrateError(o.text);
    progress(count(finished) + " of " + count(asked));
  };
  // SimGrid's clock goes on from replay to replay, and its rounding with it: they come in turn.
  const auto hand_out = sweep::processes(name == "replay" ? 1 : sweep::processors());
  std::vector<sweep::Rows> all;
  for (const sweep::Outcome& o : sweep::outcomes(
           asked, hand_out,
           [&](std::int64_t i) { return sweep::answer(verb, points[static_cast<std::size_t>(i)]); }, heard)) {
    const Json said = parse_json(o.text);
    all.push_back({said["rows"], said["notes"].get<std::vector<std::string>>()});
  }
  progress_end();
  return all;
}

}  // namespace collcast::cli
