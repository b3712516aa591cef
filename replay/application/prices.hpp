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
  int pieces = 1;       ///< of each message, in a pipeline through the DPU
  bool direct = false;  ///< into the receivers' own memory (on_dpu)

  bool has(Collective c) const { return std::ranges::find(collectives, c) != collectives.end(); }
};

/// Prices a source's collectives as single operations of NCCL or of DPUs, by the forecast of `predict`: as if
/// all groups that are alike called at the same time, and nothing else was under way. Those that a rank has
/// under way at once share its links by their loads (Op::Kind::meet).
class Prices {
 public:
  using Answer = GroupForecaster::Answer;
  /// For the source's ranks on a machine, in block placement. The arguments outlive this.
  Prices(const Source& source, const Description& platform, const Machine& machine, const std::string& policy,
         const Offloaded& offloaded = {});

  /// The price by `algorithm`, or if that is empty by the library's choice. None for what is played as
  /// messages: collectives that neither DPUs nor NCCL play, sizes that differ from rank to rank, and groups
  /// whose ranks are at irregular distances or that do not divide the world.
  std::optional<Answer> of(const Activity& activity, const std::string& algorithm);

  /// Notes on what was not priced, and why. `messages`: whose messages it is played as instead.
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

  Answer predict(const Activity& activity, const RankGroup& group, const std::string& algorithm);

  GroupForecaster forecaster_;
  bool by_nccl_;
  Offloaded offloaded_;
  std::int64_t offloaded_calls_ = 0;
  std::vector<Group> groups_;  ///< by communicator
  std::map<std::tuple<RankGroup, Collective, Bytes, std::string>, Answer> known_;
  std::map<std::string, std::set<std::string>> played_;  ///< operations, by why they are
};

}  // namespace collcast
