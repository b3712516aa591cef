// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/explanation.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// What playing a program took.
struct Result {
  struct OfRank {
    Seconds finish;
    Seconds compute;  ///< its processor was busy
    Seconds exposed;  ///< of `finish`: neither computing nor done, that is, held up by communication
    bool operator==(const OfRank&) const = default;
  };
  struct Use {
    Bytes bytes;
    Seconds busy;  ///< ports: occupied; links: the time that the bytes take at full bandwidth
    bool operator==(const Use&) const = default;
  };

  Seconds time;  ///< when the last rank is done
  std::vector<OfRank> ranks;
  std::vector<Use> ports;
  std::vector<Use> links;  ///< empty if the backend does not know of links
  std::int64_t messages = 0;
  Bytes bytes;                 ///< sent, of all messages
  std::vector<Stretch> chain;  ///< of causes, the last one first, if it was asked for and is not too long
  std::string stopped_short;   ///< what ranks wait for in vain; empty if all are done

  bool operator==(const Result&) const = default;
};

/// The link or port that was busy the longest.
struct Bottleneck {
  std::string name;  ///< empty if no message was sent
  double busy = 0;   ///< its share of the time
};
Bottleneck bottleneck(const Result& result, const Fabric& fabric);

}  // namespace collcast
