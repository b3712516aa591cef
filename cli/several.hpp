// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "forecast/sweep/sweep.hpp"
#include "model/ranges.hpp"
#include "support/json.hpp"

namespace collcast::cli {

/// Options that may have several values. All combinations are asked, like a sweep without a file.
class Several {
 public:
  void add(const std::string& key, const std::vector<std::string>& values);
  /// The same for the items of a list.
  void add(const std::string& key, const std::string& list) { add(key, listed(list)); }
  /// Adds values of --set: KEY=A,B,C or KEY=0.5:8:x2.
  void set(const std::vector<std::string>& assignments);
  /// Throws InputError if there are several cases and an option was given that is for a single one.
  void refuse(bool given, const std::string& option) const;

  bool more_than_one() const { return several_; }
  /// The options as settings of a sweep's file.
  const Json& settings() const { return settings_; }
  /// Asks the verb on all processors and prints; draws to the file `plot`, unless that is empty. Returns the
  /// exit code: 1 if a case failed.
  int answer(const std::string& verb, const std::string& about, Format format,
             const std::string& plot = {}) const;

 private:
  Json settings_ = Json::object();
  std::vector<std::string> doubts_;  ///< about lists that may be numbers with a decimal comma
  bool several_ = false;
};

/// The cases of several --algorithm options: "allreduce=ring,rabenseifner" is one algorithm or the other, and
/// each option is for another collective. Texts are as sweeps take them.
std::vector<std::string> algorithm_cases(const std::vector<std::string>& given);

/// A verb of sweeps, by its name.
sweep::Verb sweep_verb(const std::string& name);

/// What was answered at a point, or why it makes no sense.
struct Answered {
  sweep::Rows rows;
  std::string refused;
};
/// Asks a verb of sweeps at these points, on all processors. Throws SubstrateError if a point failed.
std::vector<Answered> ask_all(const std::string& verb, const std::vector<sweep::Point>& points);

}  // namespace collcast::cli
