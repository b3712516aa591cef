// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Each source's message goes in K chunks.
struct Stream {
  Block sources, chunks;
  Rank ranks;

  explicit Stream(const Call& c) : sources(c.root + 1), chunks(c.segments), ranks(c.ranks) {}

  void copy(Block source, Block chunk, Step& step) const {
    const auto r = static_cast<Rank>(source);
    step.send({r, Memory::device}, {r, Memory::host}, {source * chunks + chunk});
  }
  void multicast(Block source, Block chunk, Step& step) const {
    step.multicast({static_cast<Rank>(source), Memory::host}, {0, ranks}, {source * chunks + chunk});
  }
  /// Multicasts a chunk that is in host memory, while the next one is copied there.
  void stream(Block source, Block chunk, Step& step) const {
    if (chunk + 1 < chunks) copy(source, chunk + 1, step);
    multicast(source, chunk, step);
  }
  Schedule schedule(std::int64_t steps, Schedule::Rule rule) const {
    return {ranks, sources * chunks, ranks == 1 ? 0 : steps, std::move(rule)};
  }
};

Schedule one_after_the_other(const Call& c) {
  const Stream s(c);
  return s.schedule(s.sources * (s.chunks + 1), [s](std::int64_t i, Step& step) {
    const Block source = i / (s.chunks + 1), chunk = i % (s.chunks + 1);
    chunk == 0 ? s.copy(source, 0, step) : s.stream(source, chunk - 1, step);
  });
}

Schedule prestaged(const Call& c) {
  const Stream s(c);
  return s.schedule(1 + s.sources * s.chunks, [s](std::int64_t i, Step& step) {
    if (i > 0) return s.stream((i - 1) / s.chunks, (i - 1) % s.chunks, step);
    for (Block source = 0; source < s.sources; ++source) s.copy(source, 0, step);
  });
}

/// A receiver takes one chunk from each source in turn.
Schedule overlapped(const Call& c) {
  const Stream s(c);
  return s.schedule(s.chunks + 1, [s](std::int64_t i, Step& step) {
    for (Block source = 0; source < s.sources; ++source) {
      if (i < s.chunks) s.copy(source, i, step);
      if (i > 0) s.multicast(source, i - 1, step);
    }
  });
}

Seconds one_source(const Call& c, const AlphaBetaGamma& m) {
  if (c.ranks == 1) return {};
  return static_cast<double>(c.segments) * m.alpha + c.message / (c.root + 1.0) * m.beta;
}

Seconds one_source_at_a_time(const Call& c, const AlphaBetaGamma& m) {
  return (c.root + 1.0) * one_source(c, m);
}

}  // namespace

const Algorithm multi_broadcast_streaming{
    .collective = Collective::multi_broadcast,
    .name = "streaming",
    .description = "the sources take turns: each copies chunks to host memory and multicasts them from there",
    .segmented = true,
    .formula = "m K a + n b and the first copy of each, m = sources (nothing on one rank)",
    .source = "Chu et al., ICPP 2017",
    .schedule = one_after_the_other,
    .time = one_source_at_a_time,
};

const Algorithm multi_broadcast_prestaged{
    .collective = Collective::multi_broadcast,
    .name = "prestaged",
    .description = "the sources take turns to stream, but all copy their first chunks at the start",
    .segmented = true,
    .formula = "m K a + n b and the first copy, m = sources (nothing on one rank)",
    .source = "Chu et al., ICPP 2017",
    .schedule = prestaged,
    .time = one_source_at_a_time,
};

const Algorithm multi_broadcast_overlapped{
    .collective = Collective::multi_broadcast,
    .name = "overlapped",
    .description = "all sources stream at once",
    .segmented = true,
    .formula = "min(m, p-1) (K a + n/m b) and the first copy, m = sources",
    .source = "Chu et al., ICPP 2017",
    .schedule = overlapped,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          // What a rank takes in: every source's message but its own.
          return std::min(c.root + 1.0, c.ranks - 1.0) * one_source(c, m);
        },
};

}  // namespace collcast
