// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

using enum Collective;

struct Program {
  const char* name;
  Collective collective;
};
/// Longer names come first, as "reduce" is in two others.
constexpr Program programs[] = {
    {"all_reduce", allreduce}, {"allreduce", allreduce}, {"reduce_scatter", reduce_scatter},
    {"all_gather", allgather}, {"allgather", allgather}, {"broadcast", broadcast},
    {"alltoallv", alltoallv},  {"alltoall", alltoall},   {"sendrecv", sendrecv},
    {"reduce", reduce},        {"gather", gather},       {"scatter", scatter},
};

/// What the file has said up to the present line.
struct NcclTestsTable {
  std::set<std::string> hosts;
  std::map<int, std::set<int>> groups;  ///< ranks of each group that ran at once
  int ranks = 0;                        ///< of all groups
  int gpus_a_thread = 1;
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

void add_ranks(const Text& text, int line, NcclTestsTable& table, int group, int first, int count,
               const std::string& host) {
  table.hosts.insert(host);
  table.ranks += count;
  for (int rank = first; rank < first + count; ++rank)
    if (!table.groups[group].insert(rank).second)
      text.reject(line, "rank " + std::to_string(rank) +
                            " is listed twice: this is the output of programs side by side, as mpirun "
                            "starts where nccl-tests was built without MPI=1; give that of one run");
}

/// Throws InputError if `operations` of each iteration were fused in one launch (-m).
void refuse_aggregated(const Text& text, int line, int operations) {
  if (operations > 1)
    text.reject(line, "each time is a share of " + std::to_string(operations) +
                          " operations in one launch (agg iters, -m), which is not the time of one; give a "
                          "run without -m");
}

/// "nccl-tests, NCCL 2.21.5" of NCCL's own number, 22105; before 2.9 as 2804.
std::string library_of(int version) {
  const int most = version < 10000 ? 10 : 100;
  return "nccl-tests, NCCL " + std::to_string(version / (100 * most)) + "." +
         std::to_string(version / 100 % most) + "." + std::to_string(version % 100);
}

void read_comment(const Text& text, const Line& line, NcclTestsTable& table) {
  static const std::regex device(R"(Rank +(\d{1,9}) (?: *Group +(\d{1,9}) )?.*Pid +\d+ on +(\S+) +device)");
  static const std::regex version(R"(NCCL version ([0-9.]+))"), release(R"(nccl-library=(\d{4,6})\b)"),
      threads(R"(nThread +\d+ +nGpus +(\d{1,4}) )"), aggregated(R"(agg iters: *(\d{1,9})\b)");
  std::smatch found;
  if (std::regex_search(line.text, found, device))
    add_ranks(text, line.number, table, found[2].matched ? std::stoi(found[2]) : 0, std::stoi(found[1]), 1,
              found[3]);
  if (std::regex_search(line.text, found, threads)) table.gpus_a_thread = std::stoi(found[1]);
  if (std::regex_search(line.text, found, version)) table.library = "nccl-tests, NCCL " + found[1].str();
  if (std::regex_search(line.text, found, release)) table.library = library_of(std::stoi(found[1]));
  if (std::regex_search(line.text, found, aggregated))
    refuse_aggregated(text, line.number, std::stoi(found[1]));
  if (const auto program = named(line.text, "_perf")) table.collective = program;
  if (line.has("algbw") && line.has("busbw")) {
    table.columns = line.words();
    std::erase(table.columns, "#");
    if (const auto at = std::ranges::find(table.columns, "timestamp"); at != table.columns.end())
      table.columns.insert(at, "day");  // dates are two words
  }
}

/// Throws InputError if results were wrong, as their times tell nothing.
void refuse_wrong(const Text& text, const Measurement& m, double values) {
  if (values > 0)
    text.reject(m.line,
                "the results of " + text::plain(m.message.value) + " bytes were wrong (#wrong is " +
                    text::plain(values) +
                    "), so that their time says nothing; leave them out, or give a run of right results");
}

/// Reads one of the two sides of a row, out-of-place or in-place, from its column `time` on.
void read_side(const Text& text, const Line& line, const std::vector<std::string>& words, std::size_t time,
               std::size_t algbw, Measurement m, NcclTestsTable& table) {
  if (words[time] == "N/A") return;
  const Printed microseconds = positive(text, line.number, "time", words[time]);
  m.time = Seconds(microseconds.value * 1e-6);
  m.rounding = microseconds.rounding();
  const Printed rate = number(text, line.number, "algbw", words[algbw]);
  const double busbw = number(text, line.number, "busbw", words[algbw + 1]).value;
  check_rate(text, line.number, "algbw", rate, m.message.value / m.time.value / 1e9, m.rounding, "GiB/s");
  if (algbw + 2 < words.size() && table.columns[algbw + 2] == "#wrong" && words[algbw + 2] != "N/A")
    refuse_wrong(text, m, number(text, line.number, "#wrong", words[algbw + 2]).value);
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

/// The collective of a table that does not name it, by its columns and by the factor of its bus bandwidth.
std::optional<Collective> inferred(const NcclTestsTable& table) {
  const double factor = table.fastest[0] / table.fastest[1],
               p = table.ranks / static_cast<double>(std::max<std::size_t>(table.groups.size(), 1));
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
  for (const auto& [group, ranks] : table.groups)
    if (ranks.size() != table.groups.begin()->second.size())
      text.reject(first,
                  "the table is of groups of different sizes at once (NCCL_TESTS_SPLIT), and does not "
                  "say whose time it has; give one whose groups are alike");
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
    m.jobs = std::max(static_cast<int>(table.groups.size()), 1);
    m.gpus_a_thread = table.gpus_a_thread;
    m.nodes = table.hosts.empty() ? known.nodes : static_cast<Rank>(table.hosts.size());
    all.push_back(m);
  }
}

/// Whether a line is the first of another program's output.
bool begins(const Line& line, const NcclTestsTable& table) {
  return line.has("# nccl-tests version") || line.has("# Using devices") ||
         line.has("# Collective test starting") || (table.columns.empty() && named(line.text, "_perf"));
}

double report_real(const Text& text, const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number())
    text.reject(1, std::string("the report of nccl-tests (-J) has no number ") + key +
                       "; give the table that it prints");
  return object[key].get<double>();
}
int report_whole(const Text& text, const Json& object, const char* key) {
  const double value = report_real(text, object, key);
  if (value != std::floor(value) || value < 0 || value > 1e6)
    text.reject(1, std::string(key) + " is no whole number up to 1000000");
  return static_cast<int>(value);
}
std::string report_word(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : std::string();
}

/// Reads one of the two sides of a result; `side` is null if there is none.
void read_side(const Text& text, const Json& side, Measurement m, NcclTestsTable& table) {
  if (side.is_null()) return;
  m.time = Seconds(1e-6 * report_real(text, side, "time"));
  const Printed rate{report_real(text, side, "alg_bw"), 1e-6};
  if (!(m.time > Seconds())) text.reject(1, "time is not above 0");
  check_rate(text, 1, "alg_bw", rate, m.message.value / m.time.value / 1e9, 0, "GiB/s");
  if (side.contains("nwrong") && side["nwrong"].is_number())
    refuse_wrong(text, m, side["nwrong"].get<double>());
  table.rows.push_back(m);
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
    if (line.has("# nThread") || (!table.rows.empty() && begins(line, table))) {
      finish(text, table, known, all);
      NcclTestsTable next;
      if (table.rows.empty()) next.collective = table.collective, next.library = table.library;
      table = std::move(next);
    }
    if (line.has("# Out of bounds") || line.has("# Avg bus bandwidth")) table.columns.clear();
    if (table.columns.empty() ? row_without_header(line) : line.numeric())
      read_row(text, line, table);
    else
      read_comment(text, line, table);
  }
  finish(text, table, known, all);
  return all;
}

bool is_nccl_tests_report(const Json& document) {
  return document.is_object() && document.contains("results") && document.contains("nccl_version");
}

std::vector<Measurement> read_nccl_tests_report(const Text& text, const Json& document,
                                                const FileFacts& known) {
  const Json none, &config = document.contains("config") ? document["config"] : none;
  // In some reports devices stand beside config.
  const Json &holder = config.is_object() && config.contains("devices") ? config : document,
             &devices = holder.contains("devices") ? holder["devices"] : none, &results = document["results"];
  if (!devices.is_array() || !results.is_array())
    text.reject(1,
                "a report of nccl-tests (-J) without a list of results, or of devices; give the "
                "table that it prints");
  NcclTestsTable table;
  // There is a device for each process: the first of its GPUs.
  const int threads = report_whole(text, config, "nthreads"), each = report_whole(text, config, "ngpus");
  if (threads > 1000 || each > 1000) text.reject(1, "nthreads or ngpus is above 1000");
  table.gpus_a_thread = each;
  if (config.contains("aggregated_iterations"))
    refuse_aggregated(text, 1, report_whole(text, config, "aggregated_iterations"));
  for (const Json& d : devices)
    add_ranks(text, 1, table, report_whole(text, d, "group"), report_whole(text, d, "rank"), threads * each,
              report_word(d, "hostname"));
  const int version = document["nccl_version"].is_number() ? report_whole(text, document, "nccl_version") : 0;
  if (version > 0) table.library = library_of(version);
  if (document.contains("args") && document["args"].is_array() && !document["args"].empty() &&
      document["args"][0].is_string())
    table.collective = named(document["args"][0].get<std::string>(), "_perf");
  for (const Json& r : results) {
    Measurement m;
    m.from = m.to = Memory::device;
    m.line = 1;
    m.message = Bytes(report_real(text, r, "size"));
    if (m.message.value < 0 || m.message.value > 1e15) text.reject(1, "size is no number of bytes");
    m.library = report_word(r, "type") + "," + report_word(r, "redop") + "," + report_word(r, "root");
    for (const char* side : {"out_of_place", "in_place"}) {
      if (r.contains(side)) read_side(text, r[side], m, table);
      m.in_place = true;
    }
  }
  std::vector<Measurement> all;
  finish(text, table, known, all);
  return all;
}

}  // namespace collcast::measurements
