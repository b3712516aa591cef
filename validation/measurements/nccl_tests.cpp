// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "support/error.hpp"
#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

using enum Collective;

struct Program {
  const char* name;
  Collective collective;
};
/// Longer names first: "reduce" is in two others.
constexpr Program programs[] = {
    {"all_reduce", allreduce}, {"allreduce", allreduce}, {"reduce_scatter", reduce_scatter},
    {"all_gather", allgather}, {"allgather", allgather}, {"broadcast", broadcast},
    {"alltoallv", alltoallv},  {"alltoall", alltoall},   {"sendrecv", sendrecv},
    {"reduce", reduce},        {"gather", gather},       {"scatter", scatter},
};

/// What a file has said by the line that is being read.
struct NcclTestsTable {
  std::set<std::string> hosts;
  int ranks = 0;
  std::optional<Collective> collective;
  std::vector<std::string> columns;
  std::string library = "nccl-tests";
  std::vector<Measurement> rows;
  std::array<double, 2> fastest = {0, 1};  ///< busbw and algbw of the row with the largest busbw
  bool reduces = false, rooted = false;
};

std::optional<Collective> named(const std::string& words, const std::string& suffix) {
  for (const Program& program : programs)
    if (words.find(program.name + suffix) != std::string::npos) return program.collective;
  return std::nullopt;
}

std::size_t column(const Text& text, const Line& line, const NcclTestsTable& table, const std::string& name,
                   std::size_t from = 0) {
  const auto found =
      std::find(table.columns.begin() + static_cast<std::ptrdiff_t>(from), table.columns.end(), name);
  if (found == table.columns.end()) text.reject(line.number, "the table has no column " + name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

void read_comment(const Line& line, NcclTestsTable& table) {
  static const std::regex device(R"(Rank +\d+ .*Pid +\d+ on +(\S+) +device)");
  static const std::regex version(R"(NCCL version ([0-9.]+))");
  std::smatch found;
  if (std::regex_search(line.text, found, device)) {
    table.hosts.insert(found[1]);
    ++table.ranks;
  }
  if (std::regex_search(line.text, found, version)) table.library = "nccl-tests, NCCL " + found[1].str();
  if (const auto program = named(line.text, "_perf")) table.collective = program;
  if (line.has("algbw") && line.has("busbw")) {
    table.columns = line.words();
    std::erase(table.columns, "#");
  }
}

/// One of the two sides of a row, out-of-place and in-place: from its column `time` on.
void read_side(const Text& text, const Line& line, const std::vector<std::string>& words, std::size_t time,
               std::size_t algbw, Measurement m, NcclTestsTable& table) {
  if (words[time] == "N/A") return;
  const Printed microseconds = positive(text, line.number, "time", words[time]);
  m.time = Seconds(microseconds.value * 1e-6);
  m.rounding = microseconds.rounding();
  const Printed rate = number(text, line.number, "algbw", words[algbw]);
  const double busbw = number(text, line.number, "busbw", words[algbw + 1]).value;
  check_rate(text, line.number, "algbw", rate, m.message.value / m.time.value / 1e9, m.rounding, "GiB/s");
  if (busbw > table.fastest[0]) table.fastest = {busbw, rate.value};
  table.rows.push_back(m);
}

void read_row(const Text& text, const Line& line, NcclTestsTable& table) {
  const std::vector<std::string> words = row(text, line, table.columns);
  Measurement m;
  m.from = m.to = Memory::device;
  m.line = line.number;
  m.message = size(text, line.number, words[column(text, line, table, "size")]);
  const auto says = [&](const char* name) {
    const auto at = std::ranges::find(table.columns, name);
    return at == table.columns.end() ? std::string("none")
                                     : words[static_cast<std::size_t>(at - table.columns.begin())];
  };
  const std::string type = says("type"), operation = says("redop"), root = says("root");
  table.reduces = operation != "none" && operation != "-1";
  table.rooted = root != "none" && root != "-1";
  m.library = type + "," + operation + "," + root;
  for (std::size_t from = 0, side = 0; side < 2; ++side) {
    const auto time =
        std::find(table.columns.begin() + static_cast<std::ptrdiff_t>(from), table.columns.end(), "time");
    if (time == table.columns.end() && side == 1) return;
    from = column(text, line, table, "time", from);
    const std::size_t algbw = column(text, line, table, "algbw", from);
    if (column(text, line, table, "busbw", from) != algbw + 1)
      text.reject(line.number, "the column busbw was expected after algbw");
    m.in_place = side == 1;
    read_side(text, line, words, from, algbw, m, table);
    from = algbw;
  }
}

/// Which program printed a table that does not say so: by its columns, and by the bus bandwidth that it
/// takes.
std::optional<Collective> inferred(const NcclTestsTable& table) {
  const double factor = table.fastest[0] / table.fastest[1], p = table.ranks;
  if (table.reduces && table.rooted) return reduce;
  if (table.reduces && p > 1 && table.fastest[0] > 0)
    return std::abs(factor - 2 * (p - 1) / p) < std::abs(factor - (p - 1) / p) ? allreduce : reduce_scatter;
  if (table.rooted && factor > 1 - 0.5 / p) return broadcast;
  return std::nullopt;
}

void finish(const Text& text, NcclTestsTable& table, const FileFacts& known, std::vector<Measurement>& all) {
  if (table.rows.empty()) return;
  const int first = table.rows[0].line;
  if (known.ranks != 0 && table.ranks != 0 && known.ranks != table.ranks)
    text.reject(first, "the table lists " + std::to_string(table.ranks) + " ranks, not " +
                           std::to_string(known.ranks));
  if (table.ranks == 0) table.ranks = known.ranks;
  if (table.ranks == 0)
    text.reject(first, "the table does not list its ranks (Using devices); say FILE:ranks=N");
  reject_duplicates(text, table.rows, true);
  if (!table.collective) table.collective = known.collective;
  if (!table.collective) table.collective = inferred(table);
  if (!table.collective) table.collective = named(text.file.substr(text.file.rfind('/') + 1), "");
  if (!table.collective)
    text.reject(first, "the table does not say which collective it measures; say FILE:collective=NAME");
  for (Measurement& m : table.rows) {
    m.collective = *table.collective;
    m.library = table.library;
    m.ranks = table.ranks;
    m.nodes = table.hosts.empty() ? known.nodes : static_cast<Rank>(table.hosts.size());
    all.push_back(m);
  }
}

bool row_without_header(const Line& line) {
  const std::vector<std::string> words = line.words();
  const auto digits = [](const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos;
  };
  return words.size() > 8 && digits(words[0]) && digits(words[1]);
}

}  // namespace

bool looks_like_nccl_tests(const Line& line) {
  return line.has("# nThread") || (line.has("algbw") && line.has("busbw") && line.has("#"));
}

std::vector<Measurement> read_nccl_tests(const Text& text, const FileFacts& known) {
  std::vector<Measurement> all;
  NcclTestsTable table;
  for (const Line& line : text.lines) {
    if (line.has("# nThread")) {
      finish(text, table, known, all);
      const auto collective = table.rows.empty() ? table.collective : std::nullopt;
      table = {};
      table.collective = collective;
    }
    if (line.has("# Out of bounds") || line.has("# Avg bus bandwidth")) table.columns.clear();
    if (table.columns.empty() ? row_without_header(line) : line.numeric())
      read_row(text, line, table);
    else
      read_comment(line, table);
  }
  finish(text, table, known, all);
  return all;
}

}  // namespace collcast::measurements
