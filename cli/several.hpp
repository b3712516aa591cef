// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "forecast/sweep/sweep.hpp"
#include "model/ranges.hpp"
#include "support/json.hpp"

namespace collcast::cli {

/// The option of a key of sweeps: "--global-batch" of global_batch.
std::string option_of(std::string_view key);

/// Options that may have several values. All combinations are asked, like a sweep without a file.
class Several {
 public:
  /// Adds what `line` has of --set and of the options that are keys of this verb's sweeps, but not of
  /// `others`, which the caller adds. `line` has to outlive this object.
  Several(const std::string& verb, const CLI::App& line, const std::vector<std::string>& others = {});
  /// Adds the values of a key.
  void add(const std::string& key, const std::vector<std::string>& values);
  /// The same for the items of a list.
  void add(const std::string& key, const std::string& list) { add(key, listed(list)); }
  /// Adds values of --set: KEY=A,B,C or KEY=0.5:8:x2.
  void set(const std::vector<std::string>& assignments);
  /// Throws InputError if there are several cases and one of these options was given, which are for a single
  /// one.
  void refuse(const std::vector<std::string>& options) const;

  bool more_than_one() const { return several_; }
  /// All combinations. Throws InputError that names `file`.
  sweep::Space space(const std::string& file) const { return {settings_, verb_.keys, {}, file}; }
  /// Asks the verb on all processors and prints; draws to the file `plot`, unless that is empty. Returns the
  /// exit code: 1 if a case failed.
  int answer(const std::string& about, Format format, const std::string& plot = {}) const;

 private:
  sweep::Verb verb_;
  const CLI::App& line_;
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
