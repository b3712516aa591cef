// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engines/player/timers.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// The rate of each flow: max-min fair, with a cap for each flow (Bertsekas & Gallager, Data Networks, 1992,
/// section 6.5.2).
///
/// Water-filling: all rates rise together; at its level a link is full and fixes the rates of its flows that
/// are not fixed yet. Links fill in ascending order of level. `solve` gives the exact rates but computes only
/// what changes:
/// 1. It starts at the links that flows have left or joined since the last call.
/// 2. A flow keeps its rate unless a level is reached at which it cannot: the link that fixed it is not full
///    there any more, or another of its links is full at a lower level. Only then is it filled again, and its
///    links are considered.
/// 3. A new flow that is alone on its links gets the bandwidth of the narrowest, without being filled.
/// Everything below the first changed level, and everything above that no such flow touches, stays as it is.
class Sharing {
 public:
  /// Throws InputError if a link has no bandwidth.
  explicit Sharing(const std::vector<Link>& links);

  /// Adds a new flow, whose rate the next `solve` computes. The rate of a flow without links is `cap`.
  void add(Index flow, std::span<const LinkId> route, BytesPerSecond cap);
  void remove(Index flow);
  bool changed() const { return !changed_.empty() || !added_.empty(); }
  /// Computes the rates and returns the flows whose rates changed; valid until the next call.
  std::span<const Index> solve();
  /// As of the last `solve`.
  BytesPerSecond rate(Index flow) const { return BytesPerSecond(rates_[flow]); }
  /// The link that fixes the rate, as of the last `solve`: of several the first on the flow's route;
  /// `no_link` if only its own cap does.
  LinkId held_by(Index flow) const;

 private:
  struct Hop {
    LinkId link;
    Index place;  ///< among the link's members
  };
  struct Member {
    Index flow, hop;
  };
  struct Flow {
    double before = 0, cap = 0;  ///< before: its rate before this round; B/s
    LinkId held_by = none;       ///< the link that fixes its rate, or own_cap
    std::uint32_t round = 0;     ///< the last round in which it was filled
    bool filling = false;        ///< its rate is not fixed yet
    std::vector<Hop> hops = {};
  };
  struct State {
    double capacity = 0, level = 0;  // B/s
    Index held = 0;                  ///< flows whose rates it fixes, all at its level
    std::vector<Member> members = {};
    // During a round:
    Index filling = 0;        ///< members whose rates are not fixed yet
    double left = 0;          ///< bandwidth that the members with fixed rates leave to these, B/s
    double queued = 0;        ///< the level of its first entry in `levels_`
    std::uint32_t round = 0;  ///< the round to which these fields belong
    bool full = false, stale = false;
  };
  static constexpr LinkId none = ~LinkId{0}, own_cap = none - 1;

  LinkId numbered(LinkId link);
  void touch(LinkId link);
  bool settle_alone(Index flow);
  void fill(Index flow);
  void settle(Index flow, double rate, LinkId by);
  void queue(LinkId link, double level);
  void consider(LinkId link);
  void queue_considered();
  bool releases(const State& link) const;
  bool overloaded(LinkId link) const;
  double next_level(LinkId link) const;
  double full_level(LinkId link) const;
  void reach(LinkId link, double level);
  void release(LinkId link);
  LinkId full_link(Index flow) const;
  bool take_back(LinkId link, double level);
  void close(LinkId link, double level);
  bool limits(LinkId link, double rate) const;

  std::vector<double> capacities_;  ///< by link, B/s
  std::vector<LinkId> numbers_;     ///< by link: its number among the links ever used
  std::vector<LinkId> used_;        ///< by that number: the link
  std::vector<State> links_;        ///< by that number, like all below
  std::vector<double> rates_;       ///< by flow, B/s; 0 while it is being filled
  std::vector<Flow> flows_;
  std::vector<LinkId> changed_;     ///< links that flows have left to others since the last round
  std::vector<LinkId> considered_;  ///< links whose next level is to be computed again
  std::vector<Index> added_, filled_, news_;
  Agenda<std::uint64_t> levels_;  ///< levels of links, and caps that flows may reach
  std::uint32_t round_ = 0;
};

}  // namespace collcast
