// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_inspector.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// A line: one operation of one rank of a communicator.
struct InspectorLine {
  std::string process, communicator, operation;
  Rank rank, ranks;
  std::int64_t number;
  double bytes, seconds, begin_us = -1;
  Rank peer = -1;
};

bool read_line(const JsonValue& value, InspectorLine& line) {
  const JsonValue header = value["header"], metadata = value["metadata"];
  const JsonValue coll = value["coll_perf"], p2p = value["p2p_perf"];
  const bool message = coll.null();
  const JsonValue perf = message ? p2p : coll;
  const std::string prefix = message ? "p2p" : "coll";
  if (perf.null() || header.null()) return false;
  line.process =
      std::string(metadata["hostname"].text()) + ":" + std::to_string(metadata["pid"].integer().value_or(0));
  line.communicator = header["id"].text();
  const auto rank = header["rank"].integer().value_or(-1), ranks = header["n_ranks"].integer().value_or(-1);
  if (rank < 0 || ranks <= rank || ranks > most_recorded_ranks) return false;
  line.rank = static_cast<Rank>(rank);
  line.ranks = static_cast<Rank>(ranks);
  line.operation = perf[prefix].text();
  line.number =
      std::clamp<std::int64_t>(perf[prefix + "_sn"].integer().value_or(0), 0, std::int64_t{1} << 60);
  line.bytes = perf[prefix + "_msg_size_bytes"].number().value_or(-1);
  line.seconds = 1e-6 * perf[prefix + "_exec_time_us"].number().value_or(-1e6);
  const auto peer = perf["p2p_peer"].integer().value_or(-1);
  line.peer = peer >= 0 && peer < ranks ? static_cast<Rank>(peer) : -1;
  const JsonValue trace = perf["event_trace_ts"];
  for (const JsonValue& kernel : trace["kernel_events"].items())
    if (const auto at = kernel["kernel_start_ts"].number())
      line.begin_us = line.begin_us < 0 ? *at : std::min(line.begin_us, *at);
  if (line.begin_us < 0) line.begin_us = trace[prefix + "_start_ts"].number().value_or(-1);
  return line.bytes >= 0 && line.bytes < 1e18 && !line.operation.empty();
}

/// Ranks of the job: those of the largest communicator; processes that are in none of that size follow.
std::map<std::pair<std::string, Rank>, Rank> number_ranks(const std::vector<InspectorLine>& lines,
                                                          Rank& world) {
  for (const InspectorLine& l : lines) world = std::max(world, l.ranks);
  std::map<std::pair<std::string, Rank>, Rank> ranks;  // by process and rank in the communicator
  std::map<std::string, std::set<Rank>> of_process;
  for (const InspectorLine& l : lines)
    if (l.ranks == world) ranks[{l.process, l.rank}] = l.rank, of_process[l.process].insert(l.rank);
  for (const InspectorLine& l : lines) {
    if (l.ranks == world) continue;
    const auto known = of_process.find(l.process);
    ranks.try_emplace({l.process, l.rank + most_recorded_ranks},
                      known == of_process.end() ? l.rank : *known->second.begin());
  }
  return ranks;
}

}  // namespace

bool is_nccl_inspector(std::string_view head) {
  return head.find("\"coll_perf\"") != std::string_view::npos ||
         head.find("\"p2p_perf\"") != std::string_view::npos;
}

std::unique_ptr<Source> open_nccl_inspector(const std::vector<std::string>& files, const OpenOptions&) {
  std::vector<InspectorLine> lines;
  std::int64_t damaged = 0;
  JsonText json;
  for (const std::string& file : files) {
    Input input(file);
    for (std::string text; input.line(text);) {
      InspectorLine line;
      if (text.empty()) continue;
      if (read_line(json.parse(text), line))
        lines.push_back(std::move(line));
      else
        ++damaged;
    }
  }
  if (lines.empty()) throw InputError(files[0] + ": has no line with header and coll_perf or p2p_perf");
  Rank world = 1;
  const auto ranks = number_ranks(lines, world);
  auto source = std::make_unique<RecordedSource>(world);
  SourceInfo& info = source->info();
  info.unknown = {"element types, roots, reduction operators, streams", "computation between operations",
                  "operations below the least recorded size, and beyond the ring of 1024"};
  std::ranges::stable_sort(lines, {}, &InspectorLine::begin_us);
  double first_us = -1;
  for (const InspectorLine& l : lines)
    if (l.begin_us >= 0 && first_us < 0) first_us = l.begin_us;
  std::map<std::string, std::vector<Rank>> members;
  for (const InspectorLine& l : lines) {
    auto& m = members[l.communicator];
    m.resize(static_cast<std::size_t>(l.ranks), -1);
    m[static_cast<std::size_t>(l.rank)] =
        ranks.at({l.process, l.ranks == world ? l.rank : l.rank + most_recorded_ranks});
  }
  std::set<Rank> recorded;
  std::map<std::tuple<std::string, std::string, Rank>, std::pair<std::int64_t, std::int64_t>>
      numbers;  // last, missing
  for (const InspectorLine& l : lines) {
    const auto& m = members.at(l.communicator);
    const Rank me = m[static_cast<std::size_t>(l.rank)];
    const std::set<Rank> distinct(m.begin(), m.end());
    const bool whole = distinct.size() == m.size() && !distinct.contains(-1);
    const int communicator = l.ranks == world || !whole ? 0 : source->communicator(l.communicator, m);
    const auto collective = collective_of(l.operation);
    Activity a;
    if (collective) {
      a = collective_activity(*collective, communicator,
                              message_by_count(*collective, Bytes(l.bytes), l.ranks));
      auto& [last, missing] =
          numbers.try_emplace({l.communicator, l.operation, l.rank}, l.number - 1, 0).first->second;
      missing += std::max<std::int64_t>(0, std::min<std::int64_t>(l.number - last - 1, 1'000'000'000));
      last = std::max(last, l.number);
    } else {
      const bool sends = l.operation == "Send";
      a.kind = l.peer < 0 ? Activity::Kind::skipped : sends ? Activity::Kind::send : Activity::Kind::receive;
      a.operation = a.call = sends ? "send" : "recv";
      a.note = "its peer is not in the communicator";
      a.communicator = communicator;
      (sends ? a.to : a.from) = std::max(l.peer, 0);
      (sends ? a.bytes : a.received_bytes) = Bytes(l.bytes);
    }
    if (l.seconds >= 0) a.duration = a.time = Seconds(l.seconds);
    if (l.begin_us >= 0) a.begin = Seconds(1e-6 * (l.begin_us - first_us));
    source->at(me).push_back(std::move(a));
    recorded.insert(me);
  }
  std::int64_t missing = 0;
  for (const auto& [what, n] : numbers) missing += n.second;
  if (missing)
    info.losses.push_back(
        {"collective", missing, "missing by their sequence numbers; their sizes are unknown"});
  if (damaged) info.losses.push_back({"line", damaged, "damaged, or of another kind"});
  info.recorded_ranks.assign(recorded.begin(), recorded.end());
  if (first_us < 0) info.notes.push_back("without event_trace_ts: operations are in the order of the file");
  compare_ranks(*source);
  return source;
}

}  // namespace collcast
