// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/study.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/address_sanitizer.hpp"
#include "support/error.hpp"
#include "tests/folder.hpp"
#include "tests/shared_data.hpp"

namespace collcast::accuracy {
namespace {

namespace fs = std::filesystem;
using namespace literals;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path write(const std::string& name, const std::string& text) {
  const fs::path file = scratch(name);
  std::ofstream(file) << text;
  return file;
}

std::string complaint(const std::string& text) {
  const fs::path file = write("studies.json", text);
  try {
    read_studies(file);
  } catch (const InputError& e) {
    return std::string(e.what()).substr(file.string().size() + 2);
  }
  return "none";
}

TEST(Study, BadInputIsNamed) {
  EXPECT_EQ(complaint("{}"), "$: lacks the key studies");
  EXPECT_EQ(complaint(R"({"studies": {}})"), "$.studies: must be a list");
  EXPECT_EQ(complaint(R"({"studies": [{"title": 1}]})"), "$.studies.0.title: must be a string");
  EXPECT_EQ(complaint(R"({"studies": [{"title": "t"}]})"), "$.studies.0: lacks the key platform");
  EXPECT_EQ(complaint(R"({"studies": [{"tittle": "x"}]})"), "$.studies.0: has an unknown key tittle");
  const std::string head =
      R"({"studies": [{"title": "t", "platform": "flat", "policy": "mpich", "words": [], )";
  EXPECT_EQ(
      complaint(head + R"("tables": [{"file": "f", "purpose": "seen"}]}]})"),
      "$.studies.0.tables.0.purpose: must be 'calibrated on', 'chosen on' or 'validated on', got 'seen'");
  EXPECT_EQ(
      complaint(head + R"("tables": [{"file": "f", "purpose": "chosen on", "disturbed_from_B": 0}]}]})"),
      "$.studies.0.tables.0.disturbed_from_B: must be a number above 0");
  EXPECT_NE(complaint("{").find("line 1, column 2: syntax error"), std::string::npos);
  EXPECT_THROW(read_studies("/nowhere/studies.json"), InputError);
}

TEST(Study, ReportsTablesBandsAndPoints) {
  const fs::path table =
      write("t.jsonl", R"({"collective": "allreduce", "ranks": 4, "message_bytes": 1048576, "time_s": 1e-4}
)");
  const Study study{.title = "A machine",
                    .platform = "flat",
                    .policy = "mpich",
                    .words = {"Words."},
                    .tables = {{table.filename().string(), "validated on"}}};
  const std::string page = report({study}, table.parent_path());
  fs::remove(table);
  EXPECT_NE(page.find("## A machine\n\nPlatform `flat`, policy `mpich`.\n\nWords.\n"), std::string::npos);
  EXPECT_NE(page.find("| allreduce, 4 ranks | validated on | - |"), std::string::npos);
  EXPECT_NE(page.find("| 1 | 1048576 | no | "), std::string::npos);
}

TEST(Study, LeavesOutWhatWasDisturbed) {
  const fs::path table =
      write("t.jsonl", R"({"collective": "allreduce", "ranks": 4, "message_bytes": 1024, "time_s": 1e-5}
{"collective": "allreduce", "ranks": 4, "message_bytes": 1048576, "time_s": 1e-1}
)");
  const Study study{.title = "A machine",
                    .platform = "flat",
                    .policy = "mpich",
                    .words = {},
                    .tables = {{table.filename().string(), "validated on", 1048576_B}}};
  const std::string page = report({study}, table.parent_path());
  fs::remove(table);
  EXPECT_NE(page.find("| 1 | 1024 | no | "), std::string::npos);
  EXPECT_EQ(page.find("| 2 | 1048576 |"), std::string::npos);
  EXPECT_NE(page.find("Left out: 1 measurements: disturbed"), std::string::npos);
}

TEST(Study, ARowForEachWayInWhichNcclWasSet) {
  std::string text = "source,network,ranks,method,size_bytes,time_us,busbw_GBs\n";
  for (const char* method : {"ring", "tree/auto"})
    text += std::string("nccl-tests,100g,8,") + method + ",1048576,300,5\n";
  const fs::path table = write("t.csv", text);
  const Study study{.title = "A machine",
                    .platform = "abci-v",
                    .policy = "nccl-2.8",
                    .words = {},
                    .tables = {{table.filename().string(), "validated on"}}};
  const std::string page = report({study}, table.parent_path());
  fs::remove(table);
  for (const char* row : {"| allreduce, 8 ranks | validated on |",
                          "| allreduce, 8 ranks, algo=ring | validated on |", "| all |  |"})
    EXPECT_NE(page.find(row), std::string::npos) << row;
}

TEST(Study, TheShippedReportIsFresh) {
  if (address_sanitizer) GTEST_SKIP() << "the page is compared without the sanitizers";
  const fs::path tables = shared_data("measurements");
  if (!fs::exists(tables)) GTEST_SKIP() << tables << " is absent; set COLLCAST_DATA";
  const fs::path root = COLLCAST_SOURCE_DIR;
  EXPECT_EQ(report(read_studies(root / "validation/data/studies.json"), tables),
            text_of(root / "docs/generated/accuracy.md"))
      << "write it anew: collcast validate --studies validation/data/studies.json --data DIR > "
         "docs/generated/accuracy.md";
}

}  // namespace
}  // namespace collcast::accuracy
