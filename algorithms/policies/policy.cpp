// SPDX-License-Identifier: Apache-2.0
#include "algorithms/policies/policy.hpp"

#include "algorithms/policies/mpi.hpp"
#include "algorithms/policies/nccl.hpp"
#include "model/error.hpp"

namespace collcast {
namespace {

using Rule = Pick (*)(Collective, const Call&, const Situation&);

struct Policy {
  std::string name;
  Rule rule;
};

template <int minor>
Pick nccl_pick(Collective collective, const Call& call, const Situation& s) {
  return nccl::pick(minor, collective, call, s);
}

template <int... step>
std::vector<Policy> every_policy(std::integer_sequence<int, step...>) {
  std::vector<Policy> all{{"mpich", mpich_pick},
                          {"smpi-mpich", smpi_mpich_pick},
                          {"openmpi-4.0", openmpi_4_0_pick},
                          {"openmpi-4.1", openmpi_4_1_pick}};
  (all.push_back({"nccl-2." + std::to_string(nccl::first_minor + step), nccl_pick<nccl::first_minor + step>}),
   ...);
  return all;
}

const std::vector<Policy>& table() {
  static const std::vector<Policy> all =
      every_policy(std::make_integer_sequence<int, nccl::last_minor - nccl::first_minor + 1>());
  return all;
}

}  // namespace

std::vector<std::string_view> policies() {
  std::vector<std::string_view> names;
  for (const Policy& p : table()) names.push_back(p.name);
  return names;
}

Pick pick(std::string_view policy, Collective collective, const Call& call, const Situation& situation) {
  if (call.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(call.ranks));
  for (const Policy& p : table())
    if (p.name == policy) return p.rule(collective, call, situation);
  throw InputError("unknown policy '" + std::string(policy) + "'; did you mean '" +
                   nearest(policy, policies()) + "'?");
}

}  // namespace collcast
