// SPDX-License-Identifier: Apache-2.0
#include "cli/several.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/interrupt.hpp"
#include "cli/pictures.hpp"
#include "forecast/sweep/plot.hpp"
#include "model/ranges.hpp"
#include "platforms/description/schema.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/suggest.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/verbs.hpp"

namespace collcast::cli {
namespace {

/// What takes ranges.
constexpr std::array<std::string_view, 9> numbers = {
    "ranks", "size", "fusion", "bucket", "batch", "global_batch", "throughput", "slowdown", "noise"};

/// Whether a parameter of platforms is a list itself, as network.dimensions=6,6,6.
bool is_list(const std::string& path) {
  const Schema* form = &platform_schema();
  std::istringstream keys(path);
  for (std::string key; form && std::getline(keys, key, '.');) form = find(*form, key);
  return form && form->kind == Schema::Kind::list;
}

}  // namespace

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
  if (given && several_) throw InputError(option + " takes a single case, not a list of them");
}

int Several::answer(const std::string& verb, const std::string& about, Format format,
                    const std::string& plotted) const {
  Json file = settings_;
  file["ask"] = verb, file["about"] = about;
  const std::vector<sweep::Verb> verbs = workloads::verbs();
  const sweep::Sweep asked(dump(file), verb, verbs);
  const std::string over = plotted.empty() ? "" : sweep::across(asked.space(), "");
  sweep::Summary all = sweep::answers(asked, sweep::processes(sweep::processors()),
                                      [](std::int64_t n, std::int64_t of) { progress_of("", n, of); });
  progress_end();
  const bool fit = workloads::complete(all.report, asked);
  if (!plotted.empty())
    plot(plotted, {all.report.title, {sweep::graph(asked, all.report.sections[0].rows, over)}},
         all.report.notes);
  print(all.report, format);
  return all.failed > 0 || !fit ? 1 : 0;
}

std::vector<sweep::Rows> ask_all(const std::string& name, const std::vector<sweep::Point>& points) {
  const std::vector<sweep::Verb> verbs = workloads::verbs();
  const sweep::Verb& verb = *std::ranges::find(verbs, name, &sweep::Verb::name);
  const auto asked = static_cast<std::int64_t>(points.size());
  const auto heard = [asked](std::int64_t finished, const sweep::Outcome& o) {
    if (o.kind == sweep::Outcome::Kind::refused) throw InputError(o.text);
    if (o.kind == sweep::Outcome::Kind::lost) throw SubstrateError(o.text);
    progress_of("", finished, asked);
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
