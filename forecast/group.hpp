// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "forecast/library.hpp"
#include "forecast/offloaded_groups.hpp"
#include "model/rank_group.hpp"

namespace collcast {

/// Who chooses and sends where nobody says: between GPUs NCCL 2.8, the first that knows them, or "fastest",
/// the fastest of the catalogue, where none does; else Open MPI 4.0.
std::string usual_policy(const Description& platform);
/// Throws InputError unless there is a policy of that name; empty is the usual one.
void require_policy(const std::string& policy);

/// How long collectives of groups of a platform's ranks take, in block placement, where every group of the
/// world calls at the same time: those that meet on a node share its network cards. Otherwise the
/// price of up to 1,024 ranks (alltoall: 512) is what `predict --policy` says by its default engine, with
/// contention where messages can meet; larger groups are priced by critical path (played, a step on 27,648
/// ranks would take twice the memory and a quarter longer). Of groups on more than 128 nodes NCCL's double
/// trees are extrapolated by their depth from 32 and 128 nodes, and messages lie on a line between sizes half
/// an octave apart: a test holds that against the whole forecast.
class GroupForecaster {
 public:
  /// `policy`: what chooses and sends, as `--policy` has it; empty: `usual_policy`. `pieces`, `direct`: of
  /// the messages that DPUs play (OffloadedGroups).
  GroupForecaster(Description platform, std::string policy, int pieces = 1, bool direct = false);
  ~GroupForecaster();

  using Answer = OffloadedGroups::Answer;
  /// `algorithm`: a name of the catalogue, played with contention where messages can share links; empty: as
  /// the policy chooses.
  Answer predict(Collective collective, const RankGroup& group, Bytes message,
                 const std::string& algorithm = "");
  /// How a message between a group's two members leaves; none where it waits for its receiver.
  std::optional<Wire> departure(const RankGroup& pair, Bytes message);
  /// Of a framework's control plane: in host memory, by Open MPI.
  Answer predict_control(Collective collective, const RankGroup& group, Bytes message);
  /// Handed to the nodes' DPUs.
  Answer predict_offloaded(Collective collective, const RankGroup& group, Bytes message,
                           const std::string& algorithm = "") {
    return offloaded_.predict(collective, group, message, algorithm);
  }

  /// That a group's members lie on.
  int nodes(const RankGroup& group) const;
  const std::string& policy() const { return policy_; }
  /// Of what was asked: collectives that the library has no rule for, which are priced as the fastest of the
  /// catalogue, and groups whose likes do not lie on nodes as they do.
  std::vector<std::string> notes() const;
  /// Whether the policy has a rule for it; else `predict` tells of the fastest of the catalogue.
  bool chooses(Collective collective) const;

 private:
  const Answer& forecast(Collective collective, const RankGroup& group, Bytes message);
  Answer named(const Algorithm& algorithm, const RankGroup& group, Bytes message);
  Answer whole(Collective collective, const RankGroup& group, Bytes message, const std::string& policy,
               Memory memory);
  Answer extrapolated(Collective collective, const RankGroup& group, Bytes message);
  /// All nodes are alike, and so are messages between nodes of whatever places that are farther apart than a
  /// node's ranks.
  RankGroup on_first_node(RankGroup group) const;
  const Library& library(const RankGroup& group, const std::string& policy, Memory memory);

  const Description platform_;
  std::string policy_;
  int ranks_per_node_ = 1;
  struct Asked {
    Collective collective;
    RankGroup group;
    Bytes message;
    auto operator<=>(const Asked&) const = default;
  };
  std::map<Asked, Answer> known_;
  std::map<Collective, std::string> unruled_;  ///< collectives that no rule chose for, and the first reason
  std::map<RankGroup, bool> alike_;  ///< groups of collectives: whether all lie on nodes as the first
  std::map<std::tuple<RankGroup, std::string, Memory>, std::unique_ptr<Library>> libraries_;
  OffloadedGroups offloaded_;
};

/// The platform as the members of a group see it: nodes of those places that members have, and of the network
/// the part that other groups alike leave them.
Description seen_by(const Description& platform, const RankGroup& group);

}  // namespace collcast
