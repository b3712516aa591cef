// SPDX-License-Identifier: Apache-2.0
#include "cli/several.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/pictures.hpp"
#include "forecast/sweep/plot.hpp"
#include "model/alternatives.hpp"
#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/notes.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/verbs.hpp"

namespace collcast::cli {

std::string option_of(std::string_view key) {
  std::string option = "--" + std::string(key);
  std::ranges::replace(option, '_', '-');
  return option;
}

Several::Several(const std::string& verb, const CLI::App& line, const std::vector<std::string>& others)
    : verb_(sweep_verb(verb)), line_(line) {
  for (const sweep::Key& key : verb_.keys) {
    const CLI::Option* option = line.get_option_no_throw(option_of(key.name));
    if (option && std::ranges::find(others, key.name) == others.end())
      add(std::string(key.name), text::join(option->results(), ","));
  }
  set(line.get_option("--set")->results());
}

void Several::add(const std::string& key, const std::vector<std::string>& values) {
  if (values.empty()) return;
  settings_[key] = values;
  if (key == "size") add_once(doubts_, decimal_comma(values));
  const sweep::Kind kind = std::ranges::find(verb_.keys, key, &sweep::Key::name)->kind;
  const bool names = kind == sweep::Kind::word || kind == sweep::Kind::named;
  try {
    several_ = several_ || values.size() > 1 ||
               (names ? spelled_out(values[0]) != std::vector{values[0]} : is_range(values[0]));
  } catch (const InputError& e) {
    throw InputError(key + ": " + e.what());
  }
}

void Several::set(const std::vector<std::string>& assignments) {
  for (const std::string& text : assignments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set '" + text + "' is not KEY=VALUE, as in network.bandwidth_GBps=25");
    const std::string path = text.substr(0, equals);
    if (settings_.contains("set") && settings_["set"].contains(path))
      throw InputError("--set: " + path + " is set twice");
    const std::vector<std::string> values = sweep::values_set(text);
    settings_["set"][path] = values;
    add_once(doubts_, decimal_comma(values));
    several_ = several_ || values.size() > 1 || is_range(values[0]);
  }
}

void Several::refuse(const std::vector<std::string>& options) const {
  for (const std::string& option : options)
    if (several_ && line_.count(option) > 0)
      throw InputError(option + " takes a single case, not a list of them");
}

int Several::answer(const std::string& about, Format format, const std::string& plotted) const {
  Json file = settings_;
  file["ask"] = verb_.name, file["about"] = about;
  const sweep::Sweep asked(dump(file), std::string(verb_.name), {&verb_, 1});
  const std::string over = plotted.empty() ? "" : sweep::across(asked.space(), "");
  sweep::Summary all = sweep::answers(asked, sweep::processes(sweep::processors()),
                                      [](std::int64_t n, std::int64_t of) { progress_of("", n, of); });
  progress_end();
  const bool fit = workloads::complete(all.report, asked);
  for (const std::string& words : doubts_) add_once(all.report.notes, words);
  if (!plotted.empty())
    plot(plotted, {all.report.title, {sweep::graph(asked, all.report.sections[0].rows, over)}},
         all.report.notes);
  print(all.report, format);
  return all.failed > 0 || !fit ? 1 : 0;
}

std::vector<std::string> algorithm_cases(const std::vector<std::string>& given) {
  std::vector<std::string> all{""};
  for (const std::string& text : given) {
    const std::string what = text.substr(0, text.find('=') + 1);
    std::vector<std::string> longer;
    for (const std::string& one : CLI::detail::split(text.substr(what.size()), ','))
      if (one.find('=') != std::string::npos)
        throw InputError("--algorithm '" + text + "': " + one + " takes an --algorithm of its own");
    for (const std::string& before : all)
      for (const std::string& one : CLI::detail::split(text.substr(what.size()), ','))
        longer.push_back(before + (before.empty() ? "" : ",") + what + one);
    all = std::move(longer);
  }
  return given.empty() ? std::vector<std::string>{} : all;
}

sweep::Verb sweep_verb(const std::string& name) {
  const std::vector<sweep::Verb> verbs = workloads::verbs();
  return *std::ranges::find(verbs, name, &sweep::Verb::name);
}

std::vector<Answered> ask_all(const std::string& name, const std::vector<sweep::Point>& points) {
  const sweep::Verb verb = sweep_verb(name);
  const auto asked = static_cast<std::int64_t>(points.size());
  const auto heard = [asked](std::int64_t finished, const sweep::Outcome& o) {
    if (o.kind == sweep::Outcome::Kind::lost) throw SubstrateError(o.text);
    progress_of("", finished, asked);
  };
  // SimGrid's clock, and with it its rounding, goes on from replay to replay, so a single process makes them
  // all.
  const auto hand_out = sweep::processes(name == "replay" ? 1 : sweep::processors());
  std::vector<Answered> all;
  for (const sweep::Outcome& o : sweep::outcomes(
           asked, hand_out,
           [&](std::int64_t i) { return sweep::answer(verb, points[static_cast<std::size_t>(i)]); }, heard)) {
    Answered& one = all.emplace_back();
    if (o.kind != sweep::Outcome::Kind::answered) {
      one.refused = o.text;
      continue;
    }
    const Json said = parse_json(o.text);
    one.rows = {said["rows"], said["notes"].get<std::vector<std::string>>()};
  }
  progress_end();
  return all;
}

}  // namespace collcast::cli
