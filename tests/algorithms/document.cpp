// SPDX-License-Identifier: Apache-2.0
#include "tests/algorithms/document.hpp"

#include <algorithm>
#include <sstream>

#include "algorithms/catalogue.hpp"

namespace collcast {
namespace {

constexpr auto introduction = R"(# The catalogue of algorithms

Every row is one schedule with one formula. The tests prove each schedule for 1 to 64 ranks and compare its
formula with its critical path. This page is generated from the catalogue; a test fails when it is stale.

- a, b, g: seconds per message, per byte sent, per byte reduced, on a machine whose ranks have one full-duplex
  port. n: the message, as nccl-tests counts it. p: ranks. lg: logarithm to base 2.
- k: `radix`. K: segments, from `segment`; `--segment auto` searches the fastest by critical path on a platform.
  c: `channels`. q: `ranks-per-node`; N = p/q nodes. B: blocks of n/p in a `buffer`.
- Steps, messages and bytes are those of 8 ranks (k = 2, K = 4, c = 2, q = 4); a multicast
  counts once. "Most" is what the busiest rank sends.
- A picture shows the first steps of 8 ranks, from rank 0 if there is a root. Under each rank stands what it
  sends: `>3 [4-7]` is blocks 4 to 7 to rank 3, `+3 [0]` is block 0 to be reduced into rank 3's. `^3 [0]`
  is block 0 to be reduced in the network on its way to rank 3. `0h` is rank 0's host memory, where GPU designs go through it.

## GPU broadcasts

`ring-*`, `knomial-*`, `multicast`, `multicast-streaming` and `multi-broadcast` are the designs of the ICPP 2017 study, from one source and
from m. On the machine that it assumes (tests/algorithms/gpu_machine.hpp) their critical paths are its printed
formulas, to 1e-9. The times below are those of a machine with one port per rank and one memory, where they differ so:

`ring-direct`, `ring-staging` and `ring-pipeline` send to one rank at a time anyway. Only the copies of staging cost
nothing here: the study counts the root's copy to its host, not the others' copies from theirs.

`knomial-direct`, `knomial-staging` and `knomial-pipeline`: the study lets a rank send to the k - 1 children of a round as
to one. A rank with one port serves them one after the other, so a round takes up to k - 1 times as long; for k = 2
both agree. Pipelining never helps: every chunk leaves the root once per round.

Multicasts of device memory, in one message (`multicast`) or streamed through host memory chunk by chunk
(`multicast-streaming`), cost the same for any number of ranks; the number matters only through the overhead of a packet.
Packets are the network's: what each costs is part of a message's alpha (docs/platforms.md). The printed formula of
streaming holds where a chunk takes longer on the wire than its copy; otherwise the copies set the pace, and the critical
path says so.

Of m sources the study prints a timeline and no formula. `multi-broadcast multicast` and `streaming` take turns from the
first byte on; `prestaged` sources copy their first chunks at the same time, then take turns, so that m - 1 copies are
hidden (overlap within a node); `overlapped` sources send at once (overlap across nodes). A receiver with one port still
takes one chunk after the other: all m messages, or m - 1 at a source, so that with slow reads `overlapped` gains no more
than `prestaged` unless every rank is a source. Where receivers take data in faster than a source gives it out, with
r adapters each, ceil(m/r) messages follow each other; with one adapter per source all m take the time of one.
)";

constexpr Rank shown_ranks = 8;
constexpr int shown_steps = 4;

Call example(const Algorithm& a) {
  return {.ranks = shown_ranks,
          .message = Bytes(32768),
          .segments = a.segmented ? 4 : 1,
          .channels = a.channels ? 2 : 1,
          .ranks_per_node = a.ranks_per_node ? 4 : 1};
}

std::string blocks(std::span<const Chunk> pieces) {
  std::string list;
  for (const Chunk& c : pieces) {
    if (c.count == 0) continue;
    list += (list.empty() ? "" : ",") + std::to_string(c.first);
    if (c.count > 1) list += "-" + std::to_string(c.first + c.count - 1);
  }
  return "[" + list + "]";
}

std::string name(Place place) {
  return std::to_string(place.rank) + (place.memory == Memory::host ? "h" : "");
}

/// A column per rank, a line per message that a rank sends in a step.
using Column = std::vector<std::string>;

std::vector<Column> columns(const Step& step) {
  std::vector<Column> sent(shown_ranks);
  for (const Transfer& t : step.transfers)
    sent[static_cast<std::size_t>(t.from.rank)].push_back((t.combine == Combine::copy ? ">" : "+") +
                                                          name(t.to) + " " + blocks(step.pieces(t)));
  for (const Multicast& m : step.multicasts)
    sent[static_cast<std::size_t>(m.from.rank)].push_back(">all " + blocks({&m.chunk, 1}));
  for (const Reduction& m : step.reductions)
    for (Rank i = 0; i < m.from.count; ++i)
      if (m.from[i] != m.to.rank)
        sent[static_cast<std::size_t>(m.from[i])].push_back("^" + name(m.to) + " " + blocks({&m.chunk, 1}));
  return sent;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string picture(const Schedule& s) {
  std::vector<std::vector<Column>> steps;
  for_each_step(s, true, [&](const Step& step) {
    if (steps.size() < shown_steps) steps.push_back(columns(step));
  });
  std::vector<std::size_t> width(shown_ranks, 1);
  for (const auto& step : steps)
    for (std::size_t r = 0; r < width.size(); ++r)
      for (const std::string& cell : step[r]) width[r] = std::max(width[r], cell.size());
  std::string lines = "rank   ";
  for (std::size_t r = 0; r < width.size(); ++r) lines += "  " + padded(std::to_string(r), width[r]);
  lines.erase(lines.find_last_not_of(' ') + 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::size_t height = 1;
    for (const Column& column : steps[i]) height = std::max(height, column.size());
    for (std::size_t line = 0; line < height; ++line) {
      lines += "\n" + padded(line == 0 ? "step " + std::to_string(i) : "", 7);
      for (std::size_t r = 0; r < width.size(); ++r)
        lines += "  " + padded(line < steps[i][r].size() ? steps[i][r][line] : "", width[r]);
      lines.erase(lines.find_last_not_of(' ') + 1);
    }
  }
  if (s.steps > shown_steps) lines += "\n...";
  return lines;
}

std::string row(const Algorithm& a) {
  const Call call = example(a);
  const Schedule s = a.schedule(call);
  const Traffic t = traffic(s);
  const double whole = static_cast<double>(definition(a.collective).whole(call.ranks));
  auto messages = [&](Block count) {
    std::ostringstream n;
    n.precision(4);
    n << static_cast<double>(count) * whole / static_cast<double>(s.blocks) << " n";
    return whole == 0 ? std::string("none") : n.str();
  };
  std::string names;
  for (std::string_view name : parameters(a))
    names += (names.empty() ? "`" : ", `") + std::string(name) + "`";

  std::ostringstream out;
  out << "\n### " << definition(a.collective).name << " " << a.name << "\n\n"
      << a.description << ".\n\n"
      << "- ranks: " << a.ranks << "\n"
      << "- parameters: " << (names.empty() ? "none" : names) << "\n"
      << "- time" << (a.exact ? "" : " at most") << ": `" << a.formula << "`\n"
      << "- 8 ranks: steps " << s.steps << "; messages " << t.messages << ", most " << t.max_messages_sent
      << "; bytes on the wire " << messages(t.blocks) << ", most " << messages(t.max_blocks_sent) << "\n"
      << "- source: " << a.source << "\n\n```\n"
      << picture(s) << "\n```\n";
  return out.str();
}

}  // namespace

std::string document() {
  std::string page = introduction;
  for (const Definition& d : definitions()) {
    const auto rows = algorithms(d.collective);
    if (rows.empty()) continue;
    page += "\n## " + std::string(d.name) + "\n";
    for (const Algorithm* a : rows) page += row(*a);
  }
  return page;
}

}  // namespace collcast
