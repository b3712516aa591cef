// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/source/recorded.hpp"

namespace collcast {

/// The collective that a library's name means, whatever its spelling: "ncclDevKernel_AllReduce_Sum_f32",
/// "_allgather_base", "reduce_scatter_tensor", "COMM_COLL" names and MPI's; none for other operations.
std::optional<Collective> collective_of(std::string_view name);

/// A name in lower case, without what is neither letter nor digit.
std::string plain_name(std::string_view name);

/// Whether an MPI call of this name moves nothing, such as "MPI_Comm_rank"; waits and tests count among
/// these.
bool quiet_mpi_call(std::string_view name);

/// Bytes of an element by torch's, C++'s or Chakra's name of its type ("Float", "c10::BFloat16", "long int");
/// 0 if unknown.
int element_bytes(std::string_view type);

/// A collective's message as nccl-tests counts it, from what one of `ranks` ranks gives and gets in its call.
Bytes message_of(Collective collective, Bytes input, Bytes output, Rank ranks);

/// The same from NCCL's count: what one rank gives (allgather), gets (reduce-scatter), or the whole buffer.
Bytes message_by_count(Collective collective, Bytes count, Rank ranks);

}  // namespace collcast
