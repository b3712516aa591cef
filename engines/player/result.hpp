// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/explanation.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// The outcome of playing a program.
struct Result {
  struct OfRank {
    Seconds finish;
    Seconds compute;  ///< how long its processor computed
    Seconds exposed;  ///< communication that computation does not hide: finish - compute
    bool operator==(const OfRank&) const = default;
  };
  struct Use {
    Bytes bytes;
    Seconds busy;  ///< a port: how long it was occupied; a link: the time of the bytes at full bandwidth
    bool operator==(const Use&) const = default;
  };

  Seconds time;  ///< when the last rank is done
  std::vector<OfRank> ranks;
  std::vector<Use> ports;
  std::vector<Use> links;  ///< empty if the backend does not model links
  std::int64_t messages = 0;
  Bytes bytes;                ///< of all messages
  std::vector<Delay> chain;   ///< the last one first; empty if not asked for, or too long
  std::string stopped_short;  ///< what ranks wait for in vain; empty if all are done

  bool operator==(const Result&) const = default;
};

/// The link or port that was busy longest.
struct Bottleneck {
  std::string name;  ///< empty if no message was sent
  double busy = 0;   ///< share of the time
};
Bottleneck bottleneck(const Result& result, const Fabric& fabric);

}  // namespace collcast
