// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "tests/replay/formats/samples.hpp"

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

}  // namespace
}  // namespace collcast
