// SPDX-License-Identifier: Apache-2.0
#include "model/ranges.hpp"

#include <gtest/gtest.h>

#include "model/alternatives.hpp"
#include "model/collective.hpp"
#include "model/sizes.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

std::vector<double> sizes(std::vector<std::string> texts) {
  std::vector<double> values;
  for (const Bytes b : parse_sizes(texts)) values.push_back(b.value);
  return values;
}
std::vector<Rank> ranks(std::vector<std::string> texts) {
  return parse_rank_counts(texts);
}

TEST(Ranges, GrowByAFactorOrAStep) {
  EXPECT_EQ(sizes({"1KiB:8KiB:x2", "7"}), (std::vector<double>{1024, 2048, 4096, 8192, 7}));
  EXPECT_EQ(sizes({"1:10:x3"}), (std::vector<double>{1, 3, 9}));
  EXPECT_EQ(sizes({"1:3:x1.5"}), (std::vector<double>{1, 2, 3}));  // at least a byte more
  EXPECT_EQ(sizes({"0:4:x2"}), (std::vector<double>{0, 1, 2, 4}));
  EXPECT_EQ(sizes({"1KiB:4KiB"}), (std::vector<double>{1024, 2048, 4096}));
  EXPECT_EQ(ranks({"64:256:+64"}), (std::vector<Rank>{64, 128, 192, 256}));
  EXPECT_EQ(ranks({"5:5", "2"}), (std::vector<Rank>{5, 2}));
}

/// 0.1 + 0.1 + 0.1 is above 0.3 in binary.
TEST(Ranges, OfRealNumbersMeetTheirEnds) {
  EXPECT_EQ(parse_values("0.1:0.3:+0.1"), (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(parse_values("0:0.7:+0.35"), (std::vector<double>{0, 0.35, 0.7}));
  EXPECT_EQ(parse_values("0.1:0.9:x3"), (std::vector<double>{0.1, 0.3, 0.9}));
  EXPECT_EQ(complaint([] { parse_values("0:1:x2"); }),
            "range '0:1:x2' begins at 0, from where no factor leads on; take a step, as in 0:8:+2");
}

TEST(Ranges, HaveEachValueOnce) {
  EXPECT_EQ(sizes({"1KiB:4KiB", "4KiB:16KiB:x4", "1"}), (std::vector<double>{1024, 2048, 4096, 16384, 1}));
  EXPECT_EQ(ranks({"4", "2:8:x2"}), (std::vector<Rank>{4, 2, 8}));
}

TEST(Ranges, SayWhatIsWrong) {
  const std::string like = "; ranges are like 1KiB:1GiB:x2 and 64:512:+64";
  EXPECT_EQ(complaint([] { sizes({"2:1"}); }), "range '2:1' is empty: it begins after its end");
  EXPECT_EQ(complaint([] { sizes({"1:2:x1"}); }), "range '1:2:x1' ends with 'x1'" + like);
  EXPECT_EQ(complaint([] { sizes({"1:2:"}); }), "range '1:2:' ends with ''" + like);
  EXPECT_EQ(complaint([] { sizes({"1:2:+0"}); }), "range '1:2:+0' ends with '+0'" + like);
  EXPECT_EQ(complaint([] { sizes({"1:2:x2:x2"}); }), "range '1:2:x2:x2' has too many colons" + like);
  EXPECT_EQ(complaint([] { sizes({"1:1MiB:+1"}); }),
            "range '1:1MiB:+1' has more than 100000 values; take a larger stride");
  EXPECT_EQ(complaint([] { sizes({"1:y"}); }),
            "size 'y' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB");
  EXPECT_EQ(complaint([] { sizes({"1.5"}); }), "size '1.5' is no whole number of bytes");
  EXPECT_EQ(complaint([] { ranks({"0:4"}); }),
            "number of ranks '0' is not a whole number from 1 to 16777216");
}

/// nccl-tests and OSU write 64M for 64 MiB.
TEST(Sizes, BareLettersAreBinary) {
  for (const auto& [text, bytes] : {std::pair{"1k", 1024.0},
                                    {"1K", 1024.0},
                                    {"64M", 67108864.0},
                                    {"2G", 2147483648.0},
                                    {"1kB", 1000.0},
                                    {"1MB", 1e6}})
    EXPECT_EQ(parse_size(text).value, bytes) << text;
}

/// "1,000" is two words.
TEST(Sizes, DoNotBeginWith0) {
  EXPECT_EQ(parse_size("0").value, 0);
  EXPECT_EQ(parse_size("0.5KiB").value, 512);
  EXPECT_EQ(complaint([] { parse_size("000"); }),
            "size '000' begins with 0; commas stand between sizes, not in one");
}

/// 8,1KiB is a usual list: what would be a fraction of a byte, or of another digit, is none.
TEST(Sizes, OfADecimalCommaAreDoubted) {
  EXPECT_EQ(decimal_comma({"1", "5KiB"}),
            "1,5KiB is two values, 1 and 5KiB; a decimal point is a dot: 1.5KiB");
  for (const std::vector<std::string>& doubtful :
       {std::vector<std::string>{"12", "5"}, {"0", "5"}, {"2", "25MiB"}})
    EXPECT_NE(decimal_comma(doubtful), "") << doubtful[0];
  for (const std::vector<std::string>& list : {std::vector<std::string>{"8", "1KiB"},
                                               {"5", "25"},
                                               {"1", "5B"},
                                               {"4", "64KiB"},
                                               {"1KiB", "5KiB"},
                                               {"1"},
                                               {"1", "5", "25"},
                                               {"1", "5KiB:5MiB"},
                                               {"", "5"},
                                               {"100", "50"},
                                               {"1.5", "5KiB"},
                                               {"8", "1125KiB"}})
    EXPECT_EQ(decimal_comma(list), "") << list[0];
}

TEST(Collectives, AreKnownByOthersNames) {
  for (const auto& [theirs, ours] : {std::pair{"all_reduce", "allreduce"},
                                     {"all_reduce_perf", "allreduce"},
                                     {"bcast", "broadcast"},
                                     {"osu_allreduce", "allreduce"},
                                     {"MPI_Alltoall", "alltoall"},
                                     {"MPI_Reduce_scatter_block", "reduce-scatter"},
                                     {"MPI_Ibcast", "broadcast"},
                                     {"osu_iallreduce", "allreduce"},
                                     {"ncclAllGather", "allgather"},
                                     {"alltoall_perf", "alltoall"},
                                     {"reduce_scatter", "reduce-scatter"}})
    EXPECT_EQ(definition(theirs).name, ours);
  for (const Definition& d : definitions()) EXPECT_EQ(&definition(d.name), &d);
  EXPECT_EQ(complaint([] { definition("allredcue"); }),
            "unknown collective 'allredcue'; did you mean 'allreduce'?");
  EXPECT_EQ(complaint([] { definition("allreduce,bcast"); }),
            "'allreduce,bcast' is a list; one collective is taken here");
}

TEST(Listed, HasNoEmptyItems) {
  EXPECT_EQ(listed("a,nccl-2.8:algo=Ring,proto=LL,b").size(), 3u);
  for (const std::string text : {",3", "3,", "a,,b", ","})
    EXPECT_EQ(complaint([&] { listed(text); }), "'" + text + "' has an empty item");
}

using Texts = std::vector<std::string>;

TEST(Alternatives, AreAllCombinationsOfSettings) {
  EXPECT_EQ(spelled_out("ddp"), Texts{"ddp"});
  EXPECT_EQ(spelled_out("nccl-2.8:algo=Ring,proto=LL"), Texts{"nccl-2.8:algo=Ring,proto=LL"});
  EXPECT_EQ(spelled_out("h:fusion=1MiB:4MiB:x4,cycle=1ms,2ms"),
            (Texts{"h:fusion=1MiB,cycle=1ms", "h:fusion=1MiB,cycle=2ms", "h:fusion=4MiB,cycle=1ms",
                   "h:fusion=4MiB,cycle=2ms"}));
  EXPECT_EQ(spelled_out("m:recompute=1,selective"), (Texts{"m:recompute=1", "m:recompute=selective"}));
  EXPECT_EQ(listed("h:fusion=1MiB,4MiB,cycle=1ms,ddp"), (Texts{"h:fusion=1MiB,4MiB,cycle=1ms", "ddp"}));
}

TEST(Alternatives, RangesOfSettingsKeepAUnit) {
  EXPECT_EQ(setting_values("selective"), Texts{"selective"});
  EXPECT_EQ(setting_values("1:8:x2"), (Texts{"1", "2", "4", "8"}));
  EXPECT_EQ(setting_values("512KiB:2MiB"), (Texts{"512KiB", "1MiB", "2MiB"}));
  EXPECT_EQ(setting_values("500us:1.5ms:+500us"), (Texts{"500us", "1ms", "1.5ms"}));
  EXPECT_EQ(setting_values("1:2:+0.5"), (Texts{"1", "1.5", "2"}));
  EXPECT_EQ(complaint([] { setting_values("2MiB:1MiB"); }),
            "range '2MiB:1MiB' is empty: it begins after its end");
  EXPECT_EQ(complaint([] { setting_values("1MiB:1s"); }),
            "range '1MiB:1s' goes from a size to a time, or back");
  EXPECT_EQ(complaint([] { setting_values("1:8q:x2"); }).substr(0, 16), "value '8q' is no");
  EXPECT_EQ(complaint([] { spelled_out("a:b=1:1000:+1,c=1:1000:+1"); }),
            "'a:b=1:1000:+1,c=1:1000:+1' stands for more than 100000 cases");
}

}  // namespace
}  // namespace collcast
