// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/collective.hpp"
#include "replay/trace/event.hpp"

namespace collcast {

/// A recorded MPI collective in the catalogue's terms.
struct RecordedCollective {
  Collective collective;
  Bytes message;             ///< as nccl-tests counts it
  std::vector<Bytes> sizes;  ///< of the ranks' shares, where all ranks know them and they differ
  bool direct = false;       ///< sizes are known to sender and receiver alone
};

/// What a rank's event says of its collective on `ranks` ranks; none if the catalogue has no such collective.
/// The creation of a communicator counts as an 8-byte allreduce: its members agree on a number.
std::optional<RecordedCollective> as_collective(const trace::Event& event, Rank ranks);

/// The bytes of a share that this rank sends (`from` is its rank) or receives, by its own event.
Bytes own_size(const trace::Event& event, Rank rank, Rank from, Rank to);

}  // namespace collcast
