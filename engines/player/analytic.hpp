// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engines/player/backend.hpp"
#include "engines/player/timers.hpp"

namespace collcast {

/// A network without contention beyond its ports, which serve messages in order of arrival.
class Analytic : public Backend {
 public:
  Analytic(const Protocol& protocol, Port ports);

  Seconds now() const override { return now_; }
  void after(Seconds delay, Event event) override { timers_.at(now_ + delay, event); }
  void send(Index id, const Message& message) override;
  void run(Listener& listener) override;
  void usage(Result& result) const override { result.ports = use_; }

 private:
  /// A message under way whose first byte has not yet come to the receiver's port.
  struct Head {
    Seconds transmission, occupied;
    Bytes bytes;
    Port in;
    std::optional<Merge> merge;
  };
  /// What comes to a port as one, when the port was free for it, and what was last counted as its use.
  struct Arrival {
    std::optional<Merge> merge;
    Seconds free;
    std::optional<Merge> counted;
  };

  void deliver(Index id, const Message& message, Seconds out);
  void inject(Index id, const Message& message, Seconds out);
  void reach(Index id);
  Seconds out_free(const Message& message);
  Seconds in_free(Port in, const std::optional<Merge>& merge);
  static std::optional<Merge> merge_of(const Message& m) {
    return m.merged ? std::optional(Merge(m)) : std::nullopt;
  }
  void occupy(const Message& message, Seconds out, Seconds in);

  Protocol protocol_;
  Timers timers_;
  Seconds now_;
  std::vector<Seconds> free_;       ///< per port
  std::vector<Result::Use> use_;    ///< per port
  std::vector<Head> heads_;         ///< per message
  std::vector<Seconds> group_out_;  ///< per multicast: when its port was free for the first copy
  std::vector<Arrival> arrivals_;   ///< per port: what the network reduced last on the way to it
};

}  // namespace collcast
