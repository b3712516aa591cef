// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/collective.hpp"
#include "model/rank_group.hpp"
#include "workloads/job/coordinator.hpp"

namespace collcast::workloads {

/// Who makes a collective progress once all its ranks have called it.
enum class Progress : std::uint8_t {
  always,  ///< the network, or a thread that costs nothing
  host,    ///< its ranks, while none of them computes
  dpu,     ///< the DPUs of their nodes
};

/// One thing that the ranks of a role do. The activities of a stream follow each other; streams run side by
/// side.
struct JobActivity {
  enum class Kind : std::uint8_t {
    compute,     ///< for `time`
    collective,  ///< of `bytes`, by `group`
    send,        ///< `bytes` to the same place in role `peer`
    receive,     ///< `bytes` from there; sends and receives of two roles and one tag match in order
    offer,       ///< `bytes` of gradient to the coordinator, which decides when to reduce them
    settle,      ///< waits until all that was offered is reduced
    push,        ///< `bytes` of each rank to parameter servers
    pull,        ///< `bytes` from parameter servers
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
  std::vector<int> after = {};  ///< activities of the role that have to end first
  std::string algorithm = {};   ///< of a collective; empty: as the policy chooses
  std::string part = {};        ///< the name under which summaries add it up; empty: its own
  bool is_wait = false;         ///< the computation stands for waiting
};

/// Ranks that do the same, each with the members of its own groups.
struct Role {
  std::string name;
  std::vector<JobActivity> activities;
};

/// Parameter servers, on nodes of their own or beside the ranks. A push is a message in host memory to the
/// rank `distance` further on, which is on another node; all ranks of a node push at once.
struct Servers {
  Rank distance = 1;
  bool beside = false;  ///< servers are beside the ranks: what goes out to servers comes in to the node's own
  bool by_need = false;  ///< the activity of the least tag goes first; else the first of the stream
};

/// What ranks do together in one pass: computation, collectives of groups, messages. Ranks are numbered along
/// the dimensions, the first of which varies fastest.
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
  int role_dimension = -1;  ///< along which roles differ; -1: there is a single role
  std::vector<Role> roles;
  std::optional<Coordinator> coordinator;  ///< reduces what is offered, separately for each role
  std::optional<Servers> servers;          ///< to push to and to pull from
  /// Computation takes 1 + `slowdown` times as long while collectives of its rank run.
  double slowdown = 0;
  bool guessed = false;  ///< its computation follows from peaks and a guessed efficiency

  Rank ranks() const;
  /// "data allreduce"; `group`: its index.
  std::string collective_of(int group, Collective collective) const;
  /// The members of a group that spans these dimensions.
  RankGroup members(const std::vector<int>& dimensions) const;
  /// Throws InputError unless all streams, groups, peers and dependencies exist, and there are as many roles
  /// as their dimension is long.
  void check() const;
};

}  // namespace collcast::workloads
