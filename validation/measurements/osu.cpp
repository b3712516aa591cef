// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <regex>

#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

/// A test of the suite, by the words of its title between "OSU MPI" and "Test".
struct OsuTest {
  const char* title;
  Timing timing;
  Collective collective = Collective::allreduce;
  bool per_rank = false;  ///< sizes are those of one rank's block
  int window = 1;
  bool pairs_vary = false;
};

using enum Collective;
constexpr OsuTest osu_tests[] = {
    {"Latency", Timing::latency},
    {"Multi Latency", Timing::latency, allreduce, false, 1, true},
    {"Bandwidth", Timing::bandwidth, allreduce, false, 64},
    {"Bi-Directional Bandwidth", Timing::both_ways_bandwidth, allreduce, false, 64},
    {"Bidirectional Bandwidth", Timing::both_ways_bandwidth, allreduce, false, 64},
    {"Multiple Bandwidth / Message Rate", Timing::bandwidth, allreduce, false, 64, true},
    {"Allreduce Latency", Timing::collective, allreduce},
    {"Reduce_scatter Latency", Timing::collective, reduce_scatter},
    {"Allgather Latency", Timing::collective, allgather, true},
    {"Allgatherv Latency", Timing::collective, allgather, true},
    {"Broadcast Latency", Timing::collective, broadcast},
    {"Reduce Latency", Timing::collective, reduce},
    {"Gather Latency", Timing::collective, gather, true},
    {"Gatherv Latency", Timing::collective, gather, true},
    {"Scatter Latency", Timing::collective, scatter, true},
    {"Scatterv Latency", Timing::collective, scatter, true},
    {"All-to-All Personalized Exchange Latency", Timing::collective, alltoall, true},
    {"All-to-Allv Personalized Exchange Latency", Timing::collective, alltoall, true},
    {"Barrier Latency", Timing::collective, barrier},
};

/// What the file has said up to the present line.
struct OsuTable {
  const OsuTest* test = nullptr;
  std::string library;
  std::optional<Memory> from, to;
  int pairs = 1, window = 1;
  std::vector<std::string> columns;  ///< without blanks: "AvgLatency(us)"
  std::vector<Measurement> rows;
};

/// The columns of a header, which are two or more blanks apart, except for tails of bandwidths (-z).
std::vector<std::string> columns(const std::string& header) {
  static const std::regex gap("[ \t]{2,}|\t| (?=P[0-9.]+ Tail)");
  std::string names = header.substr(header.find('#') + 1);
  names.erase(0, names.find_first_not_of(" \t"));
  std::vector<std::string> all;
  for (std::sregex_token_iterator name(names.begin(), names.end(), gap, -1), end; name != end; ++name) {
    std::string column = *name;
    std::erase(column, ' ');
    if (!column.empty()) all.push_back(column);
  }
  return all;
}

std::optional<std::size_t> column(const OsuTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = std::ranges::find(table.columns, name);
    if (found != table.columns.end()) return found - table.columns.begin();
  }
  return std::nullopt;
}

/// The memory of a buffer. Managed memory is where it is touched, which the letters behind it tell from
/// version 7 on.
Memory memory(const Text& text, const Line& line, const std::string& word, const std::string& letters) {
  if (word == "HOST" || letters == "MH") return Memory::host;
  if (word == "DEVICE" || word == "MANAGED") return Memory::device;
  text.reject(line.number, "buffers on " + word + " are not known; HOST, DEVICE and MANAGED are");
}

OsuTable begin(const Text& text, const Line& line, const FileFacts& known) {
  static const std::regex title(R"(# *OSU MPI(-[A-Z]+)? (.+) Test *v?([0-9.]*))");
  std::smatch found;
  if (!std::regex_search(line.text, found, title))
    text.reject(line.number, "an OSU test that is not known; the blocking MPI tests are");
  OsuTable table;
  const std::string name = found[2];
  const auto test = std::ranges::find_if(osu_tests, [&](const OsuTest& t) { return name == t.title; });
  if (test == std::end(osu_tests))
    text.reject(line.number,
                "the OSU test \"" + name +
                    "\" is not known; latency, bandwidth, multi-pair and blocking collective tests are");
  table.test = &*test;
  table.library = "OSU" + (found[3].length() > 0 ? " " + found[3].str() : "");
  // For "OSU MPI-CUDA Latency", a line below tells it until version 7.4; later nothing does.
  const bool devices = found[1].length() > 0;
  if (!devices)
    table.from = table.to = Memory::host;
  else if (test->timing == Timing::collective)
    table.from = table.to = Memory::device;
  table.window = test->window;
  table.pairs = test->pairs_vary ? (known.pairs > 0 ? known.pairs : known.ranks / 2) : 1;
  return table;
}

void read_comment(const Text& text, const Line& line, OsuTable& table) {
  static const std::regex buffers(R"(Send Buffer on (\w+) *\(?(\w*).*Receive Buffer on (\w+) *\(?(\w*))");
  static const std::regex pairs(R"(\[ *pairs: *(\d+) *\])"), window(R"(\[ *window size: *(\d+) *\])");
  std::smatch found;
  if (std::regex_search(line.text, found, buffers)) {
    table.from = memory(text, line, found[1], found[2]);
    table.to = memory(text, line, found[3], found[4]);
  }
  if (std::regex_search(line.text, found, pairs))
    table.pairs = whole(text, line.number, "pairs", found[1], 1);
  if (std::regex_search(line.text, found, window))
    table.window = whole(text, line.number, "window size", found[1], 1);
  if (line.has("(us)") || line.has("B/s")) table.columns = columns(line.text);
}

/// Reads the time of one message per pair from the MB/s of all pairs. Both ways, what comes back counts as
/// well.
void read_bandwidth(const Text& text, const Line& line, const OsuTable& table,
                    const std::vector<std::string>& words, Measurement& m) {
  const auto at = column(table, {"Bandwidth(MB/s)", "Bi-Bandwidth(MB/s)", "MB/s"});
  if (!at) text.reject(line.number, "the table has no column Bandwidth (MB/s) or MB/s");
  if (table.pairs == 0) text.reject(line.number, "the table does not say its pairs; say FILE:pairs=N");
  const Printed rate = positive(text, line.number, table.columns[*at], words[*at]);
  if (m.message.value == 0) text.reject(line.number, "a bandwidth of 0 bytes means nothing");
  const int ways = m.timing == Timing::both_ways_bandwidth ? 2 : 1;
  m.time = Seconds(ways * m.message.value * table.pairs / (rate.value * 1e6));
  m.rounding = rate.rounding();
  if (const auto messages = column(table, {"Messages/s"})) {
    const Printed per_second = positive(text, line.number, "Messages/s", words[*messages]);
    check_rate(text, line.number, table.columns[*at], rate, per_second.value * m.message.value / 1e6,
               per_second.rounding(), "MiB/s");
  }
}

void read_time(const Text& text, const Line& line, const OsuTable& table,
               const std::vector<std::string>& words, Measurement& m) {
  const auto at = column(table, {"Latency(us)", "AvgLatency(us)", "AvgLat(us)"});
  if (!at) text.reject(line.number, "the table has no column Latency (us) or Avg Latency(us)");
  const Printed time = positive(text, line.number, table.columns[*at], words[*at]);
  m.time = Seconds(time.value * 1e-6);
  m.rounding = time.rounding();
}

/// Converts the size of one rank's block to the message as nccl-tests counts it.
void count_message(const Text& text, const Line& line, const OsuTest& test, Measurement& m) {
  if (!test.per_rank) return;
  if (m.ranks == 0)
    text.reject(line.number, operation(m) + " is measured by one rank's block here; say FILE:ranks=N");
  m.message = m.ranks * m.message;
}

Measurement read_row(const Text& text, const Line& line, const OsuTable& table, const FileFacts& known) {
  if (table.test == nullptr) text.reject(line.number, "a row before any title (# OSU MPI ... Test)");
  const std::vector<std::string> words = row(text, line, table.columns);
  Measurement m;
  m.timing = table.test->timing;
  m.collective = table.test->collective;
  m.library = table.library;
  m.ranks = known.ranks;
  m.nodes = known.nodes;
  m.from = table.from;
  m.to = table.to;
  m.pairs = table.pairs;
  m.window = table.window;
  m.line = line.number;
  if (const auto at = column(table, {"Size"}))
    m.message = size(text, line.number, words[*at]);
  else if (m.timing != Timing::collective || m.collective != barrier)
    text.reject(line.number, "the table has no column Size");
  if (const auto at = column(table, {"Validation"}); at && words[*at] != "Pass")
    text.reject(
        line.number,
        "the results were wrong (Validation is not Pass), so that their time says nothing; leave them "
        "out, or give a run of right results");
  const bool rate = m.timing == Timing::bandwidth || m.timing == Timing::both_ways_bandwidth;
  rate ? read_bandwidth(text, line, table, words, m) : read_time(text, line, table, words, m);
  m.mean_over_ranks = m.timing == Timing::collective;
  count_message(text, line, *table.test, m);
  if (m.timing == Timing::collective) return m;
  if (m.ranks == 0) m.ranks = 2 * m.pairs;
  if (!table.test->pairs_vary && m.ranks != 2)
    text.reject(line.number, "this test has 2 ranks, not " + std::to_string(m.ranks));
  if (m.nodes > m.ranks)
    text.reject(line.number,
                std::to_string(m.ranks) + " ranks are not on " + std::to_string(m.nodes) + " nodes");
  return m;
}

void finish(const Text& text, OsuTable& table, std::vector<Measurement>& all) {
  reject_duplicates(text, table.rows);
  all.insert(all.end(), table.rows.begin(), table.rows.end());
}

}  // namespace

bool looks_like_osu(const Line& line) {
  return line.has("# OSU ") || line.has("#OSU ");
}

std::vector<Measurement> read_osu(const Text& text, const FileFacts& known) {
  std::vector<Measurement> all;
  OsuTable table;
  for (const Line& line : text.lines) {
    if (looks_like_osu(line)) {
      finish(text, table, all);
      table = begin(text, line, known);
    } else if (line.has("#")) {
      read_comment(text, line, table);
    } else if (line.numeric()) {
      table.rows.push_back(read_row(text, line, table, known));
    }
  }
  finish(text, table, all);
  return all;
}

}  // namespace collcast::measurements
