// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "forecast/sweep/sweep.hpp"
#include "support/json.hpp"

namespace collcast::cli {

/// The parts of a list, at commas: "summit,nccl-2.8:algo=Ring,proto=LL" has two, as KEY=VALUE belongs to the
/// name before it. The name of an existing file is one part.
std::vector<std::string> listed(const std::string& text);

/// Options that may have several values. All combinations are asked, like a sweep without a file.
class Several {
 public:
  void add(const std::string& key, const std::vector<std::string>& values);
  /// The same for the parts of a list.
  void add(const std::string& key, const std::string& list) { add(key, listed(list)); }
  /// Adds values of --set: KEY=A,B,C or KEY=0.5:8:x2.
  void set(const std::vector<std::string>& assignments);
  /// Throws InputError if there are several cases and an option was given that is for a single one.
  void refuse(bool given, const std::string& option) const;

  bool more_than_one() const { return several_; }
  /// Asks the verb on all processors and prints; draws to the file `plot`, unless that is empty. Returns the
  /// exit code: 1 if a case failed.
  int answer(const std::string& verb, const std::string& about, Format format,
             const std::string& plot = {}) const;

 private:
  Json settings_ = Json::object();
  bool several_ = false;
};

/// Adds to a report of training steps the memory that a rank of each row needs, before what limits it.
void tell_memory(report::Report& report);
/// Adds a note if one measured throughput stands for platforms, models, precisions or batches that differ.
void tell_throughput(report::Report& report, const std::string& throughput,
                     const std::vector<std::string>& differ);
void tell_throughput(report::Report& report, const sweep::Space& space);
/// Adds to a report of training steps which of its rows do not fit into memory. Returns whether all do.
bool tell_what_fits(report::Report& report);

/// Takes the column of idle time out of replays in which no rank is idle for a thousandth of the time, which
/// then counts as exposed. Returns whether it stays.
bool shows_idle(report::Section& runs);

/// The parts of a list of whole numbers, in which there may be ranges.
std::vector<std::string> listed_counts(const std::string& text);

/// Asks a verb of sweeps at these points on all processors. Throws InputError if a point makes no sense, and
/// SubstrateError if one failed.
std::vector<sweep::Rows> ask_all(const std::string& verb, const std::vector<sweep::Point>& points);

}  // namespace collcast::cli
