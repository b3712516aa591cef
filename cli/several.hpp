// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "forecast/sweep/sweep.hpp"
#include "support/json.hpp"

namespace collcast::cli {

/// "summit,nccl-2.8:algo=Ring,proto=LL": parts at commas; what is KEY=VALUE belongs to the name before it. A
/// file of that name is one part.
std::vector<std::string> listed(const std::string& text);

/// Options that may have several values: the grid of their combinations, asked like a sweep without a file.
class Several {
 public:
  void add(const std::string& key, const std::vector<std::string>& values);
  /// The same of a list.
  void add(const std::string& key, const std::string& list) { add(key, listed(list)); }
  /// As --set has it: KEY=A,B,C or KEY=0.5:8:x2.
  void set(const std::vector<std::string>& assignments);
  /// Throws InputError where an option that was given is for a single case.
  void refuse(bool given, const std::string& option) const;

  bool more_than_one() const { return several_; }
  /// Asks the verb on all cores and prints; draws to `plot` if it is no empty name. Returns the exit code: 1
  /// where a case failed.
  int answer(const std::string& verb, const std::string& about, Format format,
             const std::string& plot = {}) const;

 private:
  Json settings_ = Json::object();
  bool several_ = false;
};

/// Adds to a report of training steps which of its rows do not fit into memory, if any; whether all do.
bool tell_what_fits(report::Report& report);

/// Asks a verb of sweeps at points of one's own on all cores. Throws InputError where one makes no sense, and
/// SubstrateError where one failed.
std::vector<sweep::Rows> ask_all(const std::string& verb, const std::vector<sweep::Point>& points);

}  // namespace collcast::cli
