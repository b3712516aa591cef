// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "forecast/library.hpp"
#include "forecast/offloaded_groups.hpp"
#include "model/rank_group.hpp"

namespace collcast {

class NodeGraph;

/// The default policy. Between GPUs it is the library that the platform names; else the first release of NCCL
/// from 2.8 on, or of RCCL, that supports the GPUs; else "fastest". Without GPUs it is Open MPI 4.0. Throws
/// InputError if the platform names something that is no policy.
std::string usual_policy(const Description& platform);
/// A note if `usual_policy` is a guess: the platform has GPUs and names no library. Else empty.
std::string note_on_usual_policy(const Description& platform);
/// Throws InputError unless there is a policy of that name; the empty name is the usual one.
void require_policy(const std::string& policy);

/// How long collectives of groups of a platform's ranks take, in block placement. All groups of the world
/// call at the same time, unless the group is alone. What MPI sends is played for all groups if that is up to
/// 100,000 messages; with up to four million, a group takes at least what the most loaded link needs. NCCL's
/// groups that meet on a node share its network cards. If groups lie on nodes in several ways, the slowest
/// counts. Apart from that, up to 1,024 ranks (alltoall: 512) take what `predict --policy` answers by its
/// default engine, with contention where messages can meet. Larger groups take their critical path (to play a
/// step on 27,648 ranks would take twice the memory and a quarter longer). On more than 128 nodes the times
/// of NCCL's double trees are extrapolated by their depth from 32 and 128 nodes. Times are interpolated
/// between sizes half an octave apart; a test compares them with the whole forecast.
class GroupForecaster {
 public:
  /// `policy`: the library that chooses and sends, as in `--policy`; empty: `usual_policy`. `pieces`,
  /// `direct`: how DPUs send what is offloaded (OffloadedGroups).
  GroupForecaster(Description platform, std::string policy, int pieces = 1, bool direct = false);
  ~GroupForecaster();

  /// `algorithm`: a name of the catalogue, played with contention if messages can share links; empty: the
  /// policy's choice.
  GroupPrediction predict(Collective collective, const RankGroup& group, Bytes message,
                          const std::string& algorithm = "");
  /// The wire of a message from a pair's first member to its second; none if the message waits for its
  /// receiver.
  std::optional<Wire> departure(const RankGroup& pair, Bytes message);
  /// A collective of a framework's control plane: in host memory, by Open MPI.
  GroupPrediction predict_control(Collective collective, const RankGroup& group, Bytes message);
  /// A message between a worker and a parameter server: from and to host memory, by Open MPI.
  GroupPrediction predict_served(const RankGroup& pair, Bytes message);
  /// A collective that is handed to the nodes' DPUs.
  GroupPrediction predict_offloaded(Collective collective, const RankGroup& group, Bytes message,
                                    const std::string& algorithm = "") {
    return offloaded_.predict(collective, group, message, algorithm);
  }

  /// The number of nodes that a group's members are on.
  int nodes(const RankGroup& group) const;
  const std::string& policy() const { return policy_; }
  /// Notes on what was asked so far: a library that the platform does not name, collectives that the library
  /// has no rule for, which take the fastest of the catalogue, and groups that do not all lie on nodes in the
  /// same way.
  std::vector<std::string> notes() const;
  /// Whether the policy has a rule for the collective; otherwise `predict` takes the fastest of the
  /// catalogue.
  bool chooses(Collective collective) const;

 private:
  const GroupPrediction& forecast(Collective collective, const RankGroup& group, Bytes message);
  /// The time of a group when all groups of its form call at once; `alone`: its time when no other calls.
  GroupPrediction with_all_others(GroupPrediction alone, const Choice& choice, const RankGroup& group,
                                  const std::string& policy, Memory memory);
  GroupPrediction predict_one(Collective collective, const RankGroup& group, Bytes message,
                              const std::string& algorithm);
  GroupPrediction named(const Algorithm& algorithm, const RankGroup& group, Bytes message);
  GroupPrediction computed(Collective collective, const RankGroup& group, Bytes message,
                           const std::string& policy, Memory memory);
  GroupPrediction extrapolated(Collective collective, const RankGroup& group, Bytes message);
  /// The group moved to the first node: all nodes are alike, and so are messages between nodes if the ranks
  /// are farther apart than a node has ranks.
  RankGroup on_first_node(RankGroup group) const;
  /// The first pair asked for whose messages meet the same memories, network cards and links as this pair's;
  /// groups that are no pairs are returned unchanged.
  RankGroup priced_for(const RankGroup& group);
  const Library& library(const RankGroup& group, const std::string& policy, Memory memory);

  const Description platform_;
  std::string policy_, guess_;  ///< `guess_`: a note, if the policy is one
  int ranks_per_node_ = 1;
  struct Asked {
    Collective collective;
    RankGroup group;
    Bytes message;
    auto operator<=>(const Asked&) const = default;
  };
  std::map<Asked, GroupPrediction> known_;
  std::map<Collective, std::string> unruled_;  ///< collectives without a rule, and the first reason
  std::map<RankGroup, std::vector<RankGroup>>
      spreads_;  ///< for a group, the groups like it that lie on nodes in other ways
  std::map<std::tuple<RankGroup, std::string, Memory>, std::unique_ptr<Library>> libraries_;
  std::unique_ptr<NodeGraph> graph_;  ///< the platform's; made when a pair first needs it
  std::map<std::tuple<std::vector<int>, Rank, bool>, RankGroup> pairs_;  ///< by what their messages meet
  OffloadedGroups offloaded_;
};

/// The platform as the members of a group see it: nodes with the members' places only, and the share of the
/// network, its cards and the uplinks of a tapered tree, that other groups like it leave to them.
Description seen_by(const Description& platform, const RankGroup& group);

}  // namespace collcast
