// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engines/player/timers.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Which rate each flow gets on its links: max-min fair, none above its own cap.
///
/// Exact, and only what changes is computed again. Links fill in rising order of level, the rate at which
/// they are full. A flow keeps its rate until a level is reached at which it cannot: the link that held it
/// back is no longer full there, or one of its links is full below that rate. Only then do the flow and its
/// links join the filling. So what lies below the first change is not looked at (every level is the lowest
/// that is left), and what lies above only where it is touched.
class Sharing {
 public:
  /// Throws InputError if a link has no bandwidth.
  explicit Sharing(const std::vector<Link>& links);

  /// A flow that is not there yet comes to its links; `solve` gives it a rate. A flow without links gets
  /// `cap`.
  void add(Index flow, std::span<const LinkId> route, BytesPerSecond cap);
  void remove(Index flow);
  bool changed() const { return !changed_.empty() || !added_.empty(); }
  /// The flows whose rates are new: until the next call.
  std::span<const Index> solve();
  /// As last solved.
  BytesPerSecond rate(Index flow) const { return BytesPerSecond(rates_[flow]); }

 private:
  struct Hop {
    LinkId link;
    Index place;  ///< among the link's members
  };
  struct Member {
    Index flow, hop;
  };
  struct Flow {
    double before = 0, cap = 0;  ///< its rate before this round; B/s
    LinkId held_by = none;
    std::uint32_t round = 0;  ///< the last one in which it was filled
    bool filling = false;
  };
  struct State {
    double capacity = 0, level = 0;  // B/s
    Index held = 0;                  ///< flows that it holds back, all at its level
    // During a round:
    Index filling = 0;        ///< members that are being filled
    double left = 0;          ///< what its other members leave to them, B/s
    double queued = 0;        ///< its first entry in `levels_`
    std::uint32_t round = 0;  ///< in which these hold
    bool full = false, stale = false;
  };
  static constexpr LinkId none = ~LinkId{0}, own_cap = none - 1;

  LinkId numbered(LinkId link);
  void touch(LinkId link);
  void fill(Index flow);
  void settle(Index flow, double rate, LinkId by);
  void queue(LinkId link, double level);
  void consider(LinkId link);
  void queue_considered();
  bool lets_go(const State& link) const;
  bool overloaded(LinkId link) const;
  double next_level(LinkId link) const;
  double full_level(LinkId link) const;
  void reach(LinkId link, double level);
  void let_go(LinkId link);
  LinkId full_link(Index flow) const;
  bool take_back(LinkId link, double level);
  void close(LinkId link, double level);

  std::vector<double> capacities_;            ///< of all links, B/s
  std::vector<LinkId> numbers_;               ///< of those that a flow has come to, which alone have a state
  std::vector<State> links_;                  ///< by number, as everywhere below
  std::vector<std::vector<Member>> members_;  ///< per link
  std::vector<double> rates_;                 ///< per flow, B/s; 0 while it is being filled
  std::vector<Flow> flows_;
  std::vector<std::vector<Hop>> hops_;  ///< per flow
  std::vector<LinkId> changed_;         ///< links that flows have left since the last round
  std::vector<LinkId> considered_;      ///< links whose next level is to be computed again
  std::vector<Index> added_, filled_, news_;
  Agenda<std::uint64_t> levels_;  ///< of links, and of flows that may reach their caps
  std::uint32_t round_ = 0;
};

}  // namespace collcast
