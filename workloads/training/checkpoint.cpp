// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/checkpoint.hpp"

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/storage.hpp"

namespace collcast::workloads {
Checkpoint parse_checkpoint(const std::string& text) {
  Settings s(text, "checkpoint");
  if (s.name() != "blocking" && s.name() != "background")
    throw InputError("unknown checkpoint '" + s.name() + "'; known: blocking, background");
  Checkpoint c;
  c.background = s.name() == "background";
  c.every = s.count("every", 1000);
  c.shared = s.rate("shared");
  c.node = s.rate("node");
  c.copy = s.rate("copy");
  c.target = s.rate("target");
  c.stripes = s.count("stripes", 1);
  c.to = s.word("to", "");
  s.finish();
  const bool said = c.shared.value > 0 || c.node.value > 0;
  if (!said && c.to.empty())
    throw InputError("checkpoint " + s.name() +
                     ": shared or node has to say how fast it is written, in GB/s, or to=NAME where to");
  if (said && !c.to.empty())
    throw InputError("checkpoint " + s.name() + ": to=" + c.to + " says how fast it is written; leave out " +
                     (c.shared.value > 0 ? "shared" : "node"));
  if (s.has("stripes") && c.target.value == 0 && c.to.empty())
    throw InputError("checkpoint " + s.name() +
                     ": stripes needs target, what one stripe writes in GB/s, or to");
  return c;
}

void take_storage(Checkpoint& c, const Description& platform) {
  if (c.to.empty()) return;
  const Storage to = storage(platform, c.to, "checkpoint");
  (to.shared ? c.shared : c.node) = to.write;
  c.least = to.least, c.most = to.most;
  if (c.target.value == 0) c.target = to.target;
  if (c.stripes > 1 && c.target.value == 0)
    throw InputError("checkpoint: stripes needs target: the platform does not say what one of " + to.name +
                     " writes");
}

CheckpointBytes checkpoint_bytes(const Training& t) {
  const Plan plan(t);
  // bytes per parameter: 32-bit parameters and one or two moments
  const Bytes each(plan.adam() ? 12 : 8);
  const bool shares = t.framework.reduction == Framework::Reduction::sharded;  // ranks write their shares
  CheckpointBytes bytes;
  bytes.whole = t.model.parameters() * each;
  std::vector<Bytes> of_stage;
  for (int stage = 0; stage < plan.pipeline; ++stage)
    of_stage.push_back((shares ? plan.sharded_parameters(stage) : plan.parameters(stage)) * each);
  bytes.of_rank = *std::ranges::max_element(of_stage);
  const Rank replica = plan.tensor * plan.spatial * std::max(plan.expert_parallel, t.framework.shard);
  const bool all = shares && t.framework.shard == 0;
  const auto writes = [&](Rank within) { return all || (within < replica && within % plan.spatial == 0); };
  const Bytes fullest = plan.fullest_node([&](Plan::Place p) {
    return writes(p.within) ? of_stage[static_cast<std::size_t>(p.stage)] : Bytes();
  });
  bytes.of_node = std::min(bytes.whole, fullest);
  return bytes;
}

Stage slowest_write(const Checkpoint& c, const Training& t) {
  const CheckpointBytes bytes = checkpoint_bytes(t);
  const auto called = [&](const char* otherwise) { return c.to.empty() ? otherwise : c.to; };
  const std::array<Stage, 4> parts = {
      {{called("shared file system"), over(bytes.whole, c.shared)},
       {through_adapters, c.shared.value > 0 ? over(bytes.of_node, t.adapters.rate) : Seconds()},
       {called("node's disk"), over(bytes.of_node, c.node)},
       {"a file's stripes", over(bytes.of_rank, 1.0 * c.stripes * c.target)}}};
  return *std::ranges::max_element(parts, {}, &Stage::time);
}

Seconds checkpoint_stall(const Checkpoint& c, const Training& t, Seconds step) {
  const Seconds copy = over(checkpoint_bytes(t).of_rank, c.copy), write = slowest_write(c, t).time;
  if (!c.background) return copy + write;
  return copy + std::max(Seconds(), write - c.every * step);
}

}  // namespace collcast::workloads
