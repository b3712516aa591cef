// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libraries/mvapich/settings.hpp"
#include "libraries/nccl/pair_fabric.hpp"

namespace collcast {

/// How a library moves messages, and what its software costs. Any schedule can be played with any transport
/// that the machine can run.
struct Transport {
  enum class Kind : std::uint8_t {
    mpi,    ///< as the platform's software section describes
    links,  ///< bare links, without software
    nccl,
    mvapich2_gdr,
  };
  Kind kind = Kind::mpi;
  nccl::KernelSettings protocol = {};  ///< of NCCL
  mvapich::Settings settings = {};     ///< of MVAPICH2-GDR

  /// "mpi", "links", "nccl:LL128", "rccl:LL", "nccl-2.8:LL" (a release that is not the usual one),
  /// "mvapich2-gdr" with its settings.
  std::string name() const;
  /// Whether the transport uses other software than what the platform's software section describes.
  bool foreign() const { return kind == Kind::nccl || kind == Kind::mvapich2_gdr; }
};

/// Reads "mpi", "links", "nccl:LL", "rccl:LL", "nccl-2.8:Simple", "mvapich2-gdr:cuda_block_size=64KiB".
/// Throws InputError with the names that exist.
Transport parse_transport(std::string_view name);
/// The default transport: "mpi", or "links" on a platform without a software section.
Transport own_transport(const Description& platform);
/// The transport that a policy other than NCCL's implies; empty: the platform's default.
std::optional<Transport> transport_of(std::string_view policy);
std::vector<std::string> transports();

/// Throws InputError if the transport does not send from this memory.
void check_memory(const Transport& transport, Memory memory);

/// The platform without the software that the transport does not use: for all but "mpi", MPI's.
Description beneath(const Transport& transport, const Description& platform);

/// The fabric of a transport on a machine made from `beneath`; null: the machine itself. `stretch`: factor
/// on costs that were published for other machines. Throws InputError if the machine cannot run the
/// transport.
std::unique_ptr<Fabric> fabric_of(const Transport& transport, const Machine& machine,
                                  const Description& platform, double stretch = 1);

/// The fabric of ncclSend and ncclRecv on a machine made from `beneath` for NCCL.
std::unique_ptr<nccl::PairFabric> pairs_of(const nccl::Policy& policy, const Machine& machine,
                                           const Description& platform, double stretch = 1);

}  // namespace collcast
