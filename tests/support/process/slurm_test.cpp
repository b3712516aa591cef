// SPDX-License-Identifier: Apache-2.0
#include "support/process/slurm.hpp"

#include <gtest/gtest.h>

#include "support/printable.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using testing::complaint;

TEST(Slurm, OutputIsQuotedAsSbatchReadsIt) {
  EXPECT_EQ(slurm::output("/a b", "%a.txt"), "#SBATCH --output=\"/a b/%a.txt\"\n");
  EXPECT_EQ(slurm::output("/it's 5%a #\"1\"", "t"), "#SBATCH --output=\"/it's 5%%a #\\\"1\\\"/t\"\n");
  for (const std::string folder : {"/a\\b", "/a\ntouch b"})
    EXPECT_EQ(
        complaint([&] { slurm::output(folder, "t"); }),
        "'" + printable(folder) + "': Slurm takes no folder with a backslash or a line break in its name");
}

TEST(Slurm, OptionsAreOnesOfSbatch) {
  EXPECT_EQ(slurm::options({"--nodes=2", "--mem=1G"}), "#SBATCH --nodes=2\n#SBATCH --mem=1G\n");
  EXPECT_NE(complaint([] { slurm::options({"--nodes=2\ntouch b"}); }).find("is not an option of sbatch"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast
