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

/// What a source's collectives take as single operations - of NCCL, or of DPUs - by the forecast of
/// `predict`: all groups alike of the ranks call at the same time, and nothing else is under way.
class Prices {
 public:
  using Answer = GroupForecaster::Answer;
  /// On the source's ranks of a machine in block placement. Outlives neither.
  Prices(const Source& source, const Description& platform, const Machine& machine, const std::string& policy,
         const Offloaded& offloaded = {});

  /// Of `algorithm`, or of the library's choice where it is empty. None of what is played as messages:
  /// collectives that neither DPUs nor NCCL play, sizes that differ from rank to rank, groups at no regular
  /// distances or that have no others alike beside them.
  std::optional<Answer> of(const Activity& activity, const std::string& algorithm);

  /// What was not priced although it would have a price, and why. `messages`: whose it is played as.
  std::vector<std::string> notes(const std::string& messages) const;
  /// Whether calls of more than one group were priced, each as if it had the links to itself.
  bool of_several_groups() const;
  bool any() const { return !known_.empty(); }
  /// Calls that DPUs play.
  std::int64_t offloaded() const { return offloaded_calls_; }

 private:
  /// A communicator's ranks, or why they are none of which a price is known.
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
