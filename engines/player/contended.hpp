// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engines/player/backend.hpp"
#include "engines/player/flows.hpp"
#include "engines/player/timers.hpp"

namespace collcast {

/// The network of a fabric with contention: ports serve their messages in order, and the flows of the
/// messages that have left share the links, as `flows` has it. Where ports are held until delivery the
/// receiver's port serves in order too.
class Contended : public Backend {
 public:
  Contended(const Fabric& fabric, Flows& flows);

  Seconds now() const override { return now_; }
  void after(Seconds delay, Event event) override { timers_.at(now_ + delay, event); }
  void send(Index id, const Message& message) override;
  void run(Listener& listener) override;
  void usage(Result& result) const override;

 private:
  struct Queue {
    Index first = no_index, last = no_index;
  };
  /// Held by a message, by the copies of a multicast, or by what the network reduces into one.
  struct PortState {
    Queue queue;
    std::uint32_t holders = 0;
    Index group = no_index;
    std::optional<Merge> merge;  ///< of what comes in
    Seconds since;
  };
  /// A message at its ports or under way.
  struct Carried {
    Message message;
    Index behind_out = no_index, behind_in = no_index;
    Index with = no_index;  ///< the next copy of its multicast in the same flow
  };

  /// It is slower than its links by software: its ports are free before it is through.
  bool leaves_early(const Wire& wire) const { return !to_delivery_ && wire.software > SecondsPerByte(0); }
  void enqueue(Port port, Index id);
  Index& behind(Port port, Index id) {
    Carried& c = carried_[id];
    return c.message.wire.out == port ? c.behind_out : c.behind_in;
  }
  void serve(Port port);
  bool may_leave(const PortState& port, const Message& message) const;
  bool may_arrive(const PortState& port, const Message& message) const;
  void take(Port port, Index group, std::optional<Merge> merge = {});
  void release(Port port);
  void begin(Index id);
  void flow(Index id);
  void start_multicasts();
  void ended(Index id, Listener& listener);
  void handle(Event event, Listener& listener);
  std::span<const LinkId> route(const Message& message);
  void start(Index id, std::span<const LinkId> route, Bytes bytes, SecondsPerByte per_byte);
  void keep_new(std::vector<LinkId>& taken);
  void tell_use(Index id);

  const Fabric& fabric_;
  const bool to_delivery_;
  Flows& flows_;
  Timers timers_;
  Seconds now_;
  std::vector<PortState> ports_;
  std::vector<Result::Use> use_;               ///< per port
  std::vector<Bytes> bytes_;                   ///< per link: what it has carried
  std::vector<Carried> carried_;               ///< per message
  std::vector<std::vector<LinkId>> branches_;  ///< per multicast: links that carry it already
  struct Confluence {
    std::int32_t missing = 0;  ///< messages that have not set off
    std::vector<LinkId> taken;
  };
  std::map<Merge, Confluence> confluences_;  ///< the same, of what the network reduces
  struct Flowing {
    std::vector<LinkId> route;
    Bytes bytes;
    Seconds since;
  };
  std::vector<Flowing> flowing_;  ///< per message, where somebody watches
  std::vector<LinkId> route_;
  std::vector<Index> setting_off_;  ///< copies of multicasts at this instant
};

}  // namespace collcast
