// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

/// Whether files can be the ranks of one job, by what they say themselves.
namespace collcast {

/// Something that all files of one job say alike, if they say it.
class SaidAlike {
 public:
  /// Throws InputError if a file before said otherwise; an empty `value` says nothing.
  void say(const std::string& path, const std::string& value);

 private:
  std::string path_, value_;
};

/// When a file's operations were under way, by a wall clock.
struct Period {
  std::string path;
  Seconds begin, end;
  Seconds patience;  ///< how long its ranks wait for others before they give up
};

/// How long torch lets an operation of NCCL wait if nobody says otherwise.
inline constexpr Seconds usual_patience(600);

/// The longest time between periods in which none is under way. Throws InputError if it is longer than those
/// before it would wait.
Seconds longest_gap(std::vector<Period> periods);

/// "NVIDIA" of "Tesla V100-SXM2-32GB"; empty if the name does not tell.
std::string_view maker_of_gpu(std::string_view name);

/// Which ranks are those of a job, as no other ranks are said: "8 ranks", "2 ranks (1, 3)"; empty: none.
std::string ranks_in_words(const std::vector<Rank>& ranks);

}  // namespace collcast
