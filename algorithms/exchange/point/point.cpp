// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/point/point.hpp"

#include <cmath>
#include <limits>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Reads the values of an object by key: whole numbers in [least, most], `standard` if absent; and texts.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw InputError(where_ + ": is no object");
  }
  std::int64_t number(const char* key, std::int64_t least, std::int64_t most, std::int64_t standard) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return standard;
    if (found->is_number_integer())
      if (const auto value = found->get<std::int64_t>(); value >= least && value <= most) return value;
    throw InputError(where_ + ": " + key + " must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not " + found->dump());
  }
  std::string text(const char* key) const {
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_string()) return found->get<std::string>();
    throw InputError(where_ + ": " + key + " must be a text");
  }

 private:
  const Json& object_;
  std::string where_;
};

/// Runs `act`, and begins the message of an InputError with `where`.
void located(const std::string& where, auto act) {
  try {
    act();
  } catch (const InputError& e) {
    throw InputError(where + ": " + e.what());
  }
}

}  // namespace

std::string_view algorithm_name(const Point& p) {
  return p.algorithm ? p.algorithm->name : library_algorithm;
}

Json parameters(const Algorithm& a, const Call& c) {
  Json given = Json::object();
  if (a.radix) given["radix"] = c.radix;
  if (a.channels) given["channels"] = c.channels;
  if (a.buffer && std::isfinite(c.buffer.value)) given["buffer"] = std::llround(c.buffer.value);
  if (a.ranks_per_node) given["ranks_per_node"] = c.ranks_per_node;
  if (a.segmented) {
    given["segment"] = std::llround(std::ceil(c.message.value / static_cast<double>(c.segments)));
    given["segments"] = c.segments;
  }
  return given;
}

Json to_json(const Point& p) {
  const Definition& d = definition(p.collective);
  Json json{{"collective", d.name},
            {"algorithm", algorithm_name(p)},
            {"parameters", p.algorithm ? parameters(*p.algorithm, p.call) : Json::object()},
            {"ranks", p.ranks()},
            {"root", d.rooted ? Json(p.call.root) : Json()},
            {"message_bytes", std::llround(p.call.message.value)}};
  if (p.jobs > 1) json["jobs"] = p.jobs;
  return json;
}

Point parse_point(const Json& json, const std::string& where) {
  constexpr std::int64_t many = std::numeric_limits<Rank>::max();
  const Reader top(json, where);
  const Json none = Json::object();
  const Reader given(json.contains("parameters") ? json["parameters"] : none, where + ": parameters");
  Point p;
  const std::string collective = top.text("collective"), name = top.text("algorithm");
  located(where, [&] {
    p.collective = definition(collective).collective;
    if (name != library_algorithm) p.algorithm = &algorithm(p.collective, name);
  });
  p.jobs = static_cast<Rank>(top.number("jobs", 1, many, 1));
  const std::int64_t ranks = top.number("ranks", 1, many, 1);
  if (ranks % p.jobs != 0)
    throw InputError(where + ": " + std::to_string(ranks) + " ranks cannot be shared out evenly to " +
                     std::to_string(p.jobs) + " jobs");
  p.call.ranks = static_cast<Rank>(ranks / p.jobs);
  p.call.root = static_cast<Rank>(top.number("root", 0, many, 0));
  p.call.message = Bytes(static_cast<double>(top.number("message_bytes", 0, std::int64_t{1} << 50, 0)));
  p.call.radix = static_cast<int>(given.number("radix", 0, many, 2));
  p.call.channels = static_cast<int>(given.number("channels", 0, many, 1));
  if (const auto buffer = given.number("buffer", 0, std::int64_t{1} << 50, 0))
    p.call.buffer = Bytes(static_cast<double>(buffer));
  p.call.ranks_per_node = static_cast<Rank>(given.number("ranks_per_node", 0, many, 1));
  p.call.segments = given.number("segments", 1, std::int64_t{1} << 50, 1);
  if (p.algorithm) located(where, [&] { check(*p.algorithm, p.call); });
  return p;
}

std::string algorithm_label(const Point& p) {
  std::string label(algorithm_name(p));
  if (!p.algorithm) return label;
  if (p.algorithm->radix) label += " k=" + std::to_string(p.call.radix);
  if (p.algorithm->channels) label += " c=" + std::to_string(p.call.channels);
  if (p.algorithm->ranks_per_node) label += " q=" + std::to_string(p.call.ranks_per_node);
  return label;
}

std::string describe(const Point& p) {
  std::string words = std::string(definition(p.collective).name) + " " + algorithm_label(p) + ", " +
                      std::to_string(p.ranks()) + " ranks";
  if (p.jobs > 1) words += " in " + std::to_string(p.jobs) + " jobs";
  return words + ", " + text::bytes(p.call.message.value);
}

Schedule schedule(const Point& p) {
  const Schedule one = p.algorithm->schedule(p.call);
  if (p.jobs == 1) return one;
  const auto members = [jobs = p.jobs, ranks = p.call.ranks](Rank job) { return Ranks{job, ranks, jobs}; };
  return on_each(
      p.jobs, members, one, p.ranks(), [](Rank) { return Block{0}; }, one.blocks);
}

Layout layout(const Point& p, const Schedule& all) {
  return layout(*p.algorithm, p.call, all);
}

}  // namespace collcast
