// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace collcast::mvapich {

/// MVAPICH2-GDR's environment variables, by their names without MV2_; sizes in bytes. Defaults are those of
/// the user guide of 2.3.7, which says that the library takes others on machines that it recognises. Those of
/// mcast_bcast_max_msg and of the cuda_* below cuda_use_naive are from ibv_param.c of MVAPICH2 2.3.
struct Settings {
  double use_gpudirect_rdma = 1;                ///< network cards read and write GPU memory
  double gpudirect_limit = 8192;                ///< largest message between nodes for which both cards do
  double use_gpudirect_receive_limit = 131072;  ///< largest one for which the receiver's card does
  double cuda_block_size = 262144;              ///< block of a message staged in host memory
  double cuda_ipc = 1;                          ///< GPUs of a node copy from one to the other,
  double cuda_ipc_threshold = 32768;            ///< messages larger than this
  double gdrcopy_limit = 8192;                  ///< largest message that the processor copies (GDRCopy)
  double gdrcopy_naive_limit = 8192;            ///< the same for staged collectives
  double use_mcast = 0;                         ///< broadcasts by InfiniBand's multicast
  double mcast_num_nodes_threshold = 8;         ///< on this number of nodes or more,
  double mcast_bcast_max_msg = 524288;          ///< up to this size
  double gpudirect_mcast_pipeline = 1;          ///< blocks are copied to host memory while others are sent
  double gpudirect_mcast_recv_type = 1;         ///< 1: received in host memory and copied; 2: in GPU memory
  double cuda_use_naive = 1;                    ///< collectives are staged in host memory up to a size:
  double cuda_bcast_naive_limit = 2097152;      ///< broadcasts, and, as a guess, reductions
  double cuda_allgather_naive_limit = 1048576;  ///< size of one rank's block
  double cuda_alltoall_naive_limit = 262144;    ///< size of one rank's block
  bool operator==(const Settings&) const = default;
};

/// Reads "mvapich2-gdr" or "mvapich2-gdr:gpudirect_limit=16KiB,use_mcast=1"; empty for other names. Throws
/// InputError for unknown settings.
std::optional<Settings> parse(std::string_view name);
/// The text that `parse` reads, with the settings that differ from the defaults.
std::string text(const Settings& settings);

}  // namespace collcast::mvapich
