// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "forecast/synthesis/growing.hpp"
#include "forecast/synthesis/levels.hpp"
#include "forecast/synthesis/synthesis.hpp"

namespace collcast {

/// A schedule made for a machine; the algorithm's name says by which method.
struct SynthesizedSchedule {
  Algorithm algorithm;
  std::variant<Forest, Listing> plan;
  std::string words;  ///< what it consists of, for people
};

/// How long a byte of the message takes on what a schedule keeps the busiest.
struct Reached {
  SecondsPerByte busiest = SecondsPerByte(HUGE_VAL);
  std::string where, name;  ///< the link or port, and the schedule's name
};

/// How long a byte of the message takes: the least possible, and what the best schedule for large messages
/// reaches.
struct Limit {
  std::optional<SecondsPerByte> optimum;  ///< on links; none: not known
  Reached on_links;
  /// A lower bound for any messages between the ranks' memories, by prices of links and ports, if known.
  std::optional<SecondsPerByte> by_prices;
  Reached on_both;  ///< on links and ports
};

/// The fastest schedule made for a machine, for each message size: trees for large messages, levels for small
/// ones, paths for alltoall.
class Front {
 public:
  /// `trees`: so many trees from each root, and no other method; 0: all methods. After `stop` the front has
  /// only what was made so far, and chooses among what it has priced. Throws InputError for collectives
  /// without a method, too many ranks, and ranks that do not reach each other. The forecaster outlives the
  /// front.
  Front(Collective collective, const Forecaster& forecaster, Rank root = 0, std::int64_t trees = 0,
        const Stop& stop = {});

  struct Fastest {
    std::shared_ptr<const SynthesizedSchedule> schedule;
    Prediction prediction;  ///< of `schedule`, whose algorithm it refers to
  };
  Fastest fastest(Bytes message, const Engine& engine);

  /// A schedule in the segments that suit it.
  struct Priced {
    std::shared_ptr<const SynthesizedSchedule> schedule;
    Call call;
    Seconds time;
  };
  /// The best of each method; after `stop`, of those that were priced so far, at least one.
  std::vector<Priced> priced(Bytes message, const Engine& engine);

  Collective collective() const { return collective_; }
  Rank ranks() const { return forecaster_.fabric().ranks(); }
  Rank root() const { return root_; }
  const Limit& limit() const { return limit_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The note of a front that was stopped.
  static constexpr std::string_view best_so_far =
      "interrupted: what follows is the best of what was made so far";

 private:
  /// Which groups, how many meet at once on each level, and how many levels share sums.
  struct Choice {
    std::size_t groups = 0;
    std::vector<int> radices;
    int shared = 0;
    auto operator<=>(const Choice&) const = default;
  };
  /// Whether `stop` asks to end; if so, adds a note.
  bool stopped();
  std::vector<Call> in_segments(const SynthesizedSchedule& candidate, Call call);
  Priced priced(std::shared_ptr<const SynthesizedSchedule> candidate, const Call& call, const Engine& engine);
  void add_chains();
  void add_trees(std::int64_t trees);
  void add_unpacked(std::int64_t trees, const NoTrees& none);
  void add_grown(const Forest& like, SecondsPerByte optimum, std::span<const std::int64_t> numbers);
  void keep_least_busy(const EdgeUses& uses, const Forest& forest, const std::string& name);
  void add_paths();
  std::shared_ptr<const SynthesizedSchedule> in_time(Bytes message);
  std::shared_ptr<const SynthesizedSchedule> levels_by(const Choice& choice);
  std::vector<Choice> beside(const Choice& choice) const;
  Choice best_levels(std::size_t groups, const Call& call, const Engine& engine);

  Collective collective_;
  const Forecaster& forecaster_;
  Rank root_;
  Stop stop_;
  bool by_levels_;
  std::vector<Group> groups_;  ///< as near ranks group for small messages, and for large ones
  std::vector<Choice> best_;   ///< for each of `groups_`: the best at the last size
  std::map<Choice, std::shared_ptr<const SynthesizedSchedule>> levels_;
  std::vector<std::shared_ptr<const SynthesizedSchedule>> others_;
  Limit limit_;
  std::vector<std::string> notes_;
};

/// Whether there is a method for the collective.
bool synthesizes(Collective collective);

}  // namespace collcast
