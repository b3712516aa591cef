// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_verbs.hpp"

#include <array>
#include <memory>

#include "cli/group_prices.hpp"
#include "cli/options.hpp"
#include "cli/training.hpp"
#include "forecast/sweep/predict.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

using sweep::Key, sweep::Kind;

constexpr std::array training_keys = {
    Key{"platform", Kind::word},     Key{"policy", Kind::word},     Key{"model", Kind::word},
    Key{"framework", Kind::word},    Key{"precision", Kind::word},  Key{"batch", Kind::number},
    Key{"throughput", Kind::number}, Key{"slowdown", Kind::number}, Key{"noise", Kind::number},
    Key{"input", Kind::word},        Key{"checkpoint", Kind::word}, Key{"ranks", Kind::ranks}};

/// A platform and a policy with the prices of collectives that were asked for so far: those of the last
/// point.
struct Priced {
  std::string name;
  std::unique_ptr<Description> platform;
  std::unique_ptr<GroupForecaster> forecaster;
  workloads::PriceOf price;
};

struct Asked {
  TrainingText text;
  std::string platform, ranks;
  std::vector<std::string> set;
};

Asked asked(const sweep::Point& point) {
  Asked a;
  const std::pair<std::string_view, std::string*> slots[] = {
      {"platform", &a.platform},        {"ranks", &a.ranks},
      {"policy", &a.text.policy},       {"model", &a.text.model},
      {"framework", &a.text.framework}, {"precision", &a.text.precision},
      {"batch", &a.text.batch},         {"throughput", &a.text.throughput},
      {"slowdown", &a.text.slowdown},   {"noise", &a.text.noise},
      {"input", &a.text.input},         {"checkpoint", &a.text.checkpoint}};
  for (const sweep::Setting& s : point) {
    const auto* slot = std::ranges::find(slots, s.key, &std::pair<std::string_view, std::string*>::first);
    if (slot != std::end(slots))
      *slot->second = s.value;
    else
      a.set.push_back(s.key.substr(std::string_view("set.").size()) + '=' + s.value);
  }
  return a;
}

sweep::Rows trained(Priced& last, const sweep::Point& point) {
  const Asked a = asked(point);
  std::string name = a.platform + '\n' + a.text.policy;
  for (const std::string& assignment : a.set) name += '\n' + assignment;
  if (name != last.name || !last.forecaster) {
    last.name = name;
    last.platform = std::make_unique<Description>(load_platform(a.platform));
    set_all(*last.platform, a.set);
    last.forecaster = std::make_unique<GroupForecaster>(*last.platform, a.text.policy);
    last.price = group_prices(*last.forecaster);
  }
  workloads::Training t = described(a.text, *last.platform);
  t.ranks = parse_ranks(a.ranks);
  if (t.ranks > max_ranks(*last.platform))
    throw InputError(a.platform + " holds " + std::to_string(max_ranks(*last.platform)) + " ranks, not " +
                     a.ranks);
  sweep::Rows rows;
  Json told{{"platform", last.platform->name()}, {"model", a.text.model}};
  told.update(row(t, forecast_step(t, last.price)));
  rows.rows.push_back(std::move(told));
  return rows;
}

std::vector<report::Column> training_columns(const sweep::Space& space) {
  std::vector<report::Column> all;
  const auto words = [&](const char* key) {
    if (space.varies(key)) all.push_back({key, [key](const Json& r) { return r[key].get<std::string>(); }});
  };
  const auto numbers = [&](const char* title, const char* key, auto show) {
    all.push_back({title, [key, show](const Json& r) { return show(r[key].get<double>()); }});
  };
  words("platform"), words("model");
  all.push_back({"ranks", [](const Json& r) { return count(r["ranks"]); }});
  numbers("step", "step_s", seconds), numbers("low", "low_s", seconds), numbers("high", "high_s", seconds);
  numbers("samples/s", "samples_per_s", number), numbers("efficiency", "efficiency", text::percent);
  numbers("exposed", "exposed_communication_s", seconds);
  all.push_back({"limited by", [](const Json& r) { return r["limited_by"].get<std::string>(); }});
  return all;
}

sweep::Verb train() {
  const auto last = std::make_shared<Priced>();
  return {"train",
          training_keys,
          {"platform", "ranks", "model"},
          [last](const sweep::Point& point) { return trained(*last, point); },
          [](const sweep::Space& space) {
            for (const sweep::Axis& axis : space.axes())
              if (axis.key == "platform")
                for (const std::string& name : axis.values) load_platform(name);
          },
          training_columns,
          "step_s"};
}

}  // namespace

std::vector<sweep::Verb> sweep_verbs() {
  return {sweep::predict(), train()};
}

}  // namespace collcast::cli
