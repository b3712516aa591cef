// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include "support/error.hpp"

namespace collcast {
namespace {

bool is_message(const Node& n) {
  return n.what.kind == Activity::Kind::send || n.what.kind == Activity::Kind::receive;
}
bool communicates(const Node& n) {
  return is_message(n) || n.what.kind == Activity::Kind::collective;
}

/// One rank's nodes, in an order in which each comes after those that it depends on.
class Graph {
 public:
  Graph(const std::string& where, std::vector<Node> nodes) : where_(where), nodes_(std::move(nodes)) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!index_.emplace(nodes_[i].id, i).second)
        throw InputError(where + ": has node " + std::to_string(nodes_[i].id) + " twice");
    for (Node& n : nodes_) {
      std::ranges::sort(n.after);
      n.after.erase(std::unique(n.after.begin(), n.after.end()), n.after.end());
      missing += static_cast<std::int64_t>(
          std::erase_if(n.after, [&](std::uint64_t id) { return !index_.contains(id); }));
    }
  }

  const Node& node(std::size_t i) const { return nodes_[i]; }
  std::size_t index(std::uint64_t id) const { return index_.at(id); }
  std::size_t size() const { return nodes_.size(); }

  /// How many other nodes depend on node `i`; known after `order`.
  std::size_t dependents(std::size_t i) const { return dependents_[i]; }

  /// Numbers the messages of each direction, peer and tag.
  void number_messages() {
    if (std::ranges::none_of(nodes_, is_message)) return;
    std::map<std::tuple<Activity::Kind, Rank, int>, std::int64_t> next;
    for (const std::size_t i : order()) {
      if (!is_message(nodes_[i])) continue;
      Activity& a = nodes_[i].what;
      const bool sends = a.kind == Activity::Kind::send;
      a.number = next[{a.kind, sends ? a.to : a.from, sends ? a.tag : a.received_tag}]++;
    }
  }

  /// An order by dependencies. Of the nodes that are ready, the one that began first comes first; if begins
  /// are not known, the one after the fewest communications.
  std::vector<std::size_t> order() {
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    std::vector<std::size_t> open(nodes_.size()), depth(nodes_.size());
    using Entry = std::tuple<Seconds, std::size_t, std::uint64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    auto push = [&](std::size_t i) { ready.push({nodes_[i].what.begin, depth[i], nodes_[i].id, i}); };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      open[i] = nodes_[i].after.size();
      for (std::uint64_t id : nodes_[i].after) next[index(id)].push_back(i);
      if (open[i] == 0) push(i);
    }
    std::vector<std::size_t> all;
    while (!ready.empty()) {
      const std::size_t i = std::get<3>(ready.top());
      ready.pop();
      all.push_back(i);
      for (std::size_t j : next[i]) {
        depth[j] = std::max(depth[j], depth[i] + communicates(nodes_[i]));
        if (--open[j] == 0) push(j);
      }
    }
    if (all.size() < nodes_.size()) throw InputError(where_ + ": the dependencies of its nodes are circular");
    dependents_.clear();
    for (const auto& after : next) dependents_.push_back(after.size());
    return all;
  }

  std::int64_t missing = 0;

 private:
  const std::string& where_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<std::size_t> dependents_;
};

/// The record that each stream has come to when a node may begin, as its dependencies tell.
using Progress = std::vector<std::int64_t>;  ///< by stream; 0 for streams beyond the vector's end
using SharedProgress = std::shared_ptr<const Progress>;

class GraphRank {
 public:
  GraphRank(RecordedSource& source, Rank rank, Graph& graph)
      : source_(source), rank_(rank), graph_(graph), done_(graph.size()), ends_(1), computing_{0} {
    ends_[0].computes = true;
    for (std::size_t i = 0; i < graph.size(); ++i)
      device_ = device_ || (graph.node(i).what.kind == Activity::Kind::compute && !graph.node(i).host);
  }

  void build() {
    constexpr std::size_t most_open = 1024;
    std::size_t played = 0;
    for (const std::size_t i : graph_.order()) {
      play(i);
      if (++played % most_open == 0) source_.pack(rank_);
      for (const std::uint64_t id : graph_.node(i).after)
        if (Done& d = done_[graph_.index(id)]; --d.dependents == 0) d.progress = nullptr;
    }
    for (auto& [stream, requests] : open_) wait(stream, std::move(requests));
    source_.pack(rank_);
  }

 private:
  /// A stream of this rank, so far.
  struct End {
    bool computes = false;
    std::int64_t records = 0;
    bool recorded = true;                                    ///< a record followed the last node on it
    SharedProgress progress = std::make_shared<Progress>();  ///< when the last node on it began
  };
  /// When the nodes that depend on a node may go on: after record `record` of its stream.
  struct Done {
    int stream = 0;
    std::int64_t record = 0;
    SharedProgress progress;  ///< when the node began
    std::size_t dependents = 0;
  };

  void play(std::size_t i) {
    const Node& n = graph_.node(i);
    const SharedProgress progress = progress_before(n);
    const int stream = stream_of(n, *progress);
    End& end = ends_[static_cast<std::size_t>(stream)];
    end.progress = progress, end.recorded = graph_.dependents(i) > 0;
    await(stream, n);
    Activity& a = add(stream) = n.what;
    if (stream == host_ && a.kind == Activity::Kind::compute) a.kind = Activity::Kind::pause;
    if (is_message(n)) {
      a.request = requests_++;
      if (!end.recorded) return open_[stream].push_back(a.request);
      wait(stream, {a.request});
    }
    if (!end.recorded) return;
    add(stream).kind = Activity::Kind::record;
    done_[i] = {stream, ++end.records, progress, graph_.dependents(i)};
  }

  SharedProgress progress_before(const Node& n) const {
    std::set<SharedProgress> before;
    auto all = std::make_shared<Progress>(ends_.size());
    for (const std::uint64_t id : n.after) {
      const Done& d = done_[graph_.index(id)];
      auto& own = (*all)[static_cast<std::size_t>(d.stream)];
      own = std::max(own, d.record);
      if (before.insert(d.progress).second)
        std::ranges::transform(*d.progress, *all, all->begin(),
                               [](auto a, auto b) { return std::max(a, b); });
    }
    while (!all->empty() && all->back() == 0) all->pop_back();
    all->shrink_to_fit();
    return all;
  }

  /// A stream on which the node waits only for its dependencies and the processor. The collectives of a
  /// communicator match in their order, so they have one stream, and so do the host's operations.
  int stream_of(const Node& n, const Progress& progress) {
    if (n.what.kind == Activity::Kind::collective) {
      const auto [found, is_new] = collectives_.try_emplace(n.what.communicator, 0);
      return is_new ? found->second = new_stream() : found->second;
    }
    if (n.host && device_ && !is_message(n)) return host_ < 0 ? host_ = new_stream() : host_;
    if (is_message(n)) {
      // The stream that was unused the longest is the likeliest to be free.
      for (std::size_t looked = 0; looked < std::min<std::size_t>(messages_.size(), 16); ++looked) {
        messages_.push_back(messages_.front());
        messages_.pop_front();
        if (free(messages_.back(), progress)) return messages_.back();
      }
      return messages_.emplace_back(new_stream());
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(computing_.size(), 16); ++i)
      if (free(computing_[i], progress)) return computing_[i];
    ends_[static_cast<std::size_t>(computing_.emplace_back(new_stream()))].computes = true;
    return computing_.back();
  }

  /// Whether a node would not wait on the stream: by the time it may begin, the last node there has ended, or
  /// that only computes or has begun.
  bool free(int stream, const Progress& progress) const {
    const auto reached = [&](std::size_t other, std::int64_t record) {
      return record <= (other < progress.size() ? progress[other] : 0);
    };
    const auto s = static_cast<std::size_t>(stream);
    const End& end = ends_[s];
    if (!end.computes && !reached(s, end.records)) return false;
    if (!end.computes && end.recorded) return true;
    for (std::size_t i = 0; i < end.progress->size(); ++i)
      if (!(end.computes && ends_[i].computes) && !reached(i, (*end.progress)[i])) return false;
    return true;
  }

  int new_stream() {
    ends_.emplace_back();
    return static_cast<int>(ends_.size()) - 1;
  }

  void await(int stream, const Node& n) {
    std::map<int, std::int64_t> awaited;
    for (const std::uint64_t id : n.after) {
      const Done& d = done_[graph_.index(id)];
      if (d.stream != stream) awaited[d.stream] = std::max(awaited[d.stream], d.record);
    }
    for (const auto& [other, record] : awaited) {
      if (record <= known_[{stream, other}]) continue;
      add(stream) = await_activity(other, known_[{stream, other}] = record);
    }
  }

  Activity& add(int stream) {
    while (std::ssize(streams_) <= stream)
      streams_.push_back(&source_.at(rank_, static_cast<int>(std::ssize(streams_))));
    return streams_[static_cast<std::size_t>(stream)]->emplace_back();
  }

  void wait(int stream, std::vector<std::int64_t> requests) {
    add(stream) = wait_activity(std::move(requests));
  }

  RecordedSource& source_;
  Rank rank_;
  Graph& graph_;
  std::vector<RecordedSource::Stream*> streams_;  ///< what is not packed yet
  std::vector<Done> done_;
  std::vector<End> ends_;  ///< of each stream
  std::vector<int> computing_;
  std::deque<int> messages_;
  std::map<int, int> collectives_;  ///< the stream of each communicator
  int host_ = -1;
  std::map<std::pair<int, int>, std::int64_t> known_;
  std::map<int, std::vector<std::int64_t>> open_;  ///< by stream: messages that no node depends on
  std::int64_t requests_ = 0;
  bool device_ = false;
};

/// A sender, a receiver and a tag.
struct TaggedLine {
  Rank from, to;
  int tag;
  auto operator<=>(const TaggedLine&) const = default;
};

/// Visits messages with their lines and streams.
template <class Visit>
auto by_line(Visit visit) {
  return [visit](Rank r, int stream, auto& a) {
    if (a.kind == Activity::Kind::send)
      visit(a, TaggedLine{r, a.to, a.tag}, stream);
    else if (a.kind == Activity::Kind::receive)
      visit(a, TaggedLine{a.from, r, a.received_tag}, stream);
  };
}

/// Gives messages tags that no file has, by their tag and number. Tags of collectives remain tags of
/// collectives.
class FreshTags {
 public:
  explicit FreshTags(std::set<int> used) : used_(std::move(used)) {}

  int operator()(int tag, std::int64_t number) {
    const auto [known, is_new] = tags_.try_emplace({tag, number}, 0);
    if (!is_new) return known->second;
    int& next = tag < first_collective_tag ? message_ : collective_;
    while (used_.contains(next)) ++next;
    return known->second = next++;
  }

 private:
  std::set<int> used_;
  std::map<std::pair<int, std::int64_t>, int> tags_;
  int message_ = 0, collective_ = first_collective_tag;
};

}  // namespace

std::int64_t add_graph(RecordedSource& source, Rank rank, std::vector<Node> nodes, const std::string& where) {
  Graph graph(where, std::move(nodes));
  graph.number_messages();
  GraphRank(source, rank, graph).build();
  return graph.missing;
}

void match_in_order(RecordedSource& source) {
  struct End {
    int stream;
    std::int64_t next = 0;
  };
  std::map<std::pair<TaggedLine, Activity::Kind>, End> ends;
  std::set<TaggedLine> apart;  // lines with messages that are not in order on one stream
  std::set<int> used;
  source.for_each(by_line([&](const Activity& a, const TaggedLine& line, int stream) {
    End& end = ends.try_emplace({line, a.kind}, End{stream}).first->second;
    if (end.stream != stream || end.next++ != a.number) apart.insert(line);
    used.insert(line.tag);
  }));
  FreshTags tags(std::move(used));
  source.edit(by_line([&](Activity& a, const TaggedLine& line, int) {
    if (a.number > 0 && apart.contains(line))
      (a.kind == Activity::Kind::send ? a.tag : a.received_tag) = tags(line.tag, a.number);
    a.number = -1;
  }));
}

}  // namespace collcast
