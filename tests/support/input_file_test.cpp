// SPDX-License-Identifier: Apache-2.0
#include "support/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "support/file_kind.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast {
namespace {

using testing::complaint;

std::string refusal(const std::string& path) {
  return complaint([&] { read_file(path); });
}

TEST(InputFile, IsReadWhole) {
  const Folder folder;
  const std::string text(200000, 'x');
  std::ofstream(folder / "file") << text << '\0' << "end";
  EXPECT_EQ(read_file(folder / "file").size(), text.size() + 4);
}

TEST(InputFile, APipeIsReadToItsEnd) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream out(folder / "pipe");  // waits for the reader
    out << "one" << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    out << " two";
  });
  std::string text;
  while (text.empty()) text = read_file(folder / "pipe");  // empty until the writer is there
  writer.join();
  EXPECT_EQ(text, "one two");
}

TEST(InputFile, APipeThatHasNoMoreGivesTheSameAgain) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "once", 4), 4);
  close(ends[1]);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(read_file(path), "once");
  EXPECT_EQ(read_file(path), "once");
  close(ends[0]);
}

TEST(InputFile, APipeThatNobodyWritesToDoesNotBlock) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder / "pipe"), "");
}

TEST(InputFile, WhatHasNoEndOrNoTextIsRefused) {
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: cannot be read: it is neither a file nor a pipe");
  EXPECT_EQ(refusal("/dev"), "/dev: cannot be read: it is a folder; expected a file");
  EXPECT_EQ(refusal("/nowhere"), "/nowhere: cannot be read: No such file or directory");
  const Folder folder;
  std::ofstream(folder / "huge");
  ASSERT_EQ(truncate((folder / "huge").c_str(), (1 << 28) + 100000), 0);
  EXPECT_EQ(refusal(folder / "huge"), folder / "huge" + ": cannot be read: it holds more than 256 MiB");
}

TEST(InputFile, OfAnotherKindIsNamedWithTheVerbThatTakesIt) {
  EXPECT_EQ(complaint([] { refuse_other_kinds("x.goal", "\nnum_ranks 2\nrank 0 {\n}\n", "MSCCL's XML"); }),
            "x.goal: is a trace in GOAL's text, which `collcast replay` takes; expected MSCCL's XML");
}

}  // namespace
}  // namespace collcast
