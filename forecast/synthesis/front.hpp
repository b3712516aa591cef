// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "forecast/synthesis/levels.hpp"
#include "forecast/synthesis/synthesis.hpp"

namespace collcast {

/// A schedule that was made for a machine; the algorithm's name says how.
struct SynthesizedSchedule {
  Algorithm algorithm;
  std::variant<Forest, Listing> plan;
  std::string words;  ///< what it consists of
};

/// What links allow, of a byte of the message, and what the densest schedule sends over the busiest of them.
struct Busiest {
  std::optional<SecondsPerByte> optimum;  ///< none: no method says so
  SecondsPerByte busiest;
  std::string link, name;  ///< the schedule's
  /// What no messages between the ranks' memories are below, by prices of links and ports, if that is known.
  std::optional<SecondsPerByte> by_prices;
};

/// Of all schedules that are made for a machine the fastest of each size: trees for large messages, levels
/// for small ones, paths for what each rank has for each.
class Front {
 public:
  /// `trees`: trees from each root and nothing else; 0: all methods. Once `stop` says so, the front is what
  /// was made so far. Throws InputError for collectives without a method, too many ranks, and ranks that do
  /// not reach each other. The forecaster outlives the front.
  Front(Collective collective, const Forecaster& forecaster, Rank root = 0, std::int64_t trees = 0,
        const Stop& stop = {});

  struct Fastest {
    std::shared_ptr<const SynthesizedSchedule> schedule;
    Prediction prediction;
  };
  Fastest fastest(Bytes message, const Engine& engine);

  Collective collective() const { return collective_; }
  Rank ranks() const { return forecaster_.fabric().ranks(); }
  Rank root() const { return root_; }
  const Busiest& limit() const { return limit_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// Which groups, how many meet at once on each level, and how many levels share sums.
  struct Choice {
    std::size_t groups = 0;
    std::vector<int> radices;
    int shared = 0;
    auto operator<=>(const Choice&) const = default;
  };
  std::vector<Call> in_segments(const SynthesizedSchedule& candidate, Call call) const;
  void add_trees(std::int64_t trees, const Stop& stop);
  void add_grown(const Synthesis& forest, const Stop& stop);
  void add_paths(const Stop& stop);
  std::shared_ptr<const SynthesizedSchedule> levels_by(const Choice& choice);
  std::vector<Choice> beside(const Choice& choice) const;
  Choice best_levels(std::size_t groups, const Call& call, const Engine& engine);

  Collective collective_;
  const Forecaster& forecaster_;
  Rank root_;
  bool by_levels_;
  std::vector<Group> groups_;  ///< by small messages and by large ones
  std::vector<Choice> best_;   ///< of the last size, of each of these groups
  std::map<Choice, std::shared_ptr<const SynthesizedSchedule>> levels_;
  std::vector<std::shared_ptr<const SynthesizedSchedule>> others_;
  Busiest limit_;
  std::vector<std::string> notes_;
};

/// Whether there is a method for the collective.
bool synthesizes(Collective collective);

}  // namespace collcast
