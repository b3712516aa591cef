// SPDX-License-Identifier: Apache-2.0
#include "forecast/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/engine.hpp"
#include "forecast/answer.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/set.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

constexpr Bytes mib(1048576);

Seconds library_time(const Library& library, Rank ranks, Bytes message) {
  const Rank node = library.forecaster().ranks_per_node();
  return library
      .predict(Collective::allreduce, {.ranks = ranks, .message = message, .ranks_per_node = node},
               engine("path"))
      .prediction.time;
}

/// There is one price: of everyone it is the library's.
TEST(Group, OfEveryoneIsTheLibrarys) {
  GroupForecaster forecaster(load_platform("dgx-1v"), "");
  EXPECT_EQ(forecaster.policy(), "nccl-2.8");
  for (const Rank ranks : {8, 32}) {
    const RankGroup all{{{ranks, 1}}, ranks};
    EXPECT_EQ(forecaster.predict(Collective::allreduce, all, 16.0 * mib).time,
              library_time({"nccl-2.8", load_platform("dgx-1v"), ranks}, ranks, 16.0 * mib));
  }
}

TEST(Group, TheUsualPolicyIsTheLibraryThatThePlatformNames) {
  Description d = load_platform("dgx-h100");
  EXPECT_EQ(usual_policy(d), "nccl-2.17");
  set(d, "library=nccl-2.28");
  EXPECT_EQ(usual_policy(d), "nccl-2.28");
  set(d, "library=ncl");
  EXPECT_THAT(testing::complaint([&] { usual_policy(d); }),
              ::testing::HasSubstr("library.value: unknown policy 'ncl'"));
  Json silent = d.json();
  silent.erase("library");
  EXPECT_EQ(usual_policy({"h100", "h100.json", silent}), "nccl-2.17");  // the first that knows Hopper's GPUs
  EXPECT_EQ(usual_policy(load_platform("frontera")), "openmpi-4.0");
}

TEST(Group, SaysThatALibraryIsGuessed) {
  const Description named = load_platform("dgx-h100");
  Json json = named.json();
  json.erase("library");
  Description silent("mine", "mine.json", json);
  const auto notes = [](const Description& d, const char* policy) {
    return GroupForecaster(d, policy).notes();
  };
  EXPECT_EQ(notes(silent, ""),
            std::vector<std::string>{"mine names no `library`: its GPUs are taken to send by nccl-2.17"});
  set(silent, "devices.H100-SXM5-80GB.generation=other");
  EXPECT_EQ(usual_policy(silent), "fastest");
  EXPECT_THAT(notes(silent, ""),
              ::testing::ElementsAre(::testing::HasSubstr("not sit on GPUs that NCCL or RCCL is known to")));
  EXPECT_TRUE(notes(silent, "mpich").empty());
  EXPECT_TRUE(notes(named, "").empty());
  EXPECT_EQ(note_on_usual_policy(load_platform("frontera")), "");
}

/// A policy, a platform, ranks and a collective.
struct PriceCase {
  std::string policy, platform;
  Rank ranks;
  Collective collective;
};
void PrintTo(const PriceCase& c, std::ostream* out) {
  *out << c.policy << " on " << c.ranks << " ranks of " << c.platform << ": "
       << definition(c.collective).name;
}

std::vector<PriceCase> price_cases() {
  std::vector<PriceCase> all;
  testing::EachOrOneIn tried(10);
  for (const char* policy : {"openmpi-4.0", "openmpi-4.1", "mpich", "mvapich2-2.3", "nccl-2.8"})
    for (const auto& [platform, ranks] : {std::pair("summit", 24), {"summit", 16}, {"edr-cluster", 16}})
      for (const Collective c :
           {Collective::allreduce, Collective::broadcast, Collective::reduce, Collective::reduce_scatter,
            Collective::allgather, Collective::alltoall, Collective::gather, Collective::scatter})
        if (tried()) all.push_back({policy, platform, ranks, c});
  return all;
}

Question question(const PriceCase& c, Bytes message) {
  Question q;
  q.policy = c.policy, q.platforms = {c.platform}, q.ranks = {c.ranks}, q.sizes = {message};
  q.collectives = {std::string(definition(c.collective).name)};
  return q;
}

class Price : public ::testing::TestWithParam<PriceCase> {};

/// What `predict` refuses, as the library's choice is not known, is the fastest of the catalogue, with that
/// reason.
TEST_P(Price, OfEveryoneIsWhatPredictSays) {
  const PriceCase& c = GetParam();
  GroupForecaster forecaster(load_platform(c.platform), c.policy);
  for (const Bytes message : {Bytes(192), 4.0 * mib}) {
    const Question q = question(c, message);
    const auto price = forecaster.predict(c.collective, {{{c.ranks, 1}}, c.ranks}, message);
    if (const std::string why = testing::complaint([&] { ask(q); }); !why.empty()) {
      EXPECT_THAT(forecaster.notes(),
                  ::testing::Contains(std::string(definition(c.collective).name) +
                                      " takes the time of the catalogue's fastest algorithm: " + why));
      continue;
    }
    const Prediction p = ask(q).rows.at(0).prediction;
    EXPECT_EQ(price.time, p.time);
    EXPECT_EQ(price.low, p.low);
    EXPECT_EQ(price.high, p.high);
    EXPECT_EQ(price.limited_by, p.limited_by);
  }
}
INSTANTIATE_TEST_SUITE_P(Libraries, Price, ::testing::ValuesIn(price_cases()));

/// The cases above have both: six ranks of a node of Summit share two ports, and one of edr-cluster has its
/// own.
TEST(Group, PricesAreContendedWhereMessagesShareLinks) {
  const auto by = [](const PriceCase& c) { return ask(question(c, 4.0 * mib)).rows.at(0).engine; };
  EXPECT_EQ(by({"mpich", "summit", 24, Collective::allreduce}), "contention");
  EXPECT_EQ(by({"openmpi-4.0", "edr-cluster", 16, Collective::allreduce}), "path");
}

/// MPI's groups are played at once: those of a torus share its links.
TEST(Group, GroupsThatMeetOnLinksTakeWhatAllOfThemTake) {
  const Description fugaku = load_platform("fugaku");
  GroupForecaster forecaster(fugaku, "openmpi-4.0");
  RankGroup columns{{{16, 16}}, 256};
  const auto time = [&](const RankGroup& g) {
    return forecaster.predict(Collective::alltoall, g, 4.0 * mib).time;
  };
  const Seconds shared = time(columns);
  EXPECT_EQ(forecaster.predict(Collective::alltoall, columns, 4.0 * mib, "pairwise").time, shared);
  columns.alone = true;
  EXPECT_GT(shared / time(columns), 1.3);
}

/// Groups of 4 ranks on nodes of 6: the second has two ranks on each of two nodes, and is slower than the
/// first, which no other group of its node hinders.
TEST(Group, GroupsThatLieOnNodesInSeveralWaysTakeTheSlowestsTime) {
  GroupForecaster forecaster(load_platform("summit"), "nccl-2.8");
  const auto time = [&](const RankGroup& g) {
    return forecaster.predict(Collective::allreduce, g, 64.0 * mib).time;
  };
  EXPECT_GT(time({{{4, 1}}, 12}) / time({{{4, 1}}, 4}), 2);
  EXPECT_EQ(seen_by(load_platform("summit"), {{{4, 1}}, 12, 4}).json()["network"]["bandwidth_GBps"]["value"],
            load_platform("summit").json()["network"]["bandwidth_GBps"]["value"]);
}

/// Eight groups of one GPU per node share four cards: each gets half of what one alone would have.
TEST(Group, GroupsThatMeetOnANodeShareItsCards) {
  GroupForecaster forecaster(load_platform("dgx-1v"), "");
  const auto time = [&](const RankGroup& group) {
    return forecaster.predict(Collective::allreduce, group, 64.0 * mib).time.value;
  };
  const double shared = time({{{4, 8}}, 32}), alone = time({{{32, 1}}, 32});
  EXPECT_GT(shared, alone);
  const Description seen = seen_by(load_platform("dgx-1v"), {{{4, 8}}, 32});
  EXPECT_EQ(seen.json()["node"]["ranks_per_node"], 1);
  EXPECT_NEAR(seen.json()["network"]["bandwidth_GBps"]["value"].get<double>(), 11.5 / 2, 1e-9);
}

/// Eight nodes of four GPUs and two cards, four nodes below a leaf switch of each rail. Groups of two GPUs,
/// four nodes apart, all cross the spine: with one cable up instead of four, in a quarter of the pace.
TEST(Group, GroupsThatLieApartShareATapersUplinks) {
  Description full = load_platform(COLLCAST_SOURCE_DIR "/tests/forecast/tapered-a100.json"), tapered = full;
  set(tapered, "network.levels.0.up=1");
  const RankGroup pairs{{{2, 16}}, 32}, neighbours{{{2, 4}}, 32};
  const Json seen = seen_by(tapered, pairs).json()["network"];
  EXPECT_EQ(seen["levels"][0]["down"], 1);
  EXPECT_EQ(seen["levels"][0]["up"], 1);
  EXPECT_NEAR(seen["levels"][0]["bandwidth_GBps"]["value"].get<double>(), 25.0 / 2 / 4, 1e-9);
  EXPECT_EQ(seen_by(tapered, neighbours).json()["network"]["levels"], tapered.json()["network"]["levels"]);
  EXPECT_EQ(seen_by(full, pairs).json()["network"]["levels"], full.json()["network"]["levels"]);
  const auto time = [&](const Description& d, Collective collective) {
    return GroupForecaster(d, "nccl-2.18").predict(collective, pairs, 64.0 * mib).time;
  };
  for (const Collective collective : {Collective::allreduce, Collective::sendrecv})
    EXPECT_GT(time(tapered, collective) / time(full, collective), 3);
}

/// 256 nodes from 32 and 128: within 15 % of the whole forecast, of any size.
TEST(Group, TreesGrowByTheirDepth) {
  GroupForecaster forecaster(load_platform("summit"), "nccl-2.8");
  const Rank ranks = testing::all_or_one_in(4, 1536);
  const RankGroup all{{{ranks, 1}}, ranks};
  const Library library("nccl-2.8", load_platform("summit"), ranks);
  testing::EachOrOneIn tried(4);
  for (const double bytes : {5e3, 1e6, 9e6, 40e6}) {
    if (!tried()) continue;
    const double whole = library_time(library, ranks, Bytes(bytes)).value;
    EXPECT_NEAR(forecaster.predict(Collective::allreduce, all, Bytes(bytes)).time.value, whole, 0.15 * whole)
        << bytes;
  }
}

/// 512 nodes are two doublings of 128, as 128 are of 32: as much longer again.
TEST(Group, TreesGrowAsMuchForEachDoubling) {
  GroupForecaster forecaster(load_platform("summit"), "nccl-2.8:algo=Tree,proto=LL");
  const auto time = [&](Rank nodes) {
    return forecaster.predict(Collective::allreduce, {{{6 * nodes, 1}}, 6 * nodes}, Bytes(1024)).time.value;
  };
  EXPECT_GT(time(128), time(32));
  EXPECT_NEAR(time(512), time(128) + (time(128) - time(32)), 1e-12);
}

/// Beyond 128 nodes sizes half an octave apart are asked for, 741,455 and 1,048,576 B: a quarter of the way
/// from one to the other it takes a quarter of their difference longer.
TEST(Group, SizesBetweenAreOnALine) {
  GroupForecaster forecaster(load_platform("summit"), "nccl-2.8:algo=Tree,proto=LL");
  const auto time = [&](double bytes) {
    return forecaster.predict(Collective::allreduce, {{{1536, 1}}, 1536}, Bytes(bytes)).time.value;
  };
  const double low = time(741455), high = time(1048576);
  EXPECT_GT(high, low);
  EXPECT_NEAR(time(741455 + 307121 / 4.0), low + (high - low) / 4, 1e-12);
}

/// Of a GiB links carry nearly all the time what they can; the control plane's messages hold up nobody.
TEST(Group, LinksAreBusyWhileMessagesCrossThem) {
  GroupForecaster forecaster(load_platform("edr-cluster"), "mpich");
  const RankGroup all{{{16, 1}}, 16};
  for (const char* algorithm : {"ring", "recursive-doubling"})
    EXPECT_GT(forecaster.predict(Collective::allgather, all, 1024.0 * mib, algorithm).load, 0.95)
        << algorithm;
  EXPECT_GT(forecaster.predict(Collective::gather, all, 1024.0 * mib, "linear").load, 0.95);
  EXPECT_LT(forecaster.predict(Collective::allreduce, all, Bytes(8)).load, 0.1);
  EXPECT_EQ(forecaster.predict_control(Collective::gather, all, 1024.0 * mib).load, 0);
}

/// A framework's control plane goes through host memory, its gradients from device to device: what was asked
/// first does not decide where the other lies.
TEST(Group, ControlAndDataLieInMemoriesOfTheirOwn) {
  const RankGroup all{{{12, 1}}, 12};
  GroupForecaster before(load_platform("summit"), "openmpi-4.0"),
      after(load_platform("summit"), "openmpi-4.0");
  const Seconds control = before.predict_control(Collective::allreduce, all, Bytes(64)).time;
  const Seconds data = after.predict(Collective::allreduce, all, mib).time;
  EXPECT_EQ(before.predict(Collective::allreduce, all, mib).time, data);
  EXPECT_EQ(after.predict_control(Collective::allreduce, all, Bytes(64)).time, control);
  EXPECT_LT(control, after.predict(Collective::allreduce, all, Bytes(64)).time);
}

/// A named algorithm costs what `predict` says of it on as many nodes of the one network.
TEST(Group, AlgorithmsCanBeNamed) {
  const Description testbed = load_platform("testbed");
  GroupForecaster forecaster(testbed, "");
  const RankGroup column{{{4, 2}}, 8};
  const Forecaster four(testbed, 4);
  for (const char* name : {"ring", "rabenseifner"})
    EXPECT_DOUBLE_EQ(
        forecaster.predict(Collective::allreduce, column, mib, name).time.value,
        four.predict(algorithm(Collective::allreduce, name), {.ranks = 4, .message = mib}, engine("path"))
            .time.value)
        << name;
}

/// MPI's messages leave at once, below its limit; NCCL's wait for their receiver. A mebibyte keeps a way of
/// 12.5 MB/s busy for 84 ms.
TEST(Group, MessagesLeaveAsTheirLibrarySendsThem) {
  const RankGroup pair{{{2, 1}}, 8};
  const auto wire = GroupForecaster(load_platform("testbed"), "").departure(pair, mib);
  ASSERT_TRUE(wire.has_value());
  EXPECT_NEAR(wire->occupation(mib).value, 1048576 / 12.5e6, 1e-9);
  EXPECT_FALSE(GroupForecaster(load_platform("dgx-1v"), "").departure(pair, mib).has_value());
  GroupForecaster edr(load_platform("edr-cluster"), "mpich");  // eager up to 8 KiB
  EXPECT_TRUE(edr.departure(pair, Bytes(8192)).has_value());
  EXPECT_FALSE(edr.departure(pair, Bytes(8193)).has_value());
}

/// Of six GPUs of a node 0, 1 and 2 sit on one socket, 2 and 3 on two, 5 and 6 on two nodes. One pair of
/// neighbours leaves a node; six pairs of ranks six apart share its two cards.
TEST(Group, AMessageIsPricedWhereItsPairLies) {
  for (const char* policy : {"mpich", "nccl-2.8"}) {
    GroupForecaster forecaster(load_platform("summit"), policy);
    const auto time = [&](Rank first, Rank stride) {
      return forecaster.predict(Collective::sendrecv, {{{2, stride}}, 24, first}, 16.0 * mib).time;
    };
    EXPECT_EQ(time(0, 1), time(1, 1)) << policy;  // NVLink
    EXPECT_LT(time(1, 1), time(2, 1)) << policy;  // from socket to socket
    EXPECT_LT(time(2, 1), time(5, 1)) << policy;
    EXPECT_EQ(time(5, 1), time(17, 1)) << policy;
    EXPECT_LT(2 * time(5, 1), time(5, 6)) << policy;
  }
}

/// Pairs that meet the same are priced once: as if each were the first to be asked for.
TEST(Group, PairsThatMeetTheSameAreAlike) {
  testing::EachOrOneIn next(20);
  for (const char* name : {"dgx-1v", "summit", "lumi-g"}) {
    const Description platform = load_platform(name);
    const Rank node = platform.blueprint()->ranks_per_node;
    GroupForecaster all(platform, "");
    for (Rank first = 0; first < node; ++first)
      for (Rank stride = 1; stride < node; ++stride) {
        if (!next()) continue;
        const RankGroup pair{{{2, stride}}, 2 * node, first};
        const auto time = [&](GroupForecaster& by) {
          return by.predict(Collective::sendrecv, pair, mib).time;
        };
        GroupForecaster alone(platform, "");
        EXPECT_EQ(time(all), time(alone)) << name << " " << first << " + " << stride;
      }
  }
}

/// Two collectives of pairs on the same links: those of neighbours stay in nodes of six, of others some
/// leave.
TEST(Group, PairsOfOnePriceKeepTheirNotes) {
  GroupForecaster forecaster(load_platform("summit"), "");
  forecaster.predict(Collective::allreduce, {{{2, 1}}, 24}, mib);
  EXPECT_TRUE(forecaster.notes().empty());
  forecaster.predict(Collective::allreduce, {{{2, 2}}, 24}, mib);
  EXPECT_EQ(forecaster.notes().size(), 1u);
}

/// Of one rank, or of nothing, there is nothing to do; what NCCL has no rule for is still forecast.
TEST(Group, KnowsTheRest) {
  GroupForecaster forecaster(load_platform("summit"), "");
  EXPECT_EQ(forecaster.predict(Collective::allreduce, {{}, 6}, mib).time, Seconds());
  EXPECT_EQ(forecaster.predict(Collective::allreduce, {{{6, 1}}, 6}, Bytes()).time, Seconds());
  const RankGroup pair{{{2, 6}}, 12};
  EXPECT_GT(forecaster.predict(Collective::sendrecv, pair, mib).time, Seconds(80e-6));  // 12.42 GB/s at most
  EXPECT_GT(forecaster.predict_control(Collective::gather, {{{12, 1}}, 12}, Bytes(12 * 16)).time, Seconds());
}

}  // namespace
}  // namespace collcast
