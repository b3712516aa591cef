// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/deepspeed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

constexpr std::string_view call_marker = "comm op: ", size_marker = "| msg size: ", table_marker = "Comm. Op";

/// A line of the log: one call, or `times` equal ones.
struct CommLine {
  std::string operation;
  Bytes input;
  Seconds time;
  std::int64_t times = 1;
  double algbw = 0, busbw = 0;
};

/// "98.25 MB" in units of 1024, "0B"; nothing if it is no size.
std::optional<Bytes> size_of(std::string_view text) {
  const auto number = leading_number<double>(text);
  if (!number || !(number->value >= 0)) return {};
  std::string_view unit = number->rest;
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::string_view prefixes = "BKMGT";
  const auto power = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]);
  if (power == std::string_view::npos) return {};
  return Bytes(std::ldexp(number->value, 10 * static_cast<int>(power)));
}

/// What follows "key: " up to the next bar; 0 if there is nothing of the kind.
double field(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  const double value = at == std::string_view::npos ? 0 : leading_or(line.substr(at + key.size()), 0.0);
  return std::isfinite(value) ? std::max(value, 0.0) : 0;
}

class CommLog {
 public:
  explicit CommLog(const std::string& path) {
    Input input(path);
    for (std::string line; input.line(line);)
      if (const auto at = line.find(call_marker); at != std::string::npos)
        call(line, at);
      else
        table(line);
  }

  std::map<Rank, std::vector<CommLine>> calls;
  std::vector<CommLine> summary;
  std::int64_t unreadable = 0;

 private:
  /// "[Rank 0] comm op: all_reduce | time (ms): 0.11 | msg size: 6.0 MB", in other versions with "rank=0 | "
  /// before the call.
  void call(std::string_view line, std::size_t at) {
    const std::string_view before = line.substr(0, at), rest = line.substr(at + call_marker.size());
    const double rank = field(before, before.find("rank=") == std::string_view::npos ? "[Rank " : "rank=");
    const auto size_at = rest.find(size_marker);
    const auto size =
        size_at == std::string_view::npos ? std::nullopt : size_of(rest.substr(size_at + size_marker.size()));
    if (!size || rank >= most_recorded_ranks) {
      ++unreadable;
      return;
    }
    calls[static_cast<Rank>(rank)].push_back({std::string(rest.substr(0, rest.find_first_of(" |"))), *size,
                                              Seconds(1e-3 * field(rest, "time (ms): ")), 1,
                                              field(rest, "algbw (Gbps): "), field(rest, "busbw (Gbps): ")});
  }

  /// Reads a row of a table with sizes and bandwidths, under its operation. Tables of 2023 have a column of
  /// stragglers as well.
  void table(const std::string& line) {
    if (line.find(table_marker) != std::string::npos) {
      inside_ = line.find("tput") != std::string::npos;
      has_stragglers_ = line.find("straggler") != std::string::npos;
      if (inside_) summary.clear();
      return;
    }
    if (!inside_ || line.empty()) return;
    if (line[0] != ' ') {
      inside_ = line[0] != '[' && line[0] != '-' && line[0] != '_';
      operation_ = line.substr(0, line.find_first_of(" |"));
      return;
    }
    std::istringstream words(line);
    std::string value, unit;
    CommLine row;
    double total = 0, stragglers = 0, mean = 0;
    words >> value;
    if (!value.ends_with('B')) words >> unit;
    words >> row.times >> total;
    if (has_stragglers_) words >> stragglers;
    words >> mean >> row.algbw >> row.busbw;
    const auto size = size_of(value + " " + unit);
    if (!words || !size || row.times <= 0 || row.times > 1'000'000'000'000 || !std::isfinite(total)) {
      ++unreadable;
      return;
    }
    row.operation = operation_;
    row.input = *size;
    row.time = Seconds(1e-3 * std::max(total, 0.0) / static_cast<double>(row.times));
    summary.push_back(row);
  }

  bool inside_ = false, has_stragglers_ = false;
  std::string operation_;
};

/// Whether every version of DeepSpeed computes this operation's busbw from the number of ranks; the first
/// ones did so for broadcasts, too.
bool always_reckoned(const CommLine& line) {
  const auto c = collective_of(line.operation);
  return c == Collective::allreduce || c == Collective::allgather || c == Collective::reduce_scatter ||
         c == Collective::alltoall;
}

/// The fastest line in which busbw and algbw differ, as rounding matters least there. Prefers operations that
/// are always computed with the ranks; nullptr if there is no such line.
const CommLine* least_rounded(const std::vector<CommLine>& lines) {
  const auto worth = [](const CommLine& l) { return std::pair(always_reckoned(l), l.algbw); };
  const CommLine* best = nullptr;
  for (const CommLine& l : lines)
    if (l.busbw < l.algbw && l.busbw > 0 && (!best || worth(l) > worth(*best))) best = &l;
  return best;
}

/// The number of ranks that DeepSpeed computed busbw with, as far as two printed digits tell.
struct Reckoned {
  bool differ = false;       ///< busbw and algbw differ in some line
  Rank ranks = 0;            ///< 0: no line says
  Rank least = 0, most = 0;  ///< the numbers of ranks that round to the same
};

/// Solves busbw / algbw = (n - 1) / n for n.
Reckoned reckoned(const std::vector<CommLine>& lines) {
  constexpr double rounding = 0.005 + 1e-9;
  const CommLine* line = least_rounded(lines);
  if (!line) return {};
  const auto ranks = [&](double bus, double alg) {
    return bus < alg ? 1 / (1 - bus / alg) : std::numeric_limits<double>::infinity();
  };
  const double n = std::round(ranks(line->busbw, line->algbw));
  const double least = std::ceil(ranks(line->busbw - rounding, line->algbw + rounding)),
               most = std::floor(ranks(line->busbw + rounding, line->algbw - rounding));
  if (n < std::max(least, 2.0) || n > most || n > most_recorded_ranks) return {true};
  return {true, static_cast<Rank>(n), static_cast<Rank>(least),
          static_cast<Rank>(std::min<double>(most, most_recorded_ranks))};
}

/// "16 ranks", with the range of numbers that the ratio allows.
std::string said_of(const Reckoned& r) {
  std::string note = std::to_string(r.ranks) + " ranks: what DeepSpeed's busbw and algbw differ by";
  if (r.least < r.most)
    note += ", as rounded, for " + std::to_string(r.least) + " to " + std::to_string(r.most) + " ranks";
  return note;
}

Activity activity(RecordedSource& source, const CommLine& line) {
  Activity a;
  if (const auto collective = collective_of(line.operation)) {
    a = collective_activity(*collective, 0, message_of(*collective, line.input, Bytes(0), source.ranks()));
    a.time = line.time;
  } else {
    a.kind = Activity::Kind::skipped;
    a.operation = a.call = source.keep(line.operation);
    a.note = "its peer is not said";
  }
  a.duration = line.time;
  a.times = line.times;
  return a;
}

}  // namespace

bool is_deepspeed(std::string_view head) {
  return (head.find(call_marker) != std::string_view::npos &&
          head.find(size_marker) != std::string_view::npos) ||
         (head.find(table_marker) != std::string_view::npos &&
          head.find("busbw_avg") != std::string_view::npos);
}

std::unique_ptr<Source> open_deepspeed(const std::vector<std::string>& files, const OpenOptions&) {
  std::map<Rank, std::vector<CommLine>> ranks;
  std::int64_t unreadable = 0, tables = 0;
  bool ordered = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    CommLog log(files[i]);
    unreadable += log.unreadable;
    const bool calls = !log.calls.empty();
    if (i > 0 && calls != ordered)
      throw InputError(files[i] + ": has a summary or calls, " + files[0] + " the other");
    ordered = calls;
    tables += calls && !log.summary.empty();
    if (!calls && !log.summary.empty()) log.calls[static_cast<Rank>(i)] = std::move(log.summary);
    for (auto& [rank, lines] : log.calls)
      if (!ranks.emplace(rank, std::move(lines)).second)
        throw InputError("two files claim rank " + std::to_string(rank) + ": the second is " + files[i]);
  }
  if (ranks.empty()) throw InputError(files[0] + ": a DeepSpeed log without calls of which the size is said");
  Reckoned said;
  for (const auto& [rank, lines] : ranks)
    if (const Reckoned r = reckoned(lines); r.ranks > said.ranks || !said.differ) said = r;
  auto source = std::make_unique<RecordedSource>(std::max(said.ranks, ranks.rbegin()->first + 1));
  SourceInfo& info = source->info();
  for (const auto& [rank, lines] : ranks) {
    info.recorded_ranks.push_back(rank);
    for (const CommLine& line : lines) source->at(rank).push_back(activity(*source, line));
  }
  info.ordered = ordered;
  info.unknown = {"groups (all ranks are taken to take part), roots and peers",
                  "computation, and what overlaps", "sizes beyond their first digits (rounded to 0.5 %)"};
  if (said.ranks > 0) {
    info.notes.push_back(said_of(said));
  } else {
    mark_if_unscalable(*source);
    info.notes.push_back("how many ranks there are is not said, as busbw and algbw differ " +
                         std::string(said.differ ? "by what no number of ranks makes" : "nowhere") +
                         ": taken as " + std::to_string(source->ranks()) +
                         (info.unscalable.empty() ? "; `replay --ranks` takes more" : ""));
  }
  if (tables) info.notes.push_back("summaries are left out, as calls are there one by one");
  info.lose("log line", unreadable, "without a size");
  if (ordered) compare_ranks(*source);
  return source;
}

}  // namespace collcast
