// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/profile.hpp"

#include <algorithm>
#include <cmath>

#include "replay/formats/names.hpp"
#include "support/text.hpp"

namespace collcast {

void add_profile(RecordedSource& source, Rank rank, const std::vector<ProfiledCall>& calls) {
  SourceInfo& info = source.info();
  info.ordered = false;
  std::int64_t sizeless = 0, timeless = 0;
  for (const ProfiledCall& c : calls) {
    const auto collective = collective_of(c.name);
    Activity a;
    if (collective) a = collective_activity(*collective, 0, Bytes(std::max(c.bytes, 0.0)));
    a.kind = Activity::Kind::collective;
    a.message = Bytes(std::round(std::max(c.bytes, 0.0)));
    a.operation = a.call = source.keep(c.name);
    a.times = c.count;
    a.sized = c.bytes >= 0 || collective == Collective::barrier;
    if (c.total > Seconds()) a.duration = a.time = c.total / static_cast<double>(c.count);
    a.shortest = c.shortest, a.longest = c.longest;
    const bool sends = collective || text::lower(c.name).find("send") != std::string::npos;
    sizeless += sends && !a.sized ? a.times : 0;
    timeless += c.total < Seconds() ? a.times : 0;
    source.at(rank).push_back(std::move(a));
  }
  const auto lose = [&](const std::string& what, std::int64_t count, const std::string& reason) {
    if (count == 0) return;
    const auto found = std::ranges::find(info.losses, reason, &Loss::reason);
    if (found == info.losses.end())
      info.losses.push_back({what, count, reason});
    else
      found->count += count;
  };
  const bool lists_sizes = std::ranges::find(info.unknown, "sizes") == info.unknown.end();
  if (lists_sizes)
    lose("size", sizeless,
         "of calls that are counted: nothing is sent, or no size that is listed is theirs alone");
  lose("time", timeless, "of calls that are counted: none is listed");
}

std::vector<std::string> unknown_to_profiles() {
  return {"order, communicators, roots, peers and computation: how often and how long, not when"};
}

}  // namespace collcast
