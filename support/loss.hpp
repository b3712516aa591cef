// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collcast {

/// Operations of an application that a trace is known to lack.
struct Loss {
  std::string operation;
  std::int64_t count = 0;
  std::string reason;
  double time_s = 0;  ///< seconds that they took in the recorded run, summed over ranks; 0: not known
  double share = 0;   ///< of the time of all recorded ranks; 0: not known

  bool operator==(const Loss&) const = default;
};

/// Losses, added up by operation and reason.
class LossSums {
 public:
  void add(std::string_view operation, std::string_view reason, std::int64_t count = 1, double time_s = 0) {
    Loss& loss = sums_[{std::string(operation), std::string(reason)}];
    loss.operation = operation, loss.reason = reason;
    loss.count += count, loss.time_s += time_s;
  }
  /// `recorded_s`: the time of all ranks; 0: not known.
  std::vector<Loss> all(double recorded_s = 0) const {
    std::vector<Loss> losses;
    for (const auto& [what, loss] : sums_) {
      losses.push_back(loss);
      if (recorded_s > 0) losses.back().share = loss.time_s / recorded_s;
    }
    return losses;
  }

 private:
  std::map<std::pair<std::string, std::string>, Loss> sums_;
};

}  // namespace collcast
