// SPDX-License-Identifier: Apache-2.0
#include "engines/player/table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace collcast {
namespace {

TEST(Table, BehavesAsAMap) {
  Table table;
  std::map<std::uint64_t, Index> expected;
  std::mt19937 random(1);
  for (Index i = 0; i < 100000; ++i) {
    const std::uint64_t number = random() % 300;
    const Table::Key key{number % 17, number};
    Table::Entry* entry = table.find(key);
    ASSERT_EQ(entry != nullptr, expected.contains(number));
    if (entry) {
      ASSERT_EQ(entry->first, expected[number]);
      table.erase(entry);
      expected.erase(number);
    } else {
      table.insert(key, i, no_index);
      expected[number] = i;
    }
  }
  std::size_t entries = 0;
  table.for_each([&](const Table::Entry&) { ++entries; });
  EXPECT_EQ(entries, expected.size());
}

}  // namespace
}  // namespace collcast
