// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/predict.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "algorithms/catalogue.hpp"
#include "forecast/answer.hpp"
#include "forecast/known.hpp"
#include "forecast/report/answer.hpp"
#include "libraries/policy.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::sweep {
namespace {

constexpr std::array keys = {
    Key{"platform", Kind::word},   Key{"ranks", Kind::ranks},           Key{"placement", Kind::word},
    Key{"memory", Kind::word},     Key{"policy", Kind::word},           Key{"transport", Kind::word},
    Key{"collective", Kind::word}, Key{"algorithm", Kind::word},        Key{"engine", Kind::word},
    Key{"root", Kind::number},     Key{"radix", Kind::number},          Key{"channels", Kind::number},
    Key{"buffer", Kind::size},     Key{"ranks_per_node", Kind::number}, Key{"segment", Kind::word},
    Key{"size", Kind::size}};

using Put = void (*)(Question&, const std::string&);
struct Slot {
  std::string_view key;
  Put put;
};
constexpr Slot slots[] = {
    {"platform", [](Question& q, const std::string& v) { q.platforms = {v}; }},
    {"ranks", [](Question& q, const std::string& v) { q.ranks = parse_rank_counts(std::vector{v}); }},
    {"placement", [](Question& q, const std::string& v) { q.placement = v; }},
    {"memory", [](Question& q, const std::string& v) { q.memory = parse_memory(v); }},
    {"policy", [](Question& q, const std::string& v) { q.policy = v; }},
    {"transport", [](Question& q, const std::string& v) { q.transport = parse_transport(v); }},
    {"collective", [](Question& q, const std::string& v) { q.collectives = {v}; }},
    {"algorithm", [](Question& q, const std::string& v) { q.algorithm = v; }},
    {"engine", [](Question& q, const std::string& v) { q.engine = v; }},
    {"root", [](Question& q, const std::string& v) { q.call.root = v; }},
    {"radix", [](Question& q, const std::string& v) { q.call.radix = v; }},
    {"channels", [](Question& q, const std::string& v) { q.call.channels = v; }},
    {"buffer", [](Question& q, const std::string& v) { q.call.buffer = v; }},
    {"ranks_per_node", [](Question& q, const std::string& v) { q.call.ranks_per_node = v; }},
    {"segment", [](Question& q, const std::string& v) { q.call.segment = v; }},
    {"size", [](Question& q, const std::string& v) { q.sizes = parse_sizes(std::vector{v}); }},
};

Question question(const Point& point) {
  Question q;
  for (const Setting& s : point) {
    const auto* slot = std::ranges::find(slots, s.key, &Slot::key);
    if (slot != std::end(slots))
      slot->put(q, s.value);
    else
      q.set.push_back(s.key.substr(std::string_view("set.").size()) + '=' + s.value);
  }
  return q;
}

/// Notes that are no row's own reason.
std::vector<std::string> common(const Answer& answer) {
  std::vector<std::string> notes = answer.notes;
  for (const Answer::Row& row : answer.rows)
    if (!row.why.empty())
      std::erase_if(notes, [&](const std::string& words) { return words.ends_with(row.why); });
  return notes;
}

std::vector<std::string> values(const Space& space, std::string_view key) {
  const auto axis = std::ranges::find(space.axes(), key, &Axis::key);
  return axis == space.axes().end() ? std::vector<std::string>{} : axis->values;
}

/// Throws InputError where no collective has it.
void check_algorithm(const std::string& name, const std::vector<std::string>& collectives) {
  if (name == "all" || name == "auto") return;
  const auto has = [&](const std::string& collective) {
    const auto all = algorithms(definition(collective).collective);
    return std::ranges::find(all, name, &Algorithm::name) != all.end();
  };
  if (std::ranges::none_of(collectives, has)) algorithm(definition(collectives.at(0)).collective, name);
}

void check_names(const Space& space) {
  for (const std::string& name : values(space, "platform")) load_platform(name);
  for (const std::string& name : values(space, "collective")) definition(name);
  for (const std::string& name : values(space, "engine")) engine(name);
  for (const std::string& name : values(space, "algorithm"))
    check_algorithm(name, values(space, "collective"));
  for (const std::string& name : values(space, "placement")) parse_placement(name);
  for (const std::string& name : values(space, "memory")) parse_memory(name);
  for (const std::string& name : values(space, "transport")) parse_transport(name);
  for (const std::string& name : values(space, "policy"))
    if (name != "fastest") check_policy(name);
}

std::vector<report::Column> columns(const Space& space) {
  Answer shape;
  shape.platforms = values(space, "platform");
  shape.collectives = values(space, "collective");
  return std::move(report::make(shape).sections[0].columns);
}

}  // namespace

Memory parse_memory(const std::string& name) {
  if (name == "device") return Memory::device;
  if (name == "host") return Memory::host;
  throw InputError("memory '" + name + "' is not host or device");
}

Verb predict() {
  const auto known = std::make_shared<Known>();
  const auto answer = [known](const Point& point) {
    const Answer a = ask(question(point), *known);
    return Rows{std::move(report::make(a).sections[0].rows), common(a)};
  };
  return {"predict", keys, {"platform", "ranks", "collective", "size"}, answer, check_names, columns};
}

}  // namespace collcast::sweep
