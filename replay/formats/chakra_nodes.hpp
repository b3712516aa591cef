// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/collective.hpp"

/// Nodes of Chakra's execution traces, in whatever schema and encoding they were written.
namespace collcast::chakra {

/// The values of et_def.proto's NodeType that are told apart.
enum NodeType : std::uint64_t { comp = 4, comm_send = 5, comm_recv = 6, comm_coll = 7 };

struct EtNode {
  std::uint64_t id = 0, type = 0, start_us = 0, duration_us = 0;
  std::int64_t duration_ns = -1;  ///< only in our own files
  std::string name, group;
  std::vector<std::uint64_t> after, parents;  ///< data_deps, ctrl_deps
  std::int64_t collective = -1, size = -1, source = -1, dest = -1, tag = 0, root = 0;
  std::int64_t operations = 0;  ///< floating point, of a computation
  bool host = false, partly = false;

  /// Whether it is a collective, and not a host's call that launches one.
  bool collects() const;
};

/// Attributes of our own files, which other tools ignore: where the data are ("host", "device"), and what
/// sends them ("MPI", "NCCL").
inline constexpr std::string_view memory_attribute = "collcast_memory",
                                  library_attribute = "collcast_library";

struct EtFile {
  std::string memory, library;  ///< the values of these attributes; empty: not said
  std::vector<EtNode> nodes;
  std::map<std::string, std::vector<Rank>> groups;  ///< members, as torch noted them
  Rank world = 0;                                   ///< ranks that these groups know of; 0: not said
};

/// The collective of a comm_type, in the numbers of schema 0.0.4; none for other values.
std::optional<Collective> collective_of_type(std::int64_t comm_type);

bool is_et(std::string_view head);

/// Throws InputError if the file is damaged.
EtFile read_et(const std::string& path);

}  // namespace collcast::chakra
