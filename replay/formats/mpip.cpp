// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/mpip.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

struct CallSite {
  double count = 0, total_ms = -1, bytes = -1;  ///< bytes: the mean of what one call sends; -1: not said
  double shortest_ms = -1, longest_ms = -1;     ///< -1: not said
};

/// Reads the sections that cover all ranks.
class MpipReport {
 public:
  explicit MpipReport(const std::string& path) {
    Input input(path);
    for (std::string line; input.line(line);)
      if (line.starts_with("@--- "))
        section_ = line;
      else if (line.starts_with("@ MPI Task Assignment"))
        ++tasks;
      else if (!line.starts_with("@") && !line.starts_with("---"))
        row(line);
  }

  Rank tasks = 0;
  std::map<std::pair<std::string, std::int64_t>, CallSite> sites;  ///< by call and site

 private:
  bool in(std::string_view title) const { return section_.find(title) != std::string::npos; }

  /// Reads a row of one of four sections: a name, a site, and numbers under the words of the section's
  /// header. If there is a column of ranks, "*" marks the row of all ranks.
  void row(const std::string& line) {
    const bool times = in("Aggregate Time") || in("Callsite Time"),
               sizes = in("Sent Message Size") || in("Callsite Message Sent");
    if ((!times && !sizes) || sites.size() > 1'000'000) return;
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() < 2) return;
    if (words[1] == "Site") return void(header_ = words);
    std::map<std::string_view, double> value;
    for (std::size_t i = 2; i < std::min(words.size(), header_.size()); ++i) {
      if (header_[i] == "Rank" && words[i] != "*") return;
      value[header_[i]] = leading_or(words[i], -1.0);
    }
    CallSite& s = sites[{words[0], leading_or<std::int64_t>(words[1], 0)}];
    const double count = value.contains("Count") ? value["Count"] : -1;
    if (count >= 1 && count < 1e12) s.count = times || s.count == 0 ? count : s.count;
    if (times && value.contains("Time")) s.total_ms = std::max(value["Time"], 0.0);
    if (times && value.contains("Mean") && count >= 1) s.total_ms = std::max(count * value["Mean"], 0.0);
    if (times && value.contains("Min") && value.contains("Max") && value["Min"] <= value["Max"])
      s.shortest_ms = value["Min"], s.longest_ms = value["Max"];
    if (!sizes || !(count >= 1)) return;
    for (const std::string_view sum : {"Total", "Sum"})
      if (value.contains(sum)) s.bytes = std::max(value[sum] / count, 0.0);
  }

  std::vector<std::string> header_;
  std::string section_;
};

}  // namespace

bool is_mpip(std::string_view head) {
  return head.starts_with("@ mpiP") || head.find("\n@ mpiP") != std::string_view::npos;
}

std::unique_ptr<Source> open_mpip(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "an mpiP report has all ranks in one file");
  const MpipReport report(files[0]);
  if (report.sites.empty())
    throw InputError(files[0] +
                     ": an mpiP report without the sections Aggregate Time and Aggregate Sent Message Size");
  if (report.tasks > most_recorded_ranks) throw InputError(files[0] + ": has more ranks than a job");
  auto source = std::make_unique<RecordedSource>(std::max<Rank>(report.tasks, 1));
  SourceInfo& info = source->info();
  info.recorded_ranks = {0};
  info.unknown = unknown_to_profiles();
  info.unknown.insert(info.unknown.end(), {"sizes: the mean of what a call site sends",
                                           "call sites beyond those that the report lists"});
  info.notes = {"rank 0 stands for the sum of all ranks"};
  std::vector<ProfiledCall> calls;
  std::int64_t countless = 0;
  double countless_s = 0;
  for (const auto& [key, site] : report.sites)
    if (site.count >= 1)
      calls.push_back({key.first, static_cast<std::int64_t>(site.count), Seconds(1e-3 * site.total_ms),
                       site.bytes, Seconds(1e-3 * site.shortest_ms), Seconds(1e-3 * site.longest_ms)});
    else
      ++countless, countless_s += 1e-3 * std::max(site.total_ms, 0.0);
  add_profile(*source, 0, calls);
  info.lose("call site", countless, "without a count", countless_s);
  return source;
}

}  // namespace collcast
