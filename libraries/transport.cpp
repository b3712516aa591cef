// SPDX-License-Identifier: Apache-2.0
#include "libraries/transport.hpp"

#include <algorithm>

#include "libraries/chooser.hpp"
#include "libraries/mvapich/gdr_fabric.hpp"
#include "libraries/situation.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr std::pair<std::string_view, nccl::Protocol> protocols[] = {
    {"LL", nccl::Protocol::ll}, {"LL128", nccl::Protocol::ll128}, {"Simple", nccl::Protocol::simple}};

/// The settings of NCCL's kernels from a name: "nccl", "rccl" or a release as "nccl-2.8", then a colon and a
/// protocol; empty for other names.
std::optional<nccl::KernelSettings> of_nccl(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {};
  nccl::KernelSettings t;
  if (const std::string_view release = name.substr(0, colon); release == "rccl") {
    t.release = nccl::usual_rccl;
  } else if (release != "nccl") {
    const auto policy = nccl::parse(release);
    if (!policy) return {};
    t.release = policy->release;
  }
  for (const auto& [text, protocol] : protocols)
    if (name.substr(colon + 1) == text) return t.protocol = protocol, t;
  return {};
}

/// What a release of NCCL knows of the machine's ranks, and its software there.
struct OnMachine {
  Situation situation;
  nccl::Software software;
};

OnMachine on(const Machine& machine, const nccl::KernelSettings& transport, const Description& platform,
             double stretch) {
  const std::string release = transport.release.text();
  const Situation s = situation(platform, occupancy(machine), release);
  nccl::check(transport, machine, s);
  return {s, nccl::software_on(read_blueprint(platform), transport.release, s, stretch)};
}

}  // namespace

std::string Transport::name() const {
  if (kind == Kind::mvapich2_gdr) return mvapich::text(settings);
  if (kind == Kind::nccl) {
    const nccl::Release r = protocol.release;
    const bool usual = r.minor == nccl::usual(r.rccl).minor;
    return (usual ? r.rccl ? "rccl" : "nccl" : r.text()) + ":" + std::string(nccl::name(protocol.protocol));
  }
  return kind == Kind::mpi ? "mpi" : "links";
}

std::vector<std::string> transports() {
  return {"mpi",     "links",      "nccl:LL",     "nccl:LL128",     "nccl:Simple",
          "rccl:LL", "rccl:LL128", "rccl:Simple", mvapich::text({})};
}

Transport parse_transport(std::string_view name) {
  if (name == "mpi") return {};
  if (name == "links") return {Transport::Kind::links};
  if (const auto gdr = transport_of(name)) return *gdr;
  if (const auto protocol = of_nccl(name)) return {Transport::Kind::nccl, *protocol};
  throw InputError(
      "no transport \"" + std::string(name) +
      "\"; expected mpi, links, nccl:LL, nccl:LL128, nccl:Simple, the same of rccl, mvapich2-gdr, "
      "or a given release's, as in nccl-2.8:LL");
}

Transport own_transport(const Description& platform) {
  return {platform.json().contains("software") ? Transport::Kind::mpi : Transport::Kind::links};
}

std::optional<Transport> transport_of(std::string_view policy) {
  const auto gdr = mvapich::parse(policy);
  if (!gdr) return {};
  return Transport{Transport::Kind::mvapich2_gdr, {}, *gdr};
}

void check_memory(const Transport& transport, Memory memory) {
  if (transport.kind == Transport::Kind::nccl && memory != Memory::device)
    throw InputError("--transport " + transport.name() +
                     " sends from device buffers only: it does not go with --memory host");
}

Description beneath(const Transport& transport, const Description& platform) {
  if (transport.kind == Transport::Kind::mvapich2_gdr) return mvapich::beneath_gdr(platform);
  if (transport.kind == Transport::Kind::mpi || !platform.json().contains("software")) return platform;
  Json json = platform.json();
  json.erase("software");
  return {platform.name(), platform.file(), std::move(json)};
}

std::unique_ptr<Fabric> fabric_of(const Transport& transport, const Machine& machine,
                                  const Description& platform, double stretch) {
  if (transport.kind == Transport::Kind::mvapich2_gdr) {
    mvapich::check(transport.settings, platform);
    return std::make_unique<mvapich::GdrFabric>(machine, transport.settings, stretch);
  }
  if (transport.kind != Transport::Kind::nccl) return {};
  const nccl::KernelSettings& t = transport.protocol;
  const OnMachine nccl = on(machine, t, platform, stretch);
  const nccl::Policy policy{.release = t.release, .channels = t.channels};
  nccl::Carriers carriers;
  if (t.peers > 0)
    carriers = nccl::carriers_of_pairs(policy, nccl.situation, machine, t.peers);
  else if (t.shape == nccl::Shape::nvls_tree)  // its messages stand for those of all channels
    carriers.channels = policy.all_channels(nccl.situation);
  return std::make_unique<nccl::KernelFabric>(machine, t, nccl.situation, nccl.software, carriers);
}

std::unique_ptr<nccl::PairFabric> pairs_of(const nccl::Policy& policy, const Machine& machine,
                                           const Description& platform, double stretch) {
  const nccl::KernelSettings longest{.release = policy.release,
                                     .protocol = policy.proto.value_or(nccl::Protocol::simple)};
  const OnMachine nccl = on(machine, longest, platform, stretch);
  return std::make_unique<nccl::PairFabric>(machine, policy, nccl.situation, nccl.software);
}

}  // namespace collcast
