// SPDX-License-Identifier: Apache-2.0
#include "replay/source/by_node.hpp"

#include <algorithm>
#include <map>

#include "support/text.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

bool is_hierarchical(const Activity& a) {
  return a.kind == Kind::collective && a.phases && a.communicator == 0;
}

/// The ranks of each node; none unless all nodes have equally many, and more than one.
std::vector<std::vector<Rank>> equal_nodes(const std::vector<int>& node) {
  std::map<int, std::vector<Rank>> by_number;
  for (std::size_t r = 0; r < node.size(); ++r) by_number[node[r]].push_back(static_cast<Rank>(r));
  std::vector<std::vector<Rank>> nodes;
  for (auto& [number, ranks] : by_number) nodes.push_back(std::move(ranks));
  const auto differs = [&](const auto& ranks) { return ranks.size() != nodes[0].size(); };
  if (nodes[0].size() == 1 || std::ranges::any_of(nodes, differs)) nodes.clear();
  return nodes;
}

/// Whether in some hierarchical collectives all ranks of a node talk to other nodes, each with its share;
/// else only the node's first rank does.
bool in_shares(const Source& source) {
  bool shares = false;
  Activity a;
  for (int s = 0; s < source.streams(0); ++s)
    for (const auto stream = source.stream(0, s); stream->next(a) && !shares;)
      if (is_hierarchical(a))
        for (const Phase& phase : *a.phases) shares |= phase.collective == Collective::reduce_scatter;
  return shares;
}

/// The communicators of a rank: that of its node, and that of the ranks in its place on all nodes.
struct Seat {
  int node, across = -1;
};

/// A stream in which hierarchical collectives are replaced by their phases.
class Phased : public Activities {
 public:
  Phased(std::unique_ptr<Activities> activities, Seat seat, int ranks_of_node)
      : activities_(std::move(activities)), seat_(seat), ranks_of_node_(ranks_of_node) {}

  bool next(Activity& activity) override {
    while (next_ == phases_.size()) {
      if (!activities_->next(activity)) return false;
      if (!is_hierarchical(activity)) return true;
      begin(activity);
    }
    activity = phases_[next_++];
    return true;
  }

 private:
  void begin(const Activity& whole) {
    phases_.clear(), next_ = 0;
    bool shares = false;
    Seconds at = whole.begin;
    for (const Phase& phase : *whole.phases) {
      Activity a = whole;
      a.phases.reset();
      a.collective = phase.collective;
      a.operation = a.call = definition(phase.collective).name;
      a.begin = at, a.duration = phase.duration;
      if (at >= Seconds() && phase.duration >= Seconds()) at += phase.duration;
      const bool across = phase.collective == Collective::allreduce;
      a.communicator = across ? seat_.across : seat_.node;
      if (across && shares) a.message = whole.message / ranks_of_node_;
      shares |= phase.collective == Collective::reduce_scatter;
      if (a.communicator >= 0) phases_.push_back(std::move(a));
    }
  }

  std::unique_ptr<Activities> activities_;
  Seat seat_;
  int ranks_of_node_;
  std::vector<Activity> phases_;  ///< phases of the collective under way
  std::size_t next_ = 0;
};

class ByNode : public Source {
 public:
  ByNode(const Source& source, const std::vector<std::vector<Rank>>& nodes)
      : source_(source),
        info_(source.info()),
        communicators_(source.communicators()),
        seats_(static_cast<std::size_t>(source.ranks())),
        ranks_of_node_(static_cast<int>(nodes[0].size())) {
    const std::size_t places = in_shares(source) ? nodes[0].size() : 1;
    for (const std::vector<Rank>& ranks : nodes) {
      for (const Rank r : ranks) seat(r).node = static_cast<int>(communicators_.size());
      communicators_.push_back(ranks);
    }
    for (std::size_t place = 0; place < places; ++place) {
      std::vector<Rank> across;
      for (const std::vector<Rank>& ranks : nodes) {
        across.push_back(ranks[place]);
        seat(ranks[place]).across = static_cast<int>(communicators_.size());
      }
      communicators_.push_back(std::move(across));
    }
    info_.notes.push_back(text::count(info_.by_node) +
                          " collectives go node by node: " + std::to_string(nodes.size()) + " nodes of " +
                          std::to_string(ranks_of_node_) + " ranks, as the platform has them");
  }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return communicators_; }
  int streams(Rank rank) const override { return source_.streams(rank); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    return std::make_unique<Phased>(source_.stream(rank, stream), seats_[static_cast<std::size_t>(rank)],
                                    ranks_of_node_);
  }

 private:
  Seat& seat(Rank r) { return seats_[static_cast<std::size_t>(r)]; }

  const Source& source_;
  SourceInfo info_;
  std::vector<std::vector<Rank>> communicators_;
  std::vector<Seat> seats_;  ///< by rank
  int ranks_of_node_;
};

}  // namespace

std::unique_ptr<Source> by_node(const Source& source, const std::vector<int>& node) {
  const auto nodes = source.info().by_node ? equal_nodes(node) : std::vector<std::vector<Rank>>();
  return nodes.empty() ? nullptr : std::make_unique<ByNode>(source, nodes);
}

}  // namespace collcast
