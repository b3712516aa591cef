// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/output_file.hpp"
#include "tests/folder.hpp"

namespace collcast::campaign {
namespace {

TEST(Journal, GoesOnWhereItEnded) {
  const Folder folder;
  const std::filesystem::path path = folder / "journal";
  Journal(path).append({{"a", 1}});
  Journal again(path);
  ASSERT_EQ(again.lines().size(), 1u);
  again.append({{"a", 2}});
  EXPECT_EQ(read_file(path), "{\"a\":1}\n{\"a\":2}\n");
}

TEST(Journal, ATornLineIsCutOff) {
  const Folder folder;
  const std::filesystem::path path = folder / "torn";
  std::ofstream(path) << "{\"a\":1}\n{\"a\":";
  Journal journal(path);
  EXPECT_EQ(journal.lines().size(), 1u);
  journal.append({{"a", 2}});
  EXPECT_EQ(read_file(path), "{\"a\":1}\n{\"a\":2}\n");
}

TEST(Journal, OtherDamageIsNamed) {
  const Folder folder;
  const std::filesystem::path path = folder / "damaged";
  std::ofstream(path) << "{\"a\":1}\nnonsense\n";
  try {
    Journal journal(path);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), path.string() + ":2: is not a JSON object");
  }
}

TEST(Journal, WhatCannotBeWrittenIsSaid) {
  EXPECT_THROW(Journal("/nowhere/journal").append({{"a", 1}}), SubstrateError);
  EXPECT_THROW(write_file("/nowhere/file", "text"), InputError);
}

}  // namespace
}  // namespace collcast::campaign
