// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

/// Checks whether files can be the ranks of one job, by what they say themselves.
namespace collcast {

/// Notes which file is of a rank. Throws InputError if another one is.
void claim_rank(std::map<Rank, std::string>& claimed, Rank rank, const std::string& path);

/// A value that is the same in all files of a job that have it.
class SaidAlike {
 public:
  /// Throws InputError if an earlier file has another value; an empty `value` counts as none.
  void say(const std::string& path, const std::string& value);

 private:
  std::string path_, value_;
};

/// When a file's operations were under way, by a wall clock.
struct WallTime {
  std::string path;
  Seconds begin, end;
  Seconds patience;  ///< how long the ranks wait for others before they give up
};

/// How long torch lets an operation of NCCL wait if nobody says otherwise.
inline constexpr Seconds usual_patience(600);

/// The longest time in which no period is under way. Throws InputError if it is longer than the ranks of the
/// periods before it would wait.
Seconds longest_gap(std::vector<WallTime> periods);

/// "NVIDIA" of "Tesla V100-SXM2-32GB"; empty if the name does not tell.
std::string_view maker_of_gpu(std::string_view name);

/// The ranks in words: "8 ranks", "2 ranks (1, 3)"; empty: none.
std::string ranks_in_words(const std::vector<Rank>& ranks);

}  // namespace collcast
