// SPDX-License-Identifier: Apache-2.0
// The GPU player on an emulated GPU, whose queues do nothing before they are asked, so that what forgets to
// wait for one is wrong here; and on a real one where there is one.
#include <gtest/gtest.h>

#include "execution/cuda/verify.hpp"
#include "support/error.hpp"
#include "tests/execution/mpi/calls.hpp"
#include "tests/execution/mpi/world.hpp"

namespace collcast::cuda {
namespace {

using mpi::world;

/// The catalogue on this world, without what is only another root or parameter.
template <class Visit>
void for_each_algorithm(Visit visit) {
  for (const Algorithm* row : catalogue()) {
    const Algorithm& a = *row;
    if (demands(a).reduction) continue;
    bool done = false;
    mpi::for_each_call(a, world()->size(), [&](const Call& call) {
      if (!done) visit(a, call);
      done = true;
    });
  }
}

enum class Kind { emulated, real };

class OnDevice : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::emulated) {
      device_ = emulated_device();
      return;
    }
    try {
      device_ = cuda_device(world()->rank());
    } catch (const std::exception& e) {
      GTEST_SKIP() << e.what();
    }
  }

  void expect_right(const Algorithm& a, const Call& call, Element element, Operation op,
                    Transport transport) {
    const auto wrong = verify(a, call, element, op, world(), *device_, transport);
    EXPECT_FALSE(wrong) << mpi::describe(a, call) << ", " << info(element).name << ": " << wrong->words();
  }

  std::unique_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Player, OnDevice, ::testing::Values(Kind::emulated, Kind::real),
                         [](const auto& kind) { return kind.param == Kind::emulated ? "Emulated" : "Real"; });

TEST_P(OnDevice, EveryAlgorithmByBothTransports) {
  for_each_algorithm([&](const Algorithm& a, Call call) {
    call.segments = a.segmented ? 3 : 1;
    if (a.channels) call.channels = 2;
    for (std::size_t n : {0, 1, 1001})
      for (Transport transport : {Transport::copy, Transport::mpi})
        expect_right(a, mpi::with_elements(a, call, n), Element::float64, Operation::sum, transport);
  });
}

TEST_P(OnDevice, EveryElementAndOperation) {
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  Call call;
  call.ranks = world()->size();
  call.message = Bytes(8 * 1000.0);
  for (const ElementInfo& e : elements)
    for (auto op : {Operation::sum, Operation::product, Operation::minimum, Operation::maximum})
      expect_right(ring, call, e.element, op, Transport::copy);
}

TEST_P(OnDevice, ChecksFindACopyForAReduction) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  Algorithm wrong = algorithm(Collective::allreduce, "ring");
  wrong.schedule = [](const Call& call) {
    Schedule s = algorithm(Collective::allreduce, "ring").schedule(call);
    s.rule = [rule = s.rule](std::int64_t number, Step& step) {
      rule(number, step);
      if (number == 0) step.transfers[0].combine = Combine::copy;
    };
    return s;
  };
  Call call;
  call.ranks = world()->size();
  call.message = Bytes(8 * 1000.0);
  for (const ElementInfo& e : elements)
    for (auto op : {Operation::sum, Operation::product, Operation::minimum, Operation::maximum})
      EXPECT_TRUE(verify(wrong, call, e.element, op, world(), *device_, Transport::copy)) << e.name;
}

TEST_P(OnDevice, IsPersistentAndDoesNotBlock) {
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  Call call;
  call.ranks = world()->size();
  call.message = Bytes(4 * 10.0);
  Player player(ring, call, Element::int32, Operation::sum, world(), *device_, Transport::copy);
  Buffer send(*device_, Memory::device, 40), recv(*device_, Memory::device, 40),
      host(*device_, Memory::host, 40);
  auto* values = reinterpret_cast<std::int32_t*>(host.data());
  const auto queue = device_->queue();
  auto copy = [&](const Buffer& to, const Buffer& from) {
    queue->copy(to.data(), from.data(), 40);
    while (!queue->idle()) {
    }
  };
  for (int round = 1; round <= 3; ++round) {
    std::fill_n(values, 10, round * (world()->rank() + 1));
    copy(send, host);
    player.start(send.data(), recv.data());
    while (!player.test()) {
    }
    copy(host, recv);
    const int p = world()->size();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(values[i], round * p * (p + 1) / 2);
  }
}

TEST(Device, AGpuThatIsNotThereIsSaidSo) {
  try {
    (void)cuda_device(0);
    GTEST_SKIP() << "there is a GPU";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("no CUDA"), std::string::npos);
  } catch (const SubstrateError& e) {
    EXPECT_NE(std::string(e.what()).find("no GPU"), std::string::npos);
  }
}

}  // namespace
}  // namespace collcast::cuda
