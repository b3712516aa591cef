// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "algorithms/catalogue.hpp"

namespace collcast {

inline auto whole_catalogue() {
  return ::testing::ValuesIn(catalogue().begin(), catalogue().end());
}

/// "allreduce_recursive_doubling", as GoogleTest wants it.
inline std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

inline std::string test_name(const ::testing::TestParamInfo<const Algorithm*>& row) {
  return underscored(std::string(definition(row.param->collective).name) + "_" +
                     std::string(row.param->name));
}

}  // namespace collcast
