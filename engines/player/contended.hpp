// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engines/player/backend.hpp"
#include "engines/player/flows.hpp"

namespace collcast {

/// A network with contention. Ports serve their messages in order. A message that has left its port is a
/// flow, and flows share links as `flows` computes. Where messages go side by side (Wire::Next::at_once),
/// each connection has a queue of its own. If messages hold ports until delivery, the receiver's port serves
/// in order, too.
class Contended : public Backend {
 public:
  Contended(const Fabric& fabric, Flows& flows);

  void send(Index id) override;
  void run(Listener& listener) override;
  void usage(Result& result) const override;
  HeldUp held_up(Index id) const override { return log_ ? delays_[id].so_far : HeldUp(); }
  void add_holds(std::vector<CauseLog::Hold*>& all) override {
    for (Delayed& delayed : delays_) all.push_back(&delayed.so_far.behind);
    for (Holds& holds : holds_) all.push_back(&holds.last);
  }

 private:
  struct Queue {
    Index first = no_index, last = no_index;
  };
  /// A port is held by a message, by the copies of a multicast, or by messages that the network reduces to
  /// one.
  struct PortState {
    Queue queue;
    std::uint32_t holders = 0;
    Index group = no_index;
    std::optional<Merge> merge;  ///< that of the messages coming in
    Seconds since;
  };
  /// A message in the queues of its ports, or in flight.
  struct Carried {
    Port port = 0;                                      ///< where it queues to leave
    Index behind_out = no_index, behind_in = no_index;  ///< the next one in either queue
    Index with = no_index;                              ///< the next copy of its multicast in the same flow
  };

  /// Whether the port is free before the last byte of the message has passed: because software is slower than
  /// the links, or because what slows the message further on must not hold up others.
  bool leaves_early(const Wire& wire) const {
    return !to_delivery_ && (wire.software > SecondsPerByte(0) || wire.next == Wire::Next::when_due);
  }
  Port queue_of(const Message& message);
  void enqueue(Port port, Index id);
  Index& behind(Port port, Index id) {
    Carried& c = carried_[id];
    return c.port == port ? c.behind_out : c.behind_in;
  }
  void serve(Port port);
  bool may_leave(const PortState& port, const Message& message) const;
  bool may_arrive(const PortState& port, const Message& message) const;
  void take(Port port, Index group, std::optional<Merge> merge = {});
  void release(Port port);
  void begin(Index id);
  void flow(Index id);
  void start_multicasts();
  void through(Index flow, Listener& listener);
  void ended(Index id, Listener& listener);
  void waited(Index id);
  void slowed(Index id, LinkId by);
  void held(Port port);
  void handle(Event event, Listener& listener);
  std::span<const LinkId> route(const Message& message);
  void start(Index id, std::span<const LinkId> route, Bytes bytes, SecondsPerByte per_byte);
  void keep_new(std::vector<LinkId>& taken);
  void tell_use(Index id);

  const Fabric& fabric_;
  const std::vector<Link>& links_;
  const bool to_delivery_;
  Flows& flows_;
  std::vector<PortState> ports_;  ///< the network's, then those of connections
  struct Connection {
    Rank from, to;
    std::uint64_t channel;
    auto operator<=>(const Connection&) const = default;
  };
  std::map<Connection, Port> connections_;
  std::vector<Result::Use> use_;               ///< by port
  std::vector<Bytes> bytes_;                   ///< by link: what it has carried
  std::vector<Carried> carried_;               ///< by message
  std::vector<std::vector<LinkId>> branches_;  ///< by multicast: links that already carry it
  /// Messages that the network reduces to one.
  struct Confluence {
    std::int32_t missing = 0;   ///< messages that have not left yet
    std::vector<LinkId> taken;  ///< links that already carry them
  };
  std::map<Merge, Confluence> confluences_;
  struct Flowing {
    std::vector<LinkId> route;
    Bytes bytes;
    Seconds since;
  };
  std::vector<Flowing> flowing_;  ///< by message; kept if there is an observer
  /// What has held up a message.
  struct Delayed {
    Seconds since;  ///< when it reached its port, or its bytes began to flow
    HeldUp so_far;
  };
  /// The last message that held a port, and how much what holds it now is slowed further on, by which link.
  struct Holds {
    CauseLog::Hold last = 0;
    Seconds slowed;
    LinkId by = no_link;
  };
  std::vector<Delayed> delays_;  ///< by message; kept if there is a log
  std::vector<Holds> holds_;     ///< by port; kept if there is a log
  std::vector<LinkId> route_;
  std::vector<Index> setting_off_;  ///< copies of multicasts that leave at this instant
};

}  // namespace collcast
