// SPDX-License-Identifier: Apache-2.0
#include "tests/algorithms/document.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "algorithms/catalogue.hpp"

namespace collcast {
namespace {

TEST(Document, IsWhatIsCommitted) {
  std::stringstream committed;
  committed << std::ifstream(COLLCAST_SOURCE_DIR "/docs/generated/algorithms.md").rdbuf();
  if (committed.str() == document()) return;
  std::ofstream(COLLCAST_BINARY_DIR "/algorithms.md") << document();
  FAIL() << "docs/generated/algorithms.md is stale; replace it by " COLLCAST_BINARY_DIR "/algorithms.md";
}

TEST(Document, ShowsEveryRow) {
  const std::string page = document();
  for (const Algorithm* a : catalogue())
    EXPECT_NE(page.find("### " + std::string(definition(a->collective).name) + " " + std::string(a->name)),
              std::string::npos);
}

}  // namespace
}  // namespace collcast
