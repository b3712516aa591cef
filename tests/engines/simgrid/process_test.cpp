// SPDX-License-Identifier: Apache-2.0
// Simulating again and again, failing, and being stopped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engines/simgrid/child.hpp"
#include "engines/simgrid/kernel.hpp"
#include "engines/simgrid/physics.hpp"
#include "engines/simgrid/simulate.hpp"
#include "model/lowering.hpp"
#include "support/address_sanitizer.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "tests/engines/contention/shared_fabric.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/engines/player/scripts.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

Result contended(Rank ranks, double trunk, bool here) {
  const SharedFabric fabric(ranks, trunk, MessageProtocol::Hold::injection, 0.25);
  const Schedule schedule = ring(ranks);
  const auto program = collcast::program(schedule, Layout::equal(Bytes(1000), schedule.blocks));
  return simulate(*program, fabric, {.here = here});
}

double resident_MB() {
  double pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST(Process, SameInputSameOutput) {
  const Result first = contended(13, 1.7, false);
  for (int i = 0; i < 10; ++i) {
    contended(2 + i, 0.9 + i, false);
    EXPECT_EQ(contended(13, 1.7, false), first);
  }
}

TEST(Process, ThisProcessToo) {
  const double expected = contended(13, 1.7, false).time.value;
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(contended(13, 1.7, true).time.value, expected, 1e-9 * expected);
}

TEST(Process, ManySimulationsInOneProcess) {
  contended(64, 1, true);
  const double before = resident_MB();
  for (int i = 0; i < testing::all_or_one_in(10, 200); ++i) {
    const Rank ranks = 2 + i % 63;
    const double trunk = 0.5 + 0.1 * (i % 7);
    const double expected = contended(ranks, trunk, false).time.value;
    EXPECT_NEAR(contended(ranks, trunk, true).time.value, expected, 1e-9 * expected);
  }
  if (!address_sanitizer) {  // which keeps freed memory for a while
    EXPECT_LT(resident_MB() - before, 30);
  }
}

TEST(Process, ADeadlockedSimulationDoesNotHarmTheNext) {
  const SharedFabric fabric(4, 1, MessageProtocol::Hold::injection);
  Written stuck({{{send(1, 6)}, {wait(3)}}, {{receive(0, 6)}}, {{send(3, 6)}}, {{receive(1, 6)}}});
  EXPECT_THROW(simulate(stuck, fabric), InputError);
  EXPECT_THROW(simulate(stuck, fabric, {.here = true}), InputError);
  EXPECT_NEAR(contended(4, 1, true).time.value, contended(4, 1, false).time.value, 1e-6);
}

TEST(Process, ObserverAndProgressAreToldHere) {
  struct Count : Observer {
    void done(const Interval& i) override { ++count, last = i; }
    int count = 0;
    Interval last{};
  } observer;
  const SharedFabric fabric(2, 1, MessageProtocol::Hold::injection);
  Script sender, receiver;
  for (int i = 0; i < 5000; ++i) sender.push_back({send(1, 1)}), receiver.push_back({receive(0, 1)});
  Written program({sender, receiver});
  int progress = 0;
  PlayOptions options;
  options.observer = &observer;
  options.progress = [&](Seconds, std::int64_t) { ++progress; };
  const Result r = simulate(program, fabric, options);
  EXPECT_EQ(observer.count, 10000);
  EXPECT_EQ(observer.last.kind, Op::Kind::receive);
  EXPECT_EQ(observer.last.end, r.time);
  EXPECT_GE(progress, 1);
}

/// A strand that never ends, or ends its process.
class Endless : public Program {
 public:
  explicit Endless(bool dies) : dies_(dies) {}
  Rank ranks() const override { return 1; }
  std::unique_ptr<Strand> main(Rank) override {
    struct Run : Strand {
      bool dies = false;
      bool next(Batch& batch) override {
        if (dies) std::abort();
        batch.ops.push_back(compute(1).op);
        return true;
      }
    };
    auto run = std::make_unique<Run>();
    run->dies = dies_;
    return run;
  }

 private:
  bool dies_;
};

TEST(Process, Interrupt) {
  const SharedFabric fabric(1, 1, MessageProtocol::Hold::injection);
  std::atomic<bool> stop = true;
  PlayOptions options;
  const InterruptedBy user(&stop);
  Endless program(false);
  EXPECT_THROW(simulate(program, fabric, options), Interrupted);
  // Set here while the child runs.
  stop = false;
  options.progress = [&](Seconds, std::int64_t) { stop = true; };
  EXPECT_THROW(simulate(program, fabric, options), Interrupted);
}

TEST(Process, DeathOfTheChildIsAnError) {
  Endless program(true);
  try {
    simulate(program, SharedFabric(1, 1, MessageProtocol::Hold::injection));
    FAIL();
  } catch (const SubstrateError& e) {
    EXPECT_STREQ(e.what(), "the simulating process was killed by signal 6 (Aborted)");
  }
}

TEST(Process, WhatIsThrownInTheChildStaysThere) {
  try {
    in_child({}, [](const PlayOptions&) -> Result { throw 1; });  // which nobody catches
    FAIL();
  } catch (const SubstrateError& e) {
    EXPECT_STREQ(e.what(), "the simulating process was killed by signal 6 (Aborted)");
  }
}

TEST(Process, PhysicsIsStated) {
  EXPECT_EQ(physics().front().key, "network/model");
  EXPECT_EQ(physics().front().value, "CM02");
  for (const Physics& p : physics()) EXPECT_FALSE(p.why.empty());
  EXPECT_FALSE(simgrid_module().version().empty());
}

}  // namespace
}  // namespace collcast
