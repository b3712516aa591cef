// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/paths.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

[[noreturn]] void reject(const Measurement& m, const std::string& reason) {
  throw InputError(m.source() + ": " + reason);
}

std::string words_of(const Measurement& m) {
  std::ostringstream out;
  out << std::llround(m.message.value) << " bytes take " << m.time.value * 1e3 << " ms";
  return out.str();
}

void reject_waiting_in(const std::vector<Measurement>& table) {
  constexpr double slow = 1e9, large = 65536, falls = 0.9;
  const auto fast = [&](const Measurement& m) {
    return m.message.value >= large && m.message / m.time > BytesPerSecond(slow);
  };
  if (std::ranges::any_of(table, fast)) return;
  const Measurement* longest = nullptr;
  for (const Measurement& m : table) {
    if (longest && m.message > longest->message && m.time < falls * longest->time)
      reject(m, operation(m) + " times that waiting dominates: " + words_of(*longest) + ", " + words_of(m) +
                    ", and no size reaches 1 GB/s. A fit would take the ranks' skew for the network");
    if (!longest || m.time > longest->time) longest = &m;
  }
}

void reject_collectives(const std::vector<Measurement>& all) {
  const auto first =
      std::ranges::find(all, Timing::collective, [](const Measurement& m) { return m.timing; });
  if (first == all.end()) return;
  reject_waiting(all);
  reject(*first,
         operation(*first) +
             " is a collective; latency, bandwidth, multi-pair and GPU copy tables calibrate a "
             "platform; with --policy nccl-2.18 tables of nccl-tests calibrate NCCL's software; collcast "
             "validate --measurements compares collectives with forecasts");
}

/// The last folder and the name of a file, in which campaigns say what they ran.
std::string last_names(const std::string& file) {
  const std::filesystem::path path(file);
  return path.parent_path().filename().string() + "/" + path.filename().string();
}

int nodes_by_name(const std::string& file) {
  static const std::regex count(R"(([0-9]+)[-_ ]?nodes?\b|([0-9]+)nodes?)");
  const std::string names = last_names(file);
  std::smatch found;
  if (std::regex_search(names, found, count)) return leading_or(found[found[1].matched ? 1 : 2].str(), 0);
  if (names.find("inter") != std::string::npos) return 2;
  return names.find("intra") != std::string::npos ? 1 : 0;
}

/// "job.gpu.latency" and "job.gpu.bandwidth" are of one run.
std::string run_of(const std::string& file) {
  return file.substr(0, file.rfind('.'));
}

class Sorter {
 public:
  explicit Sorter(std::vector<Measurement> all) : all_(std::move(all)) {
    for (const Measurement& m : all_)
      if (m.timing == Timing::bandwidth) pairs_of_run_[run_of(m.file)] = m.pairs;
  }

  SortedMeasurements sorted() {
    for (Measurement& m : all_) {
      if (m.timing == Timing::copy || m.timing == Timing::both_ways_copy)
        sorted_.copies.push_back(m);
      else
        add(m);
    }
    for (auto& [path, tables] : sorted_.paths) {
      keep_fewest_pairs(tables);
      require_messages(path, tables);
    }
    return std::move(sorted_);
  }

 private:
  void add(Measurement m) {
    complete(m);
    if (is_star(m) && m.nodes > 1 && m.nodes != m.ranks)
      return note(m, "left out are " + operation(m) + "s of " + std::to_string(m.ranks) + " ranks on " +
                         std::to_string(m.nodes) + " nodes: only some of their messages leave a node");
    if (m.nodes > 1 && m.sockets > 1)
      note(m, "sockets=" + std::to_string(m.sockets) + " says nothing of ranks on different nodes");
    const Way way = m.nodes > 1 ? Way::between_nodes : m.sockets > 1 ? Way::across_sockets : Way::in_node;
    PathMeasurements& tables = sorted_.paths[{way, *m.from, *m.to}];
    (is_star(m)                                ? tables.stars
     : m.timing == Timing::latency             ? tables.latency
     : m.timing == Timing::both_ways_bandwidth ? tables.both_ways
                                               : tables.messages)
        .push_back(m);
  }

  void complete(Measurement& m) {
    if (m.nodes == 0) {
      m.nodes = nodes_by_name(m.file);
      if (m.nodes == 0)
        reject(m, "the table does not say on how many nodes it was measured; say FILE:nodes=N");
      note(m, "taken to be on " + std::to_string(m.nodes) + (m.nodes == 1 ? " node" : " nodes") +
                  ", by its name");
    }
    if (!m.from || !m.to)
      reject(m,
             "the table does not say where its buffers are; say "
             "FILE:buffers=host|device|host-device|device-host");
    if (m.pairs != 0) return;
    const auto run = pairs_of_run_.find(run_of(m.file));
    if (run == pairs_of_run_.end()) reject(m, "the table does not say its pairs; say FILE:pairs=N");
    m.pairs = run->second;
    note(m, "taken to have as many pairs as the bandwidth table of its run, " + std::to_string(m.pairs));
  }

  /// Keeps the windows of the fewest pairs: several pairs show the pace of what they share, not that of one
  /// message.
  static void keep_fewest_pairs(PathMeasurements& tables) {
    for (std::vector<Measurement>* table : {&tables.latency, &tables.messages}) {
      if (table->empty()) continue;
      const int fewest =
          table == &tables.messages ? 1 : std::ranges::min(*table, {}, &Measurement::pairs).pairs;
      const auto more = std::stable_partition(table->begin(), table->end(),
                                              [&](const auto& m) { return m.pairs == fewest; });
      tables.more_pairs.insert(tables.more_pairs.end(), more, table->end());
      table->erase(more, table->end());
      std::ranges::stable_sort(*table, {}, [](const Measurement& m) { return m.message.value; });
    }
  }

  /// Throws InputError if there are only messages at once: what keeps messages waiting tells nothing if it is
  /// not known how long one takes.
  static void require_messages(const Path& path, const PathMeasurements& tables) {
    if (!tables.latency.empty() || !tables.messages.empty()) return;
    if (tables.stars.empty() && tables.both_ways.empty()) return;
    reject(tables.stars.empty() ? tables.both_ways[0] : tables.stars[0],
           "there is no latency or bandwidth " + name(path) + " beside it");
  }

  void note(const Measurement& m, const std::string& words) {
    const std::string note = m.file + ": " + words;
    if (noted_.insert(note).second) sorted_.notes.push_back(note);
  }

  std::vector<Measurement> all_;
  std::map<std::string, int> pairs_of_run_;
  std::set<std::string> noted_;
  SortedMeasurements sorted_;
};

}  // namespace

std::string name(const Path& path) {
  static const char* const ways[] = {"in a node", "across sockets", "between nodes"};
  return ways[static_cast<std::size_t>(path.way)] + std::string(", ") + std::string(name(path.from)) +
         " to " + std::string(name(path.to));
}

void reject_waiting(const std::vector<Measurement>& measurements) {
  std::map<std::tuple<std::string, Collective, std::string, Rank, bool>, std::vector<Measurement>> tables;
  for (const Measurement& m : measurements)
    if (m.timing == Timing::collective)
      tables[{m.file, m.collective, m.algorithm, m.ranks, m.in_place}].push_back(m);
  for (auto& [key, table] : tables) {
    std::ranges::stable_sort(table, {}, [](const Measurement& m) { return m.message.value; });
    reject_waiting_in(table);
  }
}

SortedMeasurements sort_by_path(std::vector<Measurement> measurements) {
  reject_collectives(measurements);
  return Sorter(std::move(measurements)).sorted();
}

}  // namespace collcast
