// SPDX-License-Identifier: Apache-2.0
#include "forecast/check_question.hpp"

#include <string>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "libraries/policy.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

void check_algorithm(const Question& q, Collective collective) {
  if (q.own && q.own->collective != collective)
    throw InputError(full_name(*q.own) + " is no algorithm of " + std::string(definition(collective).name));
  if (!q.own && !q.every() && q.algorithm != "auto") algorithm(collective, q.algorithm);
}

void check_offload(const Question& q, const Engine& engine) {
  check(q.offload, engine);
  if (q.by_library() && q.offload.asked()) throw InputError("--offload does not go with --policy");
  if (q.offload.pieces > 1 && !q.call.counts.empty())
    throw InputError("--pieces cuts all blocks alike, so it does not go with --counts");
}

void check_transport(const Question& q) {
  if (!q.transport) return;
  if (q.offload.asked())
    throw InputError("--transport " + q.transport->name() +
                     " does not go with --offload, where the DPU's own software sends");
  check_memory(*q.transport, q.memory);
}

}  // namespace

void check_given(const Question& q) {
  for (const auto& [given, what] : {std::pair{q.collectives.size(), "the collective"},
                                    {q.platforms.size(), "--platform"},
                                    {q.ranks.size(), "--ranks"}})
    if (given == 0) throw InputError(std::string(what) + " is required");
  for (const Bytes size : q.sizes) check_size(size);
  if (q.own && (!q.own->schedule || !q.own->supports))
    throw InputError(full_name(*q.own) + " needs a schedule, and to say which ranks it supports");
}

void check_together(const Question& q, const std::vector<Collective>& collectives, const Engine& engine) {
  for (const Collective collective : collectives) check_algorithm(q, collective);
  check_offload(q, engine);
  if (q.by_library()) check_policy(q.policy);
  if (q.by_library()) check_memory(q.policy, q.memory);
  if (q.explain) require_messages(engine);
  check_transport(q);
  if (q.with_synthesized && (!q.every() || q.by_library() || q.offload.asked() || engine.closed_form))
    throw InputError(
        "--with-synthesized goes with --algorithm all, and not with --policy, --offload and --engine "
        "formula");
}

}  // namespace collcast
