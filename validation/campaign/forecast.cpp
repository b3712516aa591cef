// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/forecast.hpp"

#include <map>
#include <set>

#include "engines/simulated.hpp"
#include "engines/smpi/smpi.hpp"
#include "forecast/predict.hpp"
#include "model/compose.hpp"
#include "model/critical_path.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "validation/campaign/controls.hpp"

namespace collcast::campaign {
namespace {

/// The platform with the number of ranks of each point. Data lie in host memory, as with MPI's players.
class Testbed {
 public:
  explicit Testbed(Description description) : description_(std::move(description)) {}

  const Fabric& fabric(Rank ranks) const {
    auto& seated = seated_[ranks];
    if (!seated) seated = std::make_unique<Seated>(description_, ranks);
    return seated->fabric;
  }

 private:
  struct Seated {
    Machine machine;
    HomeFabric fabric;
    Seated(const Description& d, Rank ranks) : machine(d, ranks), fabric(machine, Memory::host) {}
  };
  Description description_;
  mutable std::map<Rank, std::unique_ptr<Seated>> seated_;
};

/// The schedule that a point plays.
using Plan = std::function<Schedule(const Point&)>;

/// The schedule with a last step in which each receiver of multicasts tells the senders that it has
/// everything, as multicasts over IP need it.
Schedule acknowledged(const Schedule& schedule) {
  std::set<std::pair<Rank, Rank>> heard;  // receiver, sender
  for_each_step(schedule, false, [&](const Step& step) {
    for (const Multicast& m : step.multicasts)
      m.for_each_receiver([&](Rank r) { heard.emplace(r, m.from.rank); });
  });
  Schedule words = idle(schedule.ranks, schedule.blocks);
  words.steps = 1;
  words.rule = [heard](std::int64_t, Step& step) {
    for (const auto& [receiver, sender] : heard) step.send(receiver, sender, {0, 0});
  };
  return then(schedule, words);
}

Plan plan(const MeasurementSettings& settings) {
  if (settings.multicast.empty()) return schedule;
  return [](const Point& point) { return acknowledged(schedule(point)); };
}

template <AnyNetwork Network>
Seconds by_path(const Schedule& s, const Point& point, const Network& network) {
  return critical_path(s, layout(point, s), network).time;
}

Seconds by_engine(const Engine& engine, Schedule s, const Point& point, const Fabric& fabric) {
  Layout sizes = layout(point, s);
  return read(engine, {std::move(s), std::move(sizes)}, fabric).time;
}

bool moves_in_network(const Schedule& schedule) {
  bool any = false;
  for_each_step(schedule, false,
                [&](const Step& step) { any = any || !step.multicasts.empty() || !step.reductions.empty(); });
  return any;
}

Description nominal(const Campaign& campaign) {
  Description description = load_platform(campaign.nominal_platform);
  set_all(description, campaign.nominal_set);
  return description;
}

/// Predictors of overlap. A rank begins its collective, and looks at its messages again when it has computed;
/// workers make it progress meanwhile.
std::vector<Predictor> of_overlap(const std::shared_ptr<Testbed>& testbed, int workers) {
  using enum Predictor::Role;
  const auto alone = [testbed](const Point& p) {
    return by_path(schedule(p), p, testbed->fabric(p.ranks()));
  };
  const auto with_computation = [testbed, alone](const Point& p) {
    const Schedule s = schedule(p);
    return critical_path(s, layout(p, s), testbed->fabric(p.ranks()), alone(p)).time;
  };
  const std::string what = workers > 0 ? "critical path, brought on by workers"
                                       : "critical path of ranks that are away while they compute";
  return {
      {"path", engine, what, workers > 0 ? std::function<Seconds(const Point&)>(alone) : with_computation},
      {all_hidden, control, "critical path, nothing of it shows", alone},
      {"nothing-hidden", control, "critical path, all of it shows",
       [alone](const Point& p) { return 2 * alone(p); }}};
}

}  // namespace

std::string to_string(Predictor::Role role) {
  static const char* const names[] = {"engine", "control", "peer"};
  return names[static_cast<std::size_t>(role)];
}

std::vector<Predictor> predictors(const Description& platform, const Campaign& campaign,
                                  const std::string& tools) {
  using enum Predictor::Role;
  const auto testbed = std::make_shared<Testbed>(platform);
  if (campaign.settings.overlap_workers) return of_overlap(testbed, *campaign.settings.overlap_workers);
  const Plan plays = plan(campaign.settings);
  const auto path_on = [plays](const std::shared_ptr<Testbed>& on) {
    return [plays, on](const Point& p) { return by_path(plays(p), p, on->fabric(p.ranks())); };
  };
  std::vector<Predictor> all;
  for (const Engine& e : engines())
    if (e.play && e.built())
      all.push_back({std::string(e.name), engine, std::string(e.what), [plays, testbed, &e](const Point& p) {
                       return by_engine(e, plays(p), p, testbed->fabric(p.ranks()));
                     }});
  all.push_back({"bandwidth-only", control, "critical path, all latencies and overheads 0",
                 path_on(std::make_shared<Testbed>(without_times(platform)))});
  all.push_back({"half-duplex", control, "critical path, a NIC sends or receives but not both at once",
                 [plays, testbed](const Point& p) {
                   return by_path(plays(p), p, HalfDuplex(testbed->fabric(p.ranks())));
                 }});
  if (can_simulate())
    all.push_back({"fair-sharing", control, "SimGrid, connections share a NIC fairly instead of in order",
                   [plays, testbed](const Point& p) {
                     const FairNic fair(testbed->fabric(p.ranks()));
                     return by_engine(collcast::engine("simgrid"), plays(p), p, fair);
                   }});
  if (!campaign.nominal_platform.empty())
    all.push_back({"nominal", control, "critical path, nominal instead of calibrated parameters",
                   path_on(std::make_shared<Testbed>(nominal(campaign)))});
  if (smpi::available())
    for (const smpi::Settings& settings : smpi::settings())
      all.push_back({settings.name, settings.defaults ? control : peer, settings.what,
                     [testbed, tools, &settings](const Point& p) -> std::optional<Seconds> {
                       const Schedule s = schedule(p);
                       if (moves_in_network(s)) return std::nullopt;
                       return smpi::simulate(s, layout(p, s), testbed->fabric(p.ranks()), settings, tools);
                     }});
  return all;
}

Json engine_times(const Campaign& campaign, const Description& platform) {
  const std::vector<Predictor> all = predictors(platform, campaign, {});
  Json rows = Json::array();
  for (const Point& point : settle(campaign, platform)) {
    if (!point.algorithm) continue;
    rows.push_back(to_json(point));
    for (const Predictor& p : all)
      if (p.role == Predictor::Role::engine)
        if (const auto time = p.predict(point)) rows.back()[p.name] = time->value;
  }
  return rows;
}

std::vector<Point> settle(const Campaign& campaign, const Description& platform) {
  const Testbed testbed(platform);
  std::vector<Point> points;
  for (const PlannedPoint& planned : campaign.points) {
    Point p = planned.point;
    const Fabric& fabric = testbed.fabric(p.ranks());  // throws unless the platform holds so many ranks
    if (planned.segments == PlannedPoint::Segments::best) p.call = segmented(fabric, *p.algorithm, p.call);
    points.push_back(p);
  }
  return points;
}

}  // namespace collcast::campaign
