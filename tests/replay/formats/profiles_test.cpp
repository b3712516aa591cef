// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "replay/formats/convert.hpp"
#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using samples::deepintrospect;
using samples::ipm_banner;
using samples::mpip;
using samples::tau_profile;
using testing::all;
using Profiles = testing::TraceFiles;

TEST_F(Profiles, DeepIntrospectDumpsAreProfilesBySize) {
  const auto source = open_source({file("d.json", deepintrospect)});
  EXPECT_EQ(source->info().format, "deepintrospect");
  EXPECT_FALSE(source->info().ordered);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 4u);  // most time first: 1400, 400, 2100 - 1800 = 300, and 50 us
  EXPECT_EQ(i.operations[0].name, "allreduce (horovod)");
  EXPECT_EQ(i.operations[0].count, 7);
  EXPECT_NEAR(i.operations[0].total.value, 1400e-6, 1e-12);
  EXPECT_FALSE(i.operations[0].least);  // of seven only the sum is known
  EXPECT_NEAR(i.operations[1].least.value().value, 400e-6, 1e-12);
  EXPECT_EQ(i.operations[2].count, 2);
  EXPECT_FALSE(i.operations[2].sized);
  EXPECT_NEAR(i.operations[2].total.value, 300e-6, 1e-12);
  EXPECT_EQ(i.operations[3].name, "bcast");
  EXPECT_EQ(i.dropped, (std::vector<Loss>{{"call", 4, "without a message size"}}));
}

TEST_F(Profiles, MpipReportsAreProfilesByCallSite) {
  const auto source = open_source({file("r.mpiP", mpip)});
  EXPECT_EQ(source->info().format, "mpip");
  EXPECT_EQ(source->ranks(), 2);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 3u);
  EXPECT_EQ(i.operations[2].name, "Bcast");
  EXPECT_EQ(i.operations[2].count, 14);
  EXPECT_NEAR(i.operations[2].total.value, 14e-3, 1e-12);
  EXPECT_NEAR(i.operations[2].least.value().value, 0.5e-3, 1e-12);
  EXPECT_NEAR(i.operations[2].most.value().value, 2e-3, 1e-12);
  EXPECT_EQ(i.operations[0].name, "Isend");
  EXPECT_FALSE(i.operations[0].least);
  EXPECT_EQ(i.operations[0].count, 71742);
  EXPECT_DOUBLE_EQ(i.operations[0].size.value, 2000);
  EXPECT_NEAR(i.operations[0].total.value, 0.926, 1e-9);
  EXPECT_FALSE(i.operations[1].sized);
  const auto countless =
      open_source({file("concise",
                        "@ mpiP\n@--- Aggregate Time (top twenty, descending, milliseconds) ---\n"
                        "Call                 Site       Time    App%    MPI%     COV\n"
                        "Barrier                 2       3e+04   75.00  100.00    0.67\n")});
  EXPECT_EQ(countless->info().losses, (Losses{{"call site", 1, "without a count", 30}}));
  const std::string none = file("none", "@ mpiP\n");
  EXPECT_NE(testing::complaint([&] { open_source({none}); }).find("an mpiP report without the sections"),
            std::string::npos);
}

TEST_F(Profiles, IpmBannersOf2005HaveTheRanksAfterTheHost) {
  const auto source = open_source({file(
      "old",
      "##IPMv0.98####\n# command : a.out\n# host    : s1/AIX    mpi_tasks : 32 on 2 nodes\n"
      "#                 [time]     [calls]    <%mpi>   <%wall>\n# MPI_Send   2.5    3   80.1   1.2\n")});
  EXPECT_EQ(source->ranks(), 32);
  ASSERT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(all(*source, 0)[0].times, 3);
}

TEST_F(Profiles, IpmBannersAreProfilesOfTheWholeRun) {
  const auto source = open_source({file("ipm.txt", ipm_banner)});
  EXPECT_EQ(source->info().format, "ipm");
  EXPECT_FALSE(source->info().ordered);
  EXPECT_EQ(source->ranks(), 4);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "MPI_Allreduce");
  EXPECT_EQ(i.operations[0].count, 20);
  EXPECT_FALSE(i.operations[0].least);
  EXPECT_NEAR(i.operations[0].total.value, 2.5, 1e-12);
  EXPECT_FALSE(i.operations[0].sized);
  EXPECT_TRUE(source->info().losses.empty());  // a banner has no sizes, and a time of 0.00 is one
  const std::string quoted = std::regex_replace("of a page\n" + ipm_banner, std::regex("\n#"), "\n    #");
  EXPECT_EQ(all(*open_source({file("page.txt", quoted)}), 0).size(), 2u);
  const auto refused = [&](const std::string& text) {
    return testing::complaint([&] { open_source({file("bad.txt", text)}); });
  };
  EXPECT_NE(refused("##IPMv2.0.6\n# mpi_tasks : 4\n").find("without its table of calls"), std::string::npos);
  EXPECT_NE(refused("##IPMv2.0.6\n# [time]\n# MPI_Send -1 3\n").find("'MPI_Send' has no time in seconds"),
            std::string::npos);
  EXPECT_NE(
      refused("##IPMv2\n# mpi_tasks : 999999999\n# [time]\n# MPI_Send 1 3\n").find("more ranks than a job"),
      std::string::npos);
}

TEST_F(Profiles, IpmBannersOfFurtherRunsAreLeftOut) {
  std::string other = ipm_banner;
  other.replace(other.find("mpi_tasks : 4"), 13, "mpi_tasks : 9");
  const auto source = open_source({file("two.txt", ipm_banner + other)});
  EXPECT_EQ(source->ranks(), 4);
  EXPECT_EQ(all(*source, 0).size(), 2u);
  EXPECT_EQ(source->info().losses, (Losses{{"banner", 1, "of another run than the file's first"}}));
}

/// An event is of the one call that has it; two calls that share it are told apart by nothing. Counters of
/// hardware are no times, and a throttled call is told.
TEST_F(Profiles, TauEventsThatCallsShare) {
  const auto with_event = [](const std::string& profile, const std::string& event) {
    return profile.substr(0, profile.find("\"Message size")) + event + '\n';
  };
  const auto sizes = [&](const std::string& calls, const std::string& event) {
    const auto source = open_source({file("profile.0.0.0", with_event(tau_profile(calls), event))});
    std::map<std::string, bool> sized;
    for (const Activity& a : all(*source, 0)) sized[std::string(a.call)] = a.sized;
    return sized;
  };
  const std::string one = "\"MPI_Alltoallv()  \" 3 0 5 5 0 GROUP=\"MPI\" \n",
                    both = one + "\"MPI_Alltoall()  \" 3 0 5 5 0 GROUP=\"MPI\" \n";
  EXPECT_TRUE(sizes(one, "\"Message size for all-to-all\" 3 64 0 32 9")["MPI_Alltoallv"]);
  EXPECT_FALSE(sizes(both, "\"Message size for all-to-all\" 6 64 0 32 9")["MPI_Alltoall"]);
  EXPECT_FALSE(sizes(one, "\"Message size for all-to-all\" 6 64 0 32 9")["MPI_Alltoallv"]);
  const auto apart =
      open_source({file("profile.0.0.0",
                        "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
                        "\"main\" 1 0 419 419 0 GROUP=\"TAU_DEFAULT\" \n0 aggregates\n0 userevents\n")});
  EXPECT_EQ(apart->info().notes, (std::vector<std::string>{"TAU lists no calls of MPI"}));
  std::string misses = tau_profile();
  misses.replace(misses.find("TIME"), 4, "PAPI_L1_DCM");
  EXPECT_NE(testing::complaint([&] {
              open_source({file("profile.0.0.0", misses)});
            }).find("counts PAPI_L1_DCM, which is no time"),
            std::string::npos);
  const auto throttled = open_source({file(
      "profile.0.0.0", tau_profile("\"MPI_Barrier()   [THROTTLED]\" 100001 0 5 5 0 GROUP=\"MPI\" \n"))});
  EXPECT_EQ(all(*throttled, 0).size(), 2u);
  EXPECT_NE(throttled->info().notes.at(0).find("MPI_Barrier was throttled"), std::string::npos);
}

/// Of 5,031 calls the table lists 20: it was cut.
TEST_F(Profiles, ProfilesThatWereCutAreSaidToBe) {
  const std::string banner =
      "##IPMv2.0.6####\n# mpi_tasks : 4 on 2 nodes\n# #calls    :\n"
      "#   MPI     :       5031        39306        23067        57189\n"
      "#                             [time]        [count]        <%wall>\n"
      "# MPI_Allreduce               2.50             20          18.99\n";
  EXPECT_EQ(open_source({file("ipm.txt", banner)})->info().losses.back(),
            (Loss{"call", 5011, "less in the table than IPM says there were"}));
  const std::string whole = tau_profile(), cut = whole.substr(0, whole.find("\"MPI_Bcast"));
  EXPECT_TRUE(open_source({file("profile.0.0.0", whole)})->info().losses.empty());
  EXPECT_EQ(open_source({file("profile.1.0.0", cut)})->info().losses.back(),
            (Loss{"row", 2, "less than TAU says there are"}));
}

TEST_F(Profiles, TauProfilesAreOneARank) {
  const std::string first = file("profile.0.0.0", tau_profile()),
                    last = file("profile.2.0.0", tau_profile("\"MPI_Send()  \" 1 0 5 5 0 GROUP=\"MPI\" \n"));
  const auto source = open_source({last, first});
  EXPECT_EQ(source->info().format, "tau");
  EXPECT_EQ(source->ranks(), 3);
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 2}));
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "MPI_Bcast");
  EXPECT_EQ(i.operations[0].count, 4);
  EXPECT_NEAR(i.operations[0].total.value, 60e-6, 1e-12);
  EXPECT_DOUBLE_EQ(i.operations[0].size.value, 4);
  EXPECT_EQ(i.dropped,
            (std::vector<Loss>{
                {"size", 1,
                 "of calls that are counted: nothing is sent, or no size that is listed is theirs alone"}}));
  const auto refused = [&](const std::vector<std::string>& files) {
    return testing::complaint([&] { open_source(files); });
  };
  EXPECT_NE(refused({file("one", tau_profile())}).find("its name must end like TAU's: profile.NODE.0.0"),
            std::string::npos);
  EXPECT_NE(refused({file("profile.1.0.3", tau_profile())}).find("is a thread's profile"), std::string::npos);
  EXPECT_NE(refused({first, folder_ / "./profile.0.0.0"}).find("are both of rank 0"), std::string::npos);
  EXPECT_NE(refused({file("profile.1.0.0", tau_profile("\"MPI_Send()\" x\n"))})
                .find("MPI_Send has no count of calls and times"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast
