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

/// How a library moves a message between two places, and what its software costs. Any schedule goes with any
/// transport that the machine can run.
struct Transport {
  enum class Kind : std::uint8_t {
    mpi,    ///< as the platform's own software section says
    links,  ///< bare links: no software
    nccl,
    mvapich2_gdr,
  };
  Kind kind = Kind::mpi;
  nccl::Transport protocol = {};    ///< of NCCL
  mvapich::Settings settings = {};  ///< of MVAPICH2-GDR

  /// "mpi", "links", "nccl:LL128", of another release than 2.18 "nccl-2.8:LL"; "mvapich2-gdr" with settings.
  std::string name() const;
  /// It sends by other software than the platform's section of messages says.
  bool foreign() const { return kind == Kind::nccl || kind == Kind::mvapich2_gdr; }
};

/// Reads "mpi", "links", "nccl:LL", "nccl-2.8:Simple", "mvapich2-gdr:cuda_block_size=64KiB". Throws
/// InputError with the names that exist.
Transport parse_transport(std::string_view name);
/// What messages are sent by where nobody says otherwise: "mpi", or "links" of a platform without software.
Transport own_transport(const Description& platform);
/// What a library that is no NCCL brings along, whatever the schedule; none: the platform's own.
std::optional<Transport> transport_of(std::string_view policy);
std::vector<std::string> transports();

/// The platform whose messages a transport's software carries: that of MPI is no part of other transports'.
Description carrying(const Transport& transport, const Description& platform);

/// The machine, which was made of `carrying`, as the transport uses it; null: as it is. `stretch`: of costs
/// that were published of other machines. Throws InputError where the machine cannot run the transport.
std::unique_ptr<Fabric> fabric_of(const Transport& transport, const Machine& machine,
                                  const Description& platform, double stretch = 1);

/// The machine, which was made of `carrying` NCCL, as a release's ncclSend and ncclRecv use it.
std::unique_ptr<nccl::PairFabric> pairs_of(const nccl::Policy& policy, const Machine& machine,
                                           const Description& platform, double stretch = 1);

}  // namespace collcast
