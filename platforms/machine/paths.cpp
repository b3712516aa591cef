// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/paths.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "platforms/description/plausible.hpp"

namespace collcast {
namespace {

/// Picks the alpha, beta and gamma of all classes of paths of the machine, and of all memories that reduce,
/// by `pick(a, b)`.
template <class Pick>
AlphaBetaGamma over_paths(const Machine& machine, Memory memory, Pick pick) {
  const std::vector<Rank>& ranks = machine.representatives();
  AlphaBetaGamma best{{}, {}, machine.gamma({ranks.front(), memory})};
  bool first = true;
  for (Rank a : ranks) {
    best.gamma = pick(best.gamma, machine.gamma({a, memory}));
    for (Rank b : ranks) {
      if (a == b) continue;
      const Wire small = machine.wire({a, memory}, {b, memory}, Bytes(0));
      const Wire large = machine.wire({a, memory}, {b, memory}, machine.sizes().back());
      const Seconds alpha = small.overhead + small.latency + small.receive_overhead;
      best.alpha = first ? alpha : pick(best.alpha, alpha);
      best.beta = first ? large.per_byte : pick(best.beta, large.per_byte);
      first = false;
    }
  }
  return best;
}

}  // namespace

AlphaBetaGamma slowest_path(const Machine& machine, Memory memory) {
  return over_paths(machine, memory, [](auto a, auto b) { return std::max(a, b); });
}

AlphaBetaGamma fastest_path(const Machine& machine, Memory memory) {
  return over_paths(machine, memory, [](auto a, auto b) { return std::min(a, b); });
}

std::vector<Parameter> unused_parameters(const Description& description) {
  const auto ranks = static_cast<Rank>(std::min<std::int64_t>(max_ranks(description), 1 << 20));
  const std::set<std::string> used = Machine(description, ranks).used_parameters(),
                              blocking = Machine(with_blocking_sends(description), ranks).used_parameters();
  // Blocking sends, which some policies have, use this limit instead of the usual one.
  const auto is_used = [&](std::string path) {
    if (const auto at = path.find("blocking_eager_limit_KiB"); at != std::string::npos)
      return blocking.contains(path.erase(at, std::string_view("blocking_").size()));
    return used.contains(path);
  };
  std::vector<Parameter> unused;
  for (Parameter& p : description.parameters())
    if (!is_used(p.path)) unused.push_back(std::move(p));
  return unused;
}

std::vector<std::string> notes_on_unused(const Description& description, Work work) {
  std::vector<std::string> notes;
  const auto what_if = [work](const Parameter& p) {
    return p.stamp == Stamp::what_if && p.path != "node.price_per_hour_USD" && p.path != "node.power_W" &&
           !p.path.starts_with("software.nccl.") &&
           !(work == Work::computation && (p.path.starts_with("devices.") || p.path.starts_with("storage.")));
  };
  if (std::ranges::none_of(description.parameters(), what_if)) return notes;
  for (const Parameter& p : unused_parameters(description))
    if (what_if(p)) notes.push_back(p.path + " has no effect: no message and no reduction uses it");
  return notes;
}

std::vector<std::string> notes_on_settings(const Description& platform, Work work) {
  std::vector<std::string> notes = notes_on_unused(platform, work);
  for (std::string& words : implausible(platform)) notes.push_back(std::move(words));
  return notes;
}

}  // namespace collcast
