// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/schedule.hpp"

namespace collcast::campaign {

/// How collcast-measure is started on a number of ranks: what the user wrote after `--`.
///
/// "{ranks}" in it becomes the number; without it, and without -n or -np, "-np RANKS" is appended. Empty:
/// mpirun.
class Launcher {
 public:
  /// Throws InputError if there is no collcast-measure beside this program or in COLLCAST_MEASURE.
  explicit Launcher(std::vector<std::string> words);

  /// What the user wrote.
  const std::vector<std::string>& words() const { return words_; }

  /// The fixed number of ranks that the words start (`-np 2`); 0: as many as are asked for.
  Rank fixed_ranks() const;

  /// The words that start so many ranks, collcast-measure and its arguments included.
  std::vector<std::string> command(Rank ranks, const std::vector<std::string>& arguments) const;

  /// Runs the ranks and gives each line of their output to `line` as it comes; their errors go to `log`.
  /// Returns the exit code. If no line comes for `patience` seconds, ends the ranks and throws
  /// SubstrateError.
  int run(Rank ranks, const std::vector<std::string>& arguments, const std::filesystem::path& log,
          double patience, const std::function<void(const std::string&)>& line) const;

 private:
  std::vector<std::string> words_;
  std::string program_;
};

}  // namespace collcast::campaign
