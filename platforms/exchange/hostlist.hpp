// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace collcast {

/// Slurm's way to write several names: "tux[0-3,12],login1" are tux0, tux1, tux2, tux3, tux12 and login1, and
/// "n[08-10]" are n08, n09 and n10.
class Hostlists {
 public:
  /// The names of one list. Throws InputError, which begins with `where`.
  std::set<std::string> names(const std::string& list, const std::string& where);

 private:
  void add(const std::string& before, const std::string& text, int brackets);

  std::set<std::string> names_ = {};
  std::string where_ = {};
  std::size_t characters_ = 0;  ///< of all lists so far
};

}  // namespace collcast
