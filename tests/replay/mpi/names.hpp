// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace collcast::mpi {

/// Those that can be played with messages.
inline std::vector<const Algorithm*> playable(std::vector<const Algorithm*> rows) {
  std::erase_if(rows, [](const Algorithm* a) { return demands(*a).reduction; });
  return rows;
}

inline auto whole_catalogue() {
  return testing::ValuesIn(playable({catalogue().begin(), catalogue().end()}));
}

/// "allreduce_recursive_doubling", as GoogleTest wants it.
inline std::string test_name(const testing::TestParamInfo<const Algorithm*>& row) {
  std::string name = std::string(definition(row.param->collective).name) + "_" + std::string(row.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace collcast::mpi
