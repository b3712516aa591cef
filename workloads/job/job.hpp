// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/collective.hpp"
#include "model/rank_group.hpp"
#include "workloads/job/coordinator.hpp"

namespace collcast::workloads {

/// Who brings a collective on, once all of its ranks have called it.
enum class Progress : std::uint8_t {
  always,  ///< the network, or a thread that costs nothing
  host,    ///< its ranks, while none of them computes
  dpu,     ///< the DPUs of their nodes
};

/// One thing that the ranks of a role do. Those of a stream follow each other; streams run side by side.
struct JobActivity {
  enum class Kind : std::uint8_t {
    compute,     ///< for `time`
    collective,  ///< of `bytes`, by `group`
    send,        ///< `bytes` to the same place in role `peer`
    receive,     ///< from there; sends and receives of two roles and one tag match in order
    offer,       ///< `bytes` of gradient to the coordinator, which reduces them when it likes
    settle,      ///< until all that was offered is reduced
  };
  Kind kind = Kind::compute;
  std::string name;
  int stream = 0;
  Seconds time = {};
  Bytes bytes = {};
  Collective collective = Collective::allreduce;
  Progress progress = Progress::always;
  int group = 0;
  int peer = 0;
  int tag = 0;
  std::vector<int> after = {};  ///< activities of the role that end before
  std::string algorithm = {};   ///< of a collective; empty: as the policy chooses
  std::string part = {};        ///< of the work, that summaries add up; empty: its name
  bool is_wait = false;         ///< of computation: in it nothing is done
};

/// Ranks that do the same, each with its own group members.
struct Role {
  std::string name;
  std::vector<JobActivity> activities;
};

/// What ranks do together, once: computation, collectives by group, messages. Ranks are numbered along the
/// dimensions, the first of them fastest.
struct Job {
  struct Dimension {
    std::string name;
    Rank size;
  };
  /// Ranks that differ in these dimensions only.
  struct Group {
    std::string name;
    std::vector<int> dimensions;
  };
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Group> groups;
  std::vector<std::string> streams = {"compute", "communication"};
  int role_dimension = -1;  ///< along which roles differ; -1: there is one
  std::vector<Role> roles;
  std::optional<Coordinator> coordinator;  ///< of the offers, one to each role
  /// Computation takes 1 + `slowdown` times as long while collectives of its rank run.
  double slowdown = 0;

  Rank ranks() const;
  /// "data allreduce": of a group by its place.
  std::string collective_of(int group, Collective collective) const;
  /// Members of a group of dimensions.
  RankGroup members(const std::vector<int>& dimensions) const;
  /// Throws InputError: streams, groups, peers and dependencies exist, roles are as many as their dimension
  /// is long.
  void check() const;
};

}  // namespace collcast::workloads
