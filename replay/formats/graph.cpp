// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/graph.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include "support/error.hpp"

namespace collcast {
namespace {

constexpr int compute_stream = 0, collective_stream = 1, message_stream = 2, host_stream = 3;

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

  std::vector<std::size_t> order() const {
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    std::vector<std::size_t> open(nodes_.size());
    using Entry = std::tuple<Seconds, std::uint64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    auto push = [&](std::size_t i) { ready.push({nodes_[i].what.begin, nodes_[i].id, i}); };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      open[i] = nodes_[i].after.size();
      for (std::uint64_t id : nodes_[i].after) next[index(id)].push_back(i);
      if (open[i] == 0) push(i);
    }
    std::vector<std::size_t> all;
    while (!ready.empty()) {
      const std::size_t i = std::get<2>(ready.top());
      ready.pop();
      all.push_back(i);
      for (std::size_t j : next[i])
        if (--open[j] == 0) push(j);
    }
    if (all.size() < nodes_.size()) throw InputError(where_ + ": the dependencies of its nodes are circular");
    return all;
  }

  std::int64_t missing = 0;

 private:
  const std::string& where_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

class GraphRank {
 public:
  GraphRank(RecordedSource& source, Rank rank, const Graph& graph)
      : source_(source), rank_(rank), graph_(graph), done_(graph.size()) {
    for (std::size_t i = 0; i < graph.size(); ++i)
      device_ = device_ || (graph.node(i).what.kind == Activity::Kind::compute && !graph.node(i).host);
  }

  void build() {
    for (const std::size_t i : graph_.order()) play(i);
    std::vector<std::int64_t> left(open_.begin(), open_.end());
    if (!left.empty()) wait(left);
  }

 private:
  /// When others may go on: after record `record` of the stream, or once `request` of the message stream is
  /// waited for.
  struct Done {
    int stream = -1;
    std::int64_t record = 0, request = -1;
  };

  int stream_of(const Node& n) const {
    switch (n.what.kind) {
      case Activity::Kind::collective:
        return collective_stream;
      case Activity::Kind::send:
      case Activity::Kind::receive:
        return message_stream;
      default:
        return n.host && device_ ? host_stream : compute_stream;
    }
  }

  void play(std::size_t i) {
    const Node& n = graph_.node(i);
    const int stream = stream_of(n);
    std::map<int, std::int64_t> awaited;
    for (const std::uint64_t id : n.after) {
      Done& d = done_[graph_.index(id)];
      if (d.request >= 0) settle(d);
      if (d.stream >= 0 && d.stream != stream) awaited[d.stream] = std::max(awaited[d.stream], d.record);
    }
    for (const auto& [other, record] : awaited) {
      if (record <= known_[{stream, other}]) continue;
      Activity& a = add(stream);
      a.kind = Activity::Kind::await;
      a.stream = other;
      a.count = known_[{stream, other}] = record;
    }
    Activity& a = add(stream) = n.what;
    if (stream == host_stream) a.kind = Activity::Kind::pause;
    if (stream == message_stream) {
      a.request = requests_++;
      open_.insert(a.request);
      done_[i] = {message_stream, 0, a.request};
    } else {
      add(stream).kind = Activity::Kind::record;
      done_[i] = {stream, ++records_[stream], -1};
    }
  }

  Activity& add(int stream) { return source_.at(rank_, stream).emplace_back(); }

  void wait(const std::vector<std::int64_t>& requests) {
    Activity& a = add(message_stream);
    a.kind = Activity::Kind::wait;
    a.operation = a.call = "wait";
    a.requests = requests;
  }

  /// Lets the message stream wait for the message, and records that.
  void settle(Done& d) {
    wait({d.request});
    open_.erase(d.request);
    add(message_stream).kind = Activity::Kind::record;
    d = {message_stream, ++records_[message_stream], -1};
  }

  RecordedSource& source_;
  Rank rank_;
  const Graph& graph_;
  std::vector<Done> done_;
  std::map<int, std::int64_t> records_;
  std::map<std::pair<int, int>, std::int64_t> known_;
  std::set<std::int64_t> open_;
  std::int64_t requests_ = 0;
  bool device_ = false;
};

}  // namespace

std::int64_t add_graph(RecordedSource& source, Rank rank, std::vector<Node> nodes, const std::string& where) {
  const Graph graph(where, std::move(nodes));
  GraphRank(source, rank, graph).build();
  return graph.missing;
}

}  // namespace collcast
