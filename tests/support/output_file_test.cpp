// SPDX-License-Identifier: Apache-2.0
#include "support/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "support/input_file.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast {
namespace {

namespace fs = std::filesystem;
using testing::complaint;

struct stat status(const std::string& path) {
  struct stat s {};
  EXPECT_EQ(lstat(path.c_str(), &s), 0) << path;
  return s;
}

std::size_t files(const Folder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

/// What is there stays, nothing new is left, and nobody waits for a pipe.
TEST(OutputFile, IsFoundWritableWithoutATrace) {
  const Folder folder;
  write_file(folder / "old", "text");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"old", "new", "pipe"}) EXPECT_NO_THROW(check_writable(folder / name)) << name;
  EXPECT_EQ(files(folder), 2u);
  EXPECT_EQ(read_file(folder / "old"), "text");
  EXPECT_EQ(complaint([&] { check_writable(folder / "none/new"); }),
            (folder / "none/new") + ": cannot be written: No such file or directory");
  EXPECT_NE(complaint([&] { check_writable(folder.path()); }), "");
}

TEST(OutputFile, AppearsWholeUnderItsName) {
  const Folder folder;
  OutputFile file(folder / "new");
  const std::vector<std::uint8_t> bytes{'o', 'k'};
  file.write(bytes);
  EXPECT_FALSE(fs::exists(folder / "new"));
  file.commit();
  EXPECT_EQ(read_file(folder / "new"), "ok");
  EXPECT_EQ(files(folder), 1u);
}

TEST(OutputStream, AppearsWholeUnderItsName) {
  const Folder folder;
  std::string text;
  {
    OutputStream file(folder / "new");
    for (int i = 0; i < 10'000; ++i) {
      file << i << '\n';
      text += std::to_string(i) + '\n';
    }
    EXPECT_FALSE(fs::exists(folder / "new"));
    file.commit();
  }
  EXPECT_EQ(read_file(folder / "new"), text);
  { OutputStream(folder / "none") << "not committed"; }
  EXPECT_EQ(files(folder), 1u);
  EXPECT_THROW(OutputStream("/dev/full") << std::string(100'000, 'x'), SubstrateError);
}

TEST(OutputFile, LeavesNothingWhereItIsNotCommitted) {
  const Folder folder;
  write_file(folder / "old", "old");
  { OutputFile file(folder / "old"); }
  EXPECT_EQ(read_file(folder / "old"), "old");
  EXPECT_EQ(files(folder), 1u);
}

TEST(OutputFile, KeepsTheModeOfTheOldFileAndTheCreationMaskOfANewOne) {
  const Folder folder;
  write_file(folder / "old", "old");
  ASSERT_EQ(chmod((folder / "old").c_str(), 0600), 0);
  write_file(folder / "old", "new");
  EXPECT_EQ(status(folder / "old").st_mode & 07777, 0600u);
  const mode_t mask = umask(027);
  write_file(folder / "new", "new");
  umask(mask);
  EXPECT_EQ(status(folder / "new").st_mode & 07777, 0640u);
}

TEST(OutputFile, FollowsLinks) {
  const Folder folder;
  fs::create_directory(folder / "deep");
  write_file(folder / "deep" + "/file", "old");
  fs::create_symlink("deep/file", folder / "link");
  fs::create_symlink("link", folder / "chain");
  write_file(folder / "chain", "new");
  EXPECT_EQ(read_file(folder / "deep" + "/file"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "chain"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  fs::create_symlink("deep/other", folder / "dangling");
  write_file(folder / "dangling", "made");
  EXPECT_EQ(read_file(folder / "deep" + "/other"), "made");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(complaint([&] { write_file(folder / "loop", ""); }),
            folder / "loop" + ": cannot be written: Too many levels of symbolic links");
}

TEST(OutputFile, WritesDevicesAndPipesInPlace) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(S_ISCHR(status("/dev/null").st_mode));
  EXPECT_THROW(write_file("/dev/full", "text"), SubstrateError);
  EXPECT_TRUE(S_ISCHR(status("/dev/full").st_mode));
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { std::getline(std::ifstream(folder / "pipe"), got); });
  write_file(folder / "pipe", "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(S_ISFIFO(status(folder / "pipe").st_mode));
}

TEST(OutputFile, AnOpenFileIsWrittenAndNotReplaced) {
  const Folder folder;
  write_file(folder / "open", "");
  const ino_t file = status(folder / "open").st_ino;
  FILE* open = std::fopen((folder / "open").c_str(), "a");
  write_file("/dev/fd/" + std::to_string(fileno(open)), "text");
  std::fclose(open);
  EXPECT_EQ(read_file(folder / "open"), "text");
  EXPECT_EQ(status(folder / "open").st_ino, file);
}

TEST(OutputFile, WritersDoNotMeet) {
  const Folder folder;
  OutputFile one(folder / "file"), two(folder / "file");
  const std::vector<std::uint8_t> a(1000, 'a'), b(10, 'b');
  one.write(a), two.write(b);
  two.commit(), one.commit();
  EXPECT_EQ(read_file(folder / "file"), std::string(1000, 'a'));
  EXPECT_EQ(files(folder), 1u);
}

TEST(OutputFile, SaysWhyItCannotBe) {
  const Folder folder;
  const auto refusal = [](const std::string& path) { return complaint([&] { OutputFile file(path); }); };
  EXPECT_EQ(refusal(folder.path()), folder.path() + ": cannot be written: Is a directory");
  EXPECT_EQ(refusal(folder / "no/file"),
            folder / "no/file" + ": cannot be written: No such file or directory");
  EXPECT_EQ(refusal(""), ": cannot be written: No such file or directory");
  if (geteuid() == 0) return;  // who may write everything
  write_file(folder / "fixed", "old");
  ASSERT_EQ(chmod((folder / "fixed").c_str(), 0444), 0);
  EXPECT_EQ(refusal(folder / "fixed"), folder / "fixed" + ": cannot be written: Permission denied");
}

}  // namespace
}  // namespace collcast
