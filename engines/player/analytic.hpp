// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engines/player/backend.hpp"
#include "engines/player/first_copy.hpp"

namespace collcast {

/// A network without contention beyond its ports, which serve messages in order of arrival.
class Analytic : public Backend {
 public:
  Analytic(const MessageProtocol& protocol, Port ports);

  void send(Index id) override;
  void run(Listener& listener) override;
  void usage(Result& result) const override { result.ports = use_; }

 private:
  /// Messages that arrive at a port as one, as the network reduces them on their way.
  struct Arrival {
    std::optional<Merge> merge;    ///< the last one
    Seconds free;                  ///< when the port was free for the first message of that merge
    std::optional<Merge> counted;  ///< the last one counted as use of the port
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

  MessageProtocol protocol_;
  std::vector<Seconds> free_;            ///< by port: when it takes the next message
  std::vector<Result::Use> use_;         ///< by port
  std::vector<ForFirstCopy> group_out_;  ///< by multicast
  std::vector<Arrival> arrivals_;        ///< by port
};

}  // namespace collcast
