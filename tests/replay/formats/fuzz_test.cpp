// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "tests/replay/formats/other_numbers.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"
#include "tests/shared_data.hpp"

namespace collcast {
namespace {

/// Whatever stands in a file: a source that can be read to its end, or one InputError.
TEST(FormatsFuzz, MutatedFilesAreReadOrRefused) {
  const Folder folder;
  const std::string binary("\0\1\2\x7f\x80\xff", 6);
  for (const std::string& good :
       {samples::kineto(0), samples::horovod, samples::nccl_log, samples::time_independent, samples::chakra(),
        samples::cubex(true, false), samples::cubex(false, true), samples::dumpi_binary(0),
        samples::darshan(samples::darshan_versions[1], false)}) {
    std::mt19937 random(20261122);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      const std::string path =
          samples::write(folder / "trace.0", mutated(good, R"({}[]",:0123456789-.eE _aX)" + binary, random));
      refused += !testing::complaint([&] { inspect(*open_source({path})); }).empty();
    }
    EXPECT_LT(refused, 400);
  }
}

TEST(FormatsFuzz, OtherNumbersAreReadOrRefused) {
  testing::read_or_refuse_other_numbers({samples::kineto(0), samples::horovod, samples::nccl_log,
                                         samples::time_independent, samples::chakra(),
                                         samples::cubex(true, false), samples::dumpi_binary(0),
                                         samples::darshan(samples::darshan_versions[1], false)});
}

std::string as_it_is(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string unpacked(const std::filesystem::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  char piece[65536];
  for (int n = 0; (n = gzread(file, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

/// Real files, packed and unpacked, damaged: what is read of them can be made larger and changed, or that is
/// refused as well.
TEST(FormatsFuzz, DamagedPublishedFilesAreReadOrRefused) {
  const auto folder = shared_data("traces");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there (COLLCAST_DATA names it)";
  const Folder copies;
  std::mt19937 random(20261123);
  OpenOptions anew;
  anew.bucket = Bytes(1e6);
  anew.nonblocking = {Collective::allreduce};
  testing::EachOrOneIn wanted(3);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  int read = 0, refused = 0;
  for (const auto& file : files)
    for (const std::string& good : {as_it_is(file), unpacked(file)}) {
      if (!wanted()) continue;
      for (int i = 0; i < 3; ++i) {
        const std::string path = samples::write(
            copies / "trace.0", mutated(good, std::string("{}[]\",:09-e\0\x7f\xff", 15), random));
        const bool bad = !testing::complaint([&] { inspect(*open_source({path})); }).empty();
        testing::complaint([&] { inspect(open_trace({path}, {}, 64).source()); });
        testing::complaint([&] { inspect(open_trace({path}, anew).source()); });
        ++(bad ? refused : read);
      }
    }
  EXPECT_GT(read, refused / 20);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace collcast
