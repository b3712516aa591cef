// SPDX-License-Identifier: Apache-2.0
#include "libraries/policy.hpp"

#include <algorithm>

#include "libraries/mpi.hpp"
#include "libraries/mvapich/settings.hpp"
#include "libraries/nccl/nccl.hpp"
#include "libraries/rules.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

struct Policy {
  std::string_view name;
  Pick (*rule)(Collective, const Call&, const Situation&);
  std::vector<Collective> (*ruled)();
};

constexpr Policy of_mpi[] = {{"mpich", mpich_pick, mpich_ruled},
                             {"smpi-mpich", smpi_mpich_pick, smpi_mpich_ruled},
                             {"mvapich2-2.3", mvapich2_2_3_pick, mvapich2_2_3_ruled},
                             {"openmpi-4.0", openmpi_4_0_pick, openmpi_4_0_ruled},
                             {"openmpi-4.1", openmpi_4_1_pick, openmpi_4_1_ruled},
                             {"openmpi-5.0", openmpi_5_0_pick, openmpi_4_1_ruled}};

}  // namespace

NoRule no_rule(std::string_view policy, Collective collective, const std::vector<Collective>& ruled) {
  const std::string known = text::join(ruled, ", ", [](Collective c) { return definition(c).name; });
  return NoRule(std::string(policy) + " has no rule for " + std::string(definition(collective).name) +
                "; it has rules for " + known);
}

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const Policy& p : of_mpi) names.emplace_back(p.name);
  names.push_back(mvapich::text({}));
  for (const nccl::Release& r : nccl::releases()) names.push_back(r.text());
  return names;
}

void check_policy(std::string_view policy) {
  const auto is = [policy](const Policy& p) { return p.name == policy; };
  if (std::ranges::any_of(of_mpi, is) || mvapich::parse(policy) || nccl::parse(policy)) return;
  if (const auto colon = policy.find(':');
      std::ranges::any_of(of_mpi, [&](const Policy& p) { return p.name == policy.substr(0, colon); }))
    throw InputError("policy '" + std::string(policy) + "': " + std::string(policy.substr(0, colon)) +
                     " has no settings; NCCL's releases have");
  std::vector<std::string> names = policies();
  names.emplace_back("fastest");
  std::string in_full(policy);
  if (policy.starts_with("ompi")) in_full.replace(0, 1, "open");
  throw InputError("unknown policy '" + std::string(policy) + "'" + suggestion(in_full, names));
}

void check_memory(std::string_view policy, Memory memory) {
  if (memory != Memory::device && nccl::parse(policy))
    throw InputError(std::string(policy) +
                     " sends from device buffers only: it does not go with --memory host");
}

std::vector<Collective> ruled(std::string_view policy) {
  check_policy(policy);
  if (mvapich::parse(policy)) return mvapich2_2_3_ruled();
  if (nccl::parse(policy)) return nccl::ruled();
  return std::ranges::find(of_mpi, policy, &Policy::name)->ruled();
}

Pick pick(std::string_view policy, Collective collective, const Call& call, const Situation& situation) {
  if (call.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(call.ranks));
  check_policy(policy);
  if (const auto gdr = mvapich::parse(policy)) return mvapich::pick(*gdr, collective, call, situation);
  if (const auto nccl = nccl::parse(policy)) return nccl::pick(*nccl, collective, call, situation);
  return std::ranges::find(of_mpi, policy, &Policy::name)->rule(collective, call, situation);
}

}  // namespace collcast
