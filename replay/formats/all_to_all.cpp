// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/all_to_all.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace collcast {
namespace {

/// The bytes to or from each member, in these proportions; empty if the proportions are not one per member.
std::vector<Bytes> parts_of(const std::vector<int>& proportions, Bytes all, Rank ranks) {
  if (proportions.empty()) return {all / ranks};
  double sum = 0;
  for (const int p : proportions) sum += p;
  if (std::ssize(proportions) != ranks || std::ranges::min(proportions) < 0 || (sum == 0 && all > Bytes()))
    return {};
  std::vector<Bytes> parts;
  for (const int p : proportions) parts.push_back(sum > 0 ? Bytes(all.value * p / sum) : Bytes());
  return parts;
}

}  // namespace

void set_parts(Activity& call, const std::vector<int>& sent, const std::vector<int>& received, Bytes in,
               Bytes out, Rank ranks) {
  if (call.collective != Collective::alltoall || (sent.empty() && received.empty())) return;
  const auto to = parts_of(sent, in, ranks), from = parts_of(received, out, ranks);
  call.direct = !to.empty() && !from.empty();
  if (call.direct) call.counts = std::make_shared<Counts>(Counts{{}, to, from});
}

void compare_parts(RecordedSource& source) {
  std::map<std::pair<int, std::int64_t>, std::vector<Activity*>> calls;  // by communicator, in order
  for (const Rank r : source.info().recorded_ranks) {
    std::map<int, std::int64_t> numbers;
    for (int s = 0; s < source.streams(r); ++s)
      for (Activity& a : source.at(r, s))
        if (a.kind == Activity::Kind::collective && a.collective == Collective::alltoall)
          calls[{a.communicator, numbers[a.communicator]++}].push_back(&a);
  }
  const auto differ = [](const std::vector<Bytes>& parts) {
    return std::ranges::any_of(parts, [&](Bytes b) { return b != parts[0]; });
  };
  std::int64_t unknown = 0;
  for (const auto& of_call : calls) {
    const std::vector<Activity*>& all = of_call.second;
    const bool uneven = std::ranges::any_of(all, [&](const Activity* a) {
      return a->counts &&
             (a->message != all[0]->message || differ(a->counts->sent) || differ(a->counts->received));
    });
    const auto& members = source.communicators()[static_cast<std::size_t>(of_call.first.first)];
    const bool known =
        all.size() == members.size() && std::ranges::all_of(all, [](const Activity* a) { return a->direct; });
    if (uneven && known) continue;
    unknown += uneven;
    for (Activity* a : all) a->direct = false, a->counts.reset();
  }
  if (unknown)
    source.info().notes.push_back(
        std::to_string(unknown) +
        " all-to-alls of unequal parts are taken as of equal ones: not all of their "
        "ranks say theirs");
}

}  // namespace collcast
