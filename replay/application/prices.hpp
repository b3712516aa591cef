// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "forecast/group.hpp"
#include "platforms/machine/machine.hpp"
#include "replay/source/source.hpp"

namespace collcast {

/// Collectives that the DPUs of the nodes play while ranks compute.
struct Offloaded {
  std::vector<Collective> collectives = {};
  int pieces = 1;       ///< into which each message is cut, for a pipeline through the DPU
  bool direct = false;  ///< DPUs write into the receivers' own memory (on_dpu)

  bool has(Collective c) const { return std::ranges::find(collectives, c) != collectives.end(); }
};

/// Prices a source's collectives as single operations of NCCL or of DPUs, by the forecast of `predict`: as if
/// all groups that are alike called at the same time, and nothing else was under way. Collectives that a rank
/// has under way at once share its links by their loads (Op::Kind::meet).
class Prices {
 public:
  /// For the source's ranks on a machine, in block placement. The arguments outlive this.
  Prices(const Source& source, const Description& platform, const Machine& machine, const std::string& policy,
         const Offloaded& offloaded = {});

  /// The price with `algorithm`; if that is empty, with the library's choice. None if the collective is
  /// played as messages: neither DPUs nor NCCL play it, its sizes differ from rank to rank, or its group has
  /// irregular distances or does not divide the world.
  std::optional<GroupPrediction> of(const Activity& activity, const std::string& algorithm);

  /// Notes on operations without a price, and why. `messages`: who sends the messages that they are played
  /// as.
  std::vector<std::string> notes(const std::string& messages) const;
  bool any() const { return !known_.empty(); }
  /// How many calls DPUs play.
  std::int64_t offloaded() const { return offloaded_calls_; }

 private:
  /// A communicator's ranks, or why it cannot be priced.
  struct Group {
    std::optional<RankGroup> ranks;
    std::string why_not;
  };

  GroupPrediction predict(const Activity& activity, const RankGroup& group, const std::string& algorithm);

  GroupForecaster forecaster_;
  bool by_nccl_;
  Offloaded offloaded_;
  std::int64_t offloaded_calls_ = 0;
  std::vector<Group> groups_;  ///< by communicator
  std::map<std::tuple<RankGroup, Collective, Bytes, std::string>, GroupPrediction> known_;
  std::map<std::string, std::set<std::string>> played_;  ///< operations played as messages, by the reason
};

}  // namespace collcast
