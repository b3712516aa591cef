// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace collcast::cli {

/// What the module that is linked with MPI does for a sweep. It carries outcomes as texts.
struct SweepModule {
  int (*begin)();  ///< the rank of this process
  /// For rank 0: `next` gives the number of a point, -1 at the end. Other ranks get points as they ask, and
  /// this process answers points, too.
  void (*hand_out)(const std::function<std::int64_t()>& next,
                   const std::function<std::string(std::int64_t)>& answer,
                   const std::function<void(std::int64_t, const std::string&)>& done);
  /// For the other ranks: answers until nothing is left.
  void (*work)(const std::function<std::string(std::int64_t)>& answer);
  void (*end)();
};

}  // namespace collcast::cli
