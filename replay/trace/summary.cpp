// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/summary.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <numeric>
#include <ostream>

namespace collcast::trace {

std::int64_t bytes_sent(const Event& event) {
  return std::accumulate(event.send_counts.begin(), event.send_counts.end(), event.send_bytes);
}

Summary summarize(const Reader& reader) {
  Summary summary;
  summary.ranks = reader.ranks();
  summary.communicators = static_cast<int>(reader.communicators().size());
  summary.recorded_time = reader.metadata().recorded_time;
  summary.losses = reader.metadata().losses;
  summary.notes = reader.notes();
  std::map<std::string, OperationSummary> operations;
  Event event;
  for (int r = 0; r < reader.ranks(); ++r) {
    Seconds compute;
    for (auto cursor = reader.rank(r); cursor.next(event);) {
      auto& row = operations[mpi_name(event.op, event.nonblocking())];
      ++row.count;
      row.bytes += bytes_sent(event);
      row.duration += event.duration;
      compute += event.compute;
      summary.polling += event.polling;
      ++summary.events;
    }
    summary.compute += compute;
    summary.longest_compute = std::max(summary.longest_compute, compute);
  }
  for (auto& [name, row] : operations) {
    row.operation = name;
    summary.operations.push_back(row);
  }
  std::stable_sort(summary.operations.begin(), summary.operations.end(),
                   [](const auto& a, const auto& b) { return a.duration > b.duration; });
  return summary;
}

std::ostream& operator<<(std::ostream& out, const Summary& s) {
  out << s.ranks << " ranks, " << s.communicators << " communicators, " << s.events << " events\n"
      << std::fixed << std::setprecision(3) << "recorded in " << s.recorded_time.value << " s; computation "
      << s.compute.value << " s in all, " << s.longest_compute.value << " s on the busiest rank\n"
      << std::left << std::setw(28) << "operation" << std::right << std::setw(10) << "calls" << std::setw(16)
      << "bytes sent" << std::setw(14) << "time s" << '\n';
  for (const auto& row : s.operations)
    out << std::left << std::setw(28) << row.operation << std::right << std::setw(10) << row.count
        << std::setw(16) << row.bytes << std::setw(14) << row.duration.value << '\n';
  for (const auto& loss : s.losses)
    out << "not modelled: " << loss.operation << ", " << loss.count << " calls: " << loss.reason << '\n';
  for (const auto& note : s.notes) out << "incomplete: " << note << '\n';
  return out << std::defaultfloat;
}

}  // namespace collcast::trace
