// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace collcast::mvapich {

/// What MVAPICH2-GDR's environment variables say, each named after its own without MV2_; sizes in bytes. The
/// defaults are those of the user guide of 2.3.7 (datasheet), which adds that the library takes others on
/// machines that it recognises; of mcast_bcast_max_msg and cuda_* below cuda_use_naive those of
/// MVAPICH2 2.3's ibv_param.c.
struct Settings {
  double use_gpudirect_rdma = 1;                ///< network cards read and write GPU memory
  double gpudirect_limit = 8192;                ///< messages up to here between nodes: by both cards
  double use_gpudirect_receive_limit = 131072;  ///< and up to here by the receiver's
  double cuda_block_size = 262144;              ///< of what is staged in host memory
  double cuda_ipc = 1;                          ///< GPUs of a node copy from one to the other
  double cuda_ipc_threshold = 32768;            ///< larger messages do
  double gdrcopy_limit = 8192;           ///< copies of messages up to here are the processor's (GDRCopy)
  double gdrcopy_naive_limit = 8192;     ///< and those of collectives
  double use_mcast = 0;                  ///< broadcasts by InfiniBand's multicast
  double mcast_num_nodes_threshold = 8;  ///< on so many nodes
  double mcast_bcast_max_msg = 524288;   ///< up to this size
  double gpudirect_mcast_pipeline = 1;   ///< blocks are copied to host memory while others are sent
  double gpudirect_mcast_recv_type = 1;  ///< 1: into host memory, and copied; 2: into that of the GPU
  double cuda_use_naive = 1;  ///< collectives up to some size are copied to host memory, and played there:
  double cuda_bcast_naive_limit = 2097152;      ///< broadcasts; taken for reductions, too (a guess)
  double cuda_allgather_naive_limit = 1048576;  ///< one rank's block
  double cuda_alltoall_naive_limit = 262144;    ///< likewise
  bool operator==(const Settings&) const = default;
};

/// "mvapich2-gdr", or with settings behind it: "mvapich2-gdr:gpudirect_limit=16KiB,use_mcast=1". None of
/// other names; throws InputError for settings that there are not.
std::optional<Settings> parse(std::string_view name);
/// The name that `parse` reads, with what differs from the defaults.
std::string text(const Settings& settings);

}  // namespace collcast::mvapich
