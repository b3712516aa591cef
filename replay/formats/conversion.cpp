// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/conversion.hpp"

#include <algorithm>

namespace collcast {
namespace {

Loss lost_end(const Source& source) {
  return {"end", source.ranks(),
          "of ranks may come before others are done; the format is read as if all were there"};
}

}  // namespace

bool LossCount::lacks(const Activity& a) {
  using Kind = Activity::Kind;
  if (a.kind == Kind::pause) add("pause", "becomes computation, which is all that the format has", a.time);
  if (a.kind == Kind::skipped) add(a.call, a.note, a.duration);
  if (a.kind != Kind::skipped && a.sized) return false;
  if (!a.sized && a.kind != Kind::skipped) add(a.operation, "of unknown size", a.duration);
  return true;
}

Losses LossCount::losses(const Source& source) const {
  Losses all = source.info().losses;
  for (Loss& loss : counts_.all(recorded_over_ranks(source).value)) all.push_back(std::move(loss));
  all.insert(all.end(), more_.begin(), more_.end());
  return all;
}

std::vector<std::int64_t> wholes(const std::vector<Bytes>& sizes, Rank ranks) {
  std::vector<std::int64_t> all;
  for (Rank r = 0; r < ranks; ++r)
    all.push_back(whole(sizes.size() == 1 ? sizes[0] : sizes.at(static_cast<std::size_t>(r))));
  return all;
}

std::vector<bool> in_order(const Source& source) {
  std::vector<bool> all;
  for (const std::vector<Rank>& members : source.communicators())
    all.push_back(std::ranges::is_sorted(members));
  return all;
}

void add_facts_of_ours(Losses& losses, const Source& source) {
  const std::string said = ", which an attribute of ours says that other tools pass over";
  if (source.info().memory == Memory::host)
    losses.push_back({"memory", source.ranks(), "is the host's" + said});
  if (source.info().truncated) losses.push_back(lost_end(source));
  if (source.info().by_mpi) losses.push_back({"library", source.ranks(), "is MPI" + said});
}

void add_lost_facts(Losses& losses, const Source& source) {
  if (source.info().memory == Memory::device)
    losses.push_back({"memory", source.ranks(),
                      "is the GPUs'; the format is read as of the host (replay --memory device)"});
  if (source.info().truncated) losses.push_back(lost_end(source));
  if (!source.info().by_mpi)
    losses.push_back({"library", source.ranks(), "is NCCL; the format is read as MPI's"});
}

}  // namespace collcast
