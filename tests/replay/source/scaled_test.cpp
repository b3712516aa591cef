// SPDX-License-Identifier: Apache-2.0
#include "replay/source/scaled.hpp"

#include <cmath>

#include "replay/source/dimensions.hpp"
#include "replay/source/recorded.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "workloads/job/read.hpp"
#include "workloads/job/source.hpp"
#include "workloads/training/training.hpp"

namespace collcast {
namespace {

using testing::all, testing::complaint;
using Kind = Activity::Kind;
using Ranks = std::vector<Rank>;

Activity collective(Collective c, int communicator, double bytes, Rank root = 0) {
  Activity a;
  a.kind = Kind::collective;
  a.operation = definition(c).name;
  a.collective = c;
  a.communicator = communicator;
  a.message = Bytes(bytes);
  a.root = root;
  return a;
}
Activity send(Rank to, double bytes) {
  Activity a;
  a.kind = Kind::send;
  a.to = to;
  a.bytes = Bytes(bytes);
  return a;
}
Activity receive(Rank from, double bytes) {
  Activity a;
  a.kind = Kind::receive;
  a.from = from;
  a.received_bytes = Bytes(bytes);
  return a;
}

/// 2 x 2 x 2 ranks: tensor groups of stride 1, pipelines of stride 2, data groups of stride 4.
class Megatron {
 public:
  RecordedSource source{8};

  explicit Megatron(Ranks recorded = {0, 1, 2, 3, 4, 5, 6, 7}) {
    source.info().name = "megatron";
    if (recorded.size() < 8) source.info().recorded_ranks = recorded;
    for (const Rank r : recorded) {
      const Rank first = r - r % 2, down = r % 4;
      const int tensor = source.communicator("tensor", {first, first + 1});
      const int data = source.communicator("data", {down, down + 4});
      auto& stream = source.at(r);
      stream.push_back(collective(Collective::allreduce, tensor, 100));
      stream.push_back(r % 4 < 2 ? send(r + 2, 50) : receive(r - 2, 50));
      stream.push_back(collective(Collective::reduce_scatter, data, r % 4 < 2 ? 1000 : 2000));
      stream.push_back(collective(Collective::broadcast, 0, 8, 2));
    }
  }
};

const Ranks& members(const Source& source, const Activity& a) {
  return source.communicators()[static_cast<std::size_t>(a.communicator)];
}

TEST(DimensionsOf, GroupsEndDimensionsWhereTheyBeginAndEnd) {
  using Grid = std::vector<Dimension>;
  EXPECT_EQ(dimensions_of(8, {}), (Grid{{1, 8}}));
  EXPECT_EQ(dimensions_of(8, {{0, 1}, {0, 4}}), (Grid{{1, 2}, {2, 2}, {4, 2}}));
  EXPECT_EQ(dimensions_of(8, {{1, 3, 5, 7}}), (Grid{{1, 2}, {2, 4}}));
  EXPECT_EQ(dimensions_of(16, {{0, 1, 8, 9}}), (Grid{{1, 2}, {2, 4}, {8, 2}}));
  // The first and the last of four stages share their embedding: it ends no dimension.
  EXPECT_EQ(dimensions_of(16, {{0, 1, 2, 3}, {0, 12}}), (Grid{{1, 4}, {4, 4}}));
  EXPECT_EQ(dimensions_of(12, {{0, 1}, {0, 1, 2}}), Grid{});
  EXPECT_EQ(dimensions_of(1, {}), (Grid{{1, 1}}));
}

TEST(ShapeOf, GroupsAreProductsOfCoordinates) {
  const std::vector<Dimension> grid{{1, 2}, {2, 4}};
  EXPECT_EQ(shape_of({2, 3}, grid), (GroupShape{{0, 1}, {}}));
  EXPECT_EQ(shape_of({1, 7}, grid), (GroupShape{{}, {0, 3}}));
  EXPECT_FALSE(shape_of({1, 2}, grid));
  EXPECT_FALSE(shape_of({3, 2}, grid));
}

/// Rank 21 = 1 + 2 x 0 + 4 x 5 of 2 x 2 x 8 has the tensor group {20, 21}, sends to 23, and sums up with
/// 1, 5, ..., 29. It does what rank 5 did.
TEST(Scaled, ReplicasAreAddedAlongTheDataDimension) {
  const Megatron job;
  const auto more = scaled(job.source, 32);
  ASSERT_EQ(more->ranks(), 32);
  const auto does = all(*more, 21);
  ASSERT_EQ(does.size(), 4u);
  EXPECT_EQ(members(*more, does[0]), (Ranks{20, 21}));
  EXPECT_EQ(members(*more, does[1])[static_cast<std::size_t>(does[1].to)], 23);
  EXPECT_EQ(members(*more, does[2]), (Ranks{1, 5, 9, 13, 17, 21, 25, 29}));
  EXPECT_EQ(does[2].message, Bytes(1000));
  EXPECT_EQ(members(*more, does[3]).size(), 32u);
  EXPECT_EQ(does[3].root, 2);
  const auto behind = all(*more, 23);
  EXPECT_EQ(behind[1].from, 21);
  EXPECT_EQ(behind[2].message, Bytes(2000));
  EXPECT_EQ(
      more->info().notes[1],
      "communicators make a grid of 2 x 2 x 2 ranks (strides 1, 2, 4); messages go along stride 2 "
      "(pipeline); stride 4, the outermost other, is taken for the data dimension: 2 ranks along it become "
      "8");
}

/// Of each stage of the pipeline one rank is enough, whichever tensor and data ranks they are.
TEST(Scaled, ARankOfEachRoleIsEnough) {
  const Megatron whole, two({0, 3});
  testing::expect_same(*scaled(two.source, 32), *scaled(whole.source, 32));
  EXPECT_TRUE(scaled(two.source, 8)->info().notes[1].ends_with("is taken for the data dimension"));
  const Megatron one({0});
  EXPECT_EQ(complaint([&] { scaled(one.source, 8); }),
            "megatron: cannot stand for 8 ranks: messages go along the dimension of stride 2 (2 ranks); none "
            "like rank 2 was recorded");
}

TEST(Scaled, FewerReplicasLeaveGroupsOfOne) {
  const Megatron job;
  const auto fewer = scaled(job.source, 4);
  EXPECT_EQ(members(*fewer, all(*fewer, 3)[2]), (Ranks{3}));
  EXPECT_EQ(members(*fewer, all(*fewer, 3)[0]), (Ranks{2, 3}));
}

TEST(Scaled, SaysWhyNot) {
  const auto why = [](RecordedSource& source, Rank ranks) {
    source.info().name = "job";
    const std::string said = complaint([&] { scaled(source, ranks); });
    const std::string head = "job: cannot stand for " + std::to_string(ranks) + " ranks: ";
    return said.starts_with(head) ? said.substr(head.size()) : said;
  };
  Megatron job;
  EXPECT_EQ(
      why(job.source, 10),
      "there are 4 ranks beside each along the dimension of stride 4 (2 ranks), the data dimension, and "
      "10 is no multiple");
  job.source.at(5).push_back(collective(Collective::barrier, 0, 0));
  EXPECT_EQ(why(job.source, 16),
            "ranks 1 and 5 are not alike: what they call differs in kind, size or number");

  const auto four = [](auto fill) {
    RecordedSource source(4);
    for (Rank r = 0; r < 4; ++r) fill(source, r, source.at(r));
    return source;
  };
  using Stream = RecordedSource::Stream;
  auto ring = four([](RecordedSource&, Rank r, Stream& s) { s = {send((r + 1) % 4, 1)}; });
  EXPECT_EQ(why(ring, 8),
            "rank 0 sends or receives messages, and who the peers of more ranks are is unknown");
  auto exchange =
      four([](RecordedSource&, Rank, Stream& s) { s = {collective(Collective::alltoall, 0, 8)}; });
  EXPECT_EQ(why(exchange, 8), "what ranks exchange in alltoall depends on how many they are");
  auto roots = four([](RecordedSource&, Rank, Stream& s) {
    for (Rank root = 0; root < 4; ++root) s.push_back(collective(Collective::broadcast, 0, 8, root));
  });
  EXPECT_EQ(
      why(roots, 8),
      "roots are several of the ranks along the dimension of stride 1 (4 ranks), and which they would be "
      "of more or fewer is unknown");
  auto last = four([](RecordedSource&, Rank, Stream& s) { s = {collective(Collective::reduce, 0, 8, 3)}; });
  EXPECT_EQ(why(last, 2), "the root of a collective is rank 3 along the dimension of stride 1 (4 ranks)");
  // Of unknown size it takes its time, of however many ranks.
  auto unknown = four([](RecordedSource&, Rank, Stream& s) {
    s = {collective(Collective::alltoall, 0, 0)};
    s[0].sized = false;
  });
  EXPECT_EQ(why(unknown, 8), "");
  auto sizes = four([](RecordedSource&, Rank, Stream& s) {
    s = {collective(Collective::allgather, 0, 8)};
    s[0].counts = std::make_shared<Counts>();
  });
  EXPECT_EQ(why(sizes, 8), "allgather gives each rank its own size");
  auto apart = four([](RecordedSource& job, Rank r, Stream& s) {
    s = {collective(Collective::allreduce, job.communicator("", {r - r % 2, r - r % 2 + 1}), 8)};
  });
  EXPECT_EQ(why(apart, 8),
            "no collective goes along the dimension of stride 2 (2 ranks), the outermost without messages");
  auto alone = four([](RecordedSource&, Rank, Stream& s) { s = {Activity()}; });
  EXPECT_EQ(why(alone, 8),
            "no collective goes along the dimension of stride 1 (4 ranks), the outermost without messages");
  RecordedSource six(6);
  for (const Ranks& group : {Ranks{0, 1}, Ranks{0, 1, 2}})
    six.at(0).push_back(collective(Collective::allreduce, six.communicator("", group), 8));
  EXPECT_EQ(why(six, 12), "its communicators make no grid: their strides and sizes do not divide each other");
  RecordedSource odd(4);
  odd.at(1).push_back(collective(Collective::allreduce, odd.communicator("", {1, 2}), 8));
  EXPECT_EQ(why(odd, 8), "communicator 1 of 2 ranks is no part of a grid of ranks in ascending order");
  RecordedSource stranger(4);
  stranger.at(3).push_back(collective(Collective::allreduce, stranger.communicator("", {0, 1}), 8));
  EXPECT_EQ(why(stranger, 8), "job: rank 3 calls on a communicator that it is no member of");
  RecordedSource part(4);
  part.info().recorded_ranks = {0};
  part.at(0).push_back(collective(Collective::allreduce, part.communicator("", {0, 3}), 8));
  EXPECT_EQ(why(part, 8), "a communicator has 2 of the ranks along the dimension of stride 1 (4 ranks)");
}

/// Both do the same, to a femtosecond, whatever their communicators' numbers.
void expect_alike(const Source& a, const Source& b) {
  ASSERT_EQ(a.ranks(), b.ranks());
  for (Rank r = 0; r < a.ranks(); ++r) {
    ASSERT_EQ(a.streams(r), b.streams(r));
    for (int s = 0; s < a.streams(r); ++s) {
      const auto x = all(a, r, s), y = all(b, r, s);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto what = [](const Source& of, const Activity& v) {
          const bool communicates =
              v.kind == Kind::collective || v.kind == Kind::send || v.kind == Kind::receive;
          return std::tuple(v.kind, v.call, std::round(v.time.value * 1e15), v.message.value, v.bytes.value,
                            v.received_bytes.value, v.to, v.from, v.tag, v.received_tag, v.root, v.stream,
                            v.count, communicates ? members(of, v) : Ranks{});
        };
        ASSERT_EQ(what(a, x[i]), what(b, y[i])) << "rank " << r << ", stream " << s << ", activity " << i;
      }
    }
  }
}

workloads::Training training(const std::string& framework, Rank ranks) {
  workloads::Training t;
  t.model = workloads::load_model(
      "llama:layers=4,hidden=64,heads=4,kv-heads=4,sequence=32,vocabulary=100,experts=4,top=2");
  t.framework = workloads::parse_framework(framework);
  t.processor.name = "plain";
  t.processor.flops = 1e9;
  t.processor.bandwidth = BytesPerSecond(1e30);
  t.processor.efficiency = {1, 1, 1, Seconds(), 0.1};
  t.batch = 4;
  t.ranks = ranks;
  return t;
}

/// A described job of some ranks, made larger, is that job as described of more.
TEST(Scaled, AgreesWithJobsDescribedOfMoreRanks) {
  for (const auto& [framework, few, many] : {std::tuple{"ddp:bucket=2MiB", 2, 16},
                                             {"ddp:bucket=2MiB", 4, 3},
                                             {"fsdp", 4, 32},
                                             {"megatron:tp=2", 4, 32},
                                             {"megatron:tp=2,pp=2,micro-batches=4", 8, 32},
                                             {"megatron:tp=2,pp=4,micro-batches=4,overlap=1", 16, 48},
                                             {"ddp:ep=2", 4, 16},
                                             {"zero1:tp=2", 4, 8}}) {
    SCOPED_TRACE(framework);
    const auto small = source_of(training_job(training(framework, few)));
    const auto large = source_of(training_job(training(framework, many)));
    expect_alike(*scaled(*small, many), *large);
  }
}

/// Tensor, pipeline and data dimensions in each order in which the data dimension is outside the tensors'.
TEST(Scaled, AgreesWithDescribedJobsOfThreeDimensions) {
  for (const std::vector<std::string>& order : {std::vector<std::string>{"tensor", "pipeline", "data"},
                                                {"tensor", "data", "pipeline"},
                                                {"pipeline", "tensor", "data"}}) {
    const auto job = [&](int data) {
      std::string dimensions;
      for (const std::string& d : order)
        dimensions +=
            (dimensions.empty() ? "" : ",") + ('"' + d + "\":" + std::to_string(d == "data" ? data : 2));
      return source_of(workloads::parse_job(R"({"name": "three", "dimensions": {)" + dimensions + R"(},
        "groups": {"both": ["tensor", "data"]}, "roles_along": "pipeline", "roles": [
        {"name": "a", "do": [{"do": "compute", "name": "f", "time_s": 1},
          {"do": "allreduce", "bytes": 10, "group": "tensor", "after": ["f"], "name": "t"},
          {"do": "send", "to": "b", "bytes": 30, "after": ["t"]},
          {"do": "receive", "from": "b", "bytes": 30, "name": "g"},
          {"do": "reduce_scatter", "bytes": 4000, "group": "data", "after": ["g"]},
          {"do": "allreduce", "bytes": 8, "group": "both"}]},
        {"name": "b", "do": [{"do": "receive", "from": "a", "bytes": 30, "name": "r"},
          {"do": "compute", "name": "f", "time_s": 2, "after": ["r"]},
          {"do": "allgather", "bytes": 10, "group": "tensor", "after": ["f"], "name": "t"},
          {"do": "send", "to": "a", "bytes": 30, "after": ["t"]},
          {"do": "allreduce", "bytes": 5000, "group": "data", "after": ["t"]},
          {"do": "allreduce", "bytes": 8, "group": "both"}]}]})",
                                            "three.json", 0));
    };
    const auto small = job(2), large = job(8);
    ASSERT_EQ(large->ranks(), 32);
    expect_alike(*scaled(*small, 32), *large);
    expect_alike(*scaled(*large, 8), *small);
  }
}

}  // namespace
}  // namespace collcast
