// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/predict.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "algorithms/catalogue.hpp"
#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/report/answer.hpp"
#include "libraries/policy.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"

namespace collcast::sweep {
namespace {

using Text = std::string;
constexpr std::int64_t most = std::numeric_limits<Rank>::max();
/// A key, and what its value sets in a question; throws InputError.
struct Slot {
  Key key;
  void (*put)(Question&, const Text&);
};
constexpr Slot slots[] = {
    {{"platform", Kind::word, [](const Text& v) { load_platform(v); }},
     [](Question& q, const Text& v) { q.platforms = {v}; }},
    {{"ranks", Kind::ranks}, [](Question& q, const Text& v) { q.ranks = parse_rank_counts(std::vector{v}); }},
    {{"placement", Kind::word, [](const Text& v) { parse_placement(v); }},
     [](Question& q, const Text& v) { q.placement = v; }},
    {{"memory", Kind::word, [](const Text& v) { parse_memory(v); }},
     [](Question& q, const Text& v) { q.memory = parse_memory(v); }},
    {{"policy", Kind::named,
      [](const Text& v) {
        if (v != "fastest") check_policy(v);
      }},
     [](Question& q, const Text& v) { q.policy = v; }},
    {{"transport", Kind::word, [](const Text& v) { parse_transport(v); }},
     [](Question& q, const Text& v) { q.transport = parse_transport(v); }},
    {{"collective", Kind::word, [](const Text& v) { definition(v); }},
     [](Question& q, const Text& v) { q.collectives = {v}; }},
    {{"algorithm", Kind::word}, [](Question& q, const Text& v) { q.algorithm = v; }},
    {{"engine", Kind::word, [](const Text& v) { engine(v); }},
     [](Question& q, const Text& v) { q.engine = v; }},
    {{"root", Kind::count}, [](Question& q, const Text& v) { q.call.root = v; }},
    {{"radix", Kind::count, [](const Text& v) { parse_count(v, "radix", 2, most); }},
     [](Question& q, const Text& v) { q.call.radix = v; }},
    {{"channels", Kind::count, [](const Text& v) { parse_count(v, "number of channels", 1, most); }},
     [](Question& q, const Text& v) { q.call.channels = v; }},
    {{"buffer", Kind::size}, [](Question& q, const Text& v) { q.call.buffer = v; }},
    {{"ranks_per_node", Kind::count,
      [](const Text& v) { parse_count(v, "number of ranks per node", 1, most); }},
     [](Question& q, const Text& v) { q.call.ranks_per_node = v; }},
    {{"segment", Kind::quantity,
      [](const Text& v) {
        CallText call;
        call.segment = v;
        parse_segment(call, Bytes(1e18), true);  // the message's size is not known here: it is the point's
      }},
     [](Question& q, const Text& v) { q.call.segment = v; }},
    {{"offload", Kind::word,
      [](const Text& v) {
        if (v != "dpu" && v != "none") throw InputError("offload takes dpu or none, got '" + v + "'");
      }},
     [](Question& q, const Text& v) { q.offload.who = v; }},
    {{"workers", Kind::count},
     [](Question& q, const Text& v) { q.offload.workers = parse_count(v, "workers", 1, 1024); }},
    {{"pieces", Kind::count},
     [](Question& q, const Text& v) {
       q.offload.pieces = static_cast<int>(parse_count(v, "pieces", 1, 1 << 20));
     }},
    {{"compute", Kind::number},
     [](Question& q, const Text& v) { q.offload.compute = parse_number(v, "compute", 0, 1e9); }},
    {{"size", Kind::size}, [](Question& q, const Text& v) { q.sizes = parse_sizes(std::vector{v}); }},
};

constexpr auto keys = [] {
  std::array<Key, std::size(slots)> all{};
  std::ranges::transform(slots, all.begin(), &Slot::key);
  return all;
}();

Question question(const Point& point) {
  Question q;
  for (const Setting& s : point) {
    const auto* slot =
        std::ranges::find_if(slots, [&](const Slot& known) { return known.key.name == s.key; });
    if (slot != std::end(slots))
      slot->put(q, s.value);
    else
      q.set.push_back(column_name(s.key) + '=' + s.value);
  }
  return q;
}

std::vector<std::string> values(const Space& space, std::string_view key) {
  const Axis* axis = space.axis(key);
  return axis ? axis->values : std::vector<std::string>{};
}

/// Throws InputError if none of the collectives has the algorithm.
void check_algorithm(const std::string& name, const std::vector<std::string>& collectives) {
  if (name == "all" || name == "auto") return;
  const auto has = [&](const std::string& collective) {
    const auto all = algorithms(definition(collective).collective);
    return std::ranges::find(all, name, &Algorithm::name) != all.end();
  };
  if (std::ranges::none_of(collectives, has)) algorithm(definition(collectives.at(0)).collective, name);
}

/// Throws InputError if settings say how DPUs work, and no collective is offloaded.
void check_offload(const Space& space) {
  if (!values(space, "offload").empty()) return;
  for (const Axis& axis : space.axes())
    if (axis.key == "workers" || axis.key == "pieces" || axis.key == "compute")
      throw InputError(axis.key + " needs offload: who plays the collective while ranks compute");
}

void check_points(const Space& space) {
  check_offload(space);
  for (const std::string& name : values(space, "algorithm"))
    check_algorithm(name, values(space, "collective"));
}

std::vector<report::Column> columns(const Space& space) {
  Answer shape;
  shape.platforms = values(space, "platform");
  shape.collectives = values(space, "collective");
  if (const auto offload = values(space, "offload"); !offload.empty()) {
    shape.offload.who = offload[0];
    shape.workers.assign(shape.platforms.size(), 1);
  }
  return std::move(report::make(shape).sections[0].columns);
}

}  // namespace

Memory parse_memory(const std::string& name) {
  if (const auto memory = memory_named(name)) return *memory;
  throw InputError("memory '" + name + "' is not host or device");
}

Verb predict() {
  const auto cache = std::make_shared<ForecastCache>();
  const auto answer = [cache](const Point& point) {
    const Answer a = ask(question(point), *cache);
    return Rows{std::move(report::make(a).sections[0].rows), report::notes(a)};
  };
  return {"predict", keys, {"platform", "ranks", "collective", "size"}, answer, check_points, columns};
}

}  // namespace collcast::sweep
