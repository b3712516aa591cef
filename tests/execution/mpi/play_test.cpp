// SPDX-License-Identifier: Apache-2.0
// How a player is used: again and again, several at once, with any type and operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/player.hpp"
#include "support/error.hpp"
#include "tests/execution/mpi/allocations.hpp"
#include "tests/execution/mpi/world.hpp"
#include "tests/names.hpp"

namespace collcast::mpi {
namespace {

constexpr std::size_t n = 1009;

Call doubles(std::size_t count) {
  Call call;
  call.message = Bytes(8.0 * static_cast<double>(count));
  return call;
}

const Algorithm& ring() {
  return algorithm(Collective::allreduce, "ring");
}

/// An allreduce whose result on element i is `sum(i)`.
struct Sum {
  explicit Sum(const Algorithm& a, double scale = 1)
      : factor(scale), player(a, doubles(n), MPI_DOUBLE, MPI_SUM, world()), send(n), recv(n) {
    for (std::size_t i = 0; i < n; ++i) send[i] = factor * static_cast<double>(i + 1) * (world()->rank() + 1);
  }
  void start() { player.start(send.data(), recv.data()); }
  void run() { player.run(send.data(), recv.data()); }
  void expect_done() {
    const double ranks = world()->size() * (world()->size() + 1) / 2.0;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(recv[i], factor * static_cast<double>(i + 1) * ranks) << i;
    std::ranges::fill(recv, -1);
  }
  double factor;
  Player player;
  std::vector<double> send, recv;
};

TEST(Player, PlaysAgainWithoutAllocating) {
  for (const Algorithm* a : algorithms(Collective::allreduce)) {
    if (!a->supports(world()->size())) continue;
    Sum sum(*a);
    sum.run();
    sum.expect_done();
    const std::size_t before = allocations();
    for (int i = 0; i < 3; ++i) sum.run();
    sum.start();
    sum.player.wait();
    EXPECT_EQ(allocations(), before) << a->name;
    sum.expect_done();
  }
}

TEST(Player, TakesOtherBuffersEachTime) {
  Sum sum(ring());
  std::vector<double> elsewhere(n);
  sum.run();
  sum.player.run(sum.send.data(), elsewhere.data());
  EXPECT_EQ(elsewhere, sum.recv);
  elsewhere = sum.send;
  sum.player.run(MPI_IN_PLACE, elsewhere.data());
  EXPECT_EQ(elsewhere, sum.recv);
}

TEST(Player, KeepsTheBuffersThatItIsBoundTo) {
  Sum sum(ring());
  sum.player.bind(sum.send.data(), sum.recv.data());
  sum.player.run();
  sum.expect_done();
  sum.player.start();
  sum.player.wait();
  sum.expect_done();
}

TEST(Player, StartsSeveralAndCompletesThemInAnyOrder) {
  std::vector<std::unique_ptr<Sum>> sums;
  for (const Algorithm* a : algorithms(Collective::allreduce))
    if (a->supports(world()->size())) sums.push_back(std::make_unique<Sum>(*a, 1.0 + double(sums.size())));
  for (int round = 0; round < 5; ++round) {
    for (auto& sum : sums) sum->start();
    const std::size_t first = static_cast<std::size_t>(world()->rank() * 5 + round) % sums.size();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[(first + i) % sums.size()]->player.wait();
    for (auto& sum : sums) sum->expect_done();
  }
}

TEST(Player, TestsUntilDone) {
  Sum sum(ring());
  EXPECT_TRUE(sum.player.test()) << "nothing has been started";
  sum.start();
  while (!sum.player.test()) {
  }
  sum.expect_done();
  EXPECT_TRUE(sum.player.test());
}

/// Legal in MPI: some ranks wait for the first before they enter the second, others after.
TEST(Player, BringsOnAllWhileItWaitsForOne) {
  Sum first(ring()), second(ring(), 3);
  first.start();
  if (world()->rank() % 2 == 0) first.player.wait();
  second.run();
  first.player.wait();
  first.expect_done();
  second.expect_done();
}

TEST(Player, WaitsWhenItGoesOutOfScope) {
  Sum kept(ring());
  {
    Player player(ring(), doubles(n), MPI_DOUBLE, MPI_SUM, world());
    player.start(kept.send.data(), kept.recv.data());
  }
  kept.expect_done();
}

TEST(Player, DoesNotMeetTheApplicationsMessages) {
  const int p = world()->size(), next = (world()->rank() + 1) % p, previous = (world()->rank() + p - 1) % p;
  int out = world()->rank(), in = -1;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  Player player(ring(), doubles(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  Sum sum(ring());
  player.run(sum.send.data(), sum.recv.data());
  sum.expect_done();
  MPI_Isend(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(in, previous);
}

/// Compares with MPI_Allreduce; `value(i)` is element i of this rank.
template <class T, class Value>
void expect_equal(MPI_Datatype type, MPI_Op op, const char* what, Value value) {
  Call call;
  int size = 0;
  MPI_Type_size(type, &size);
  call.message = Bytes(103.0 * size);
  std::vector<T> send(103), got(103), wanted(103);
  for (std::size_t i = 0; i < send.size(); ++i)
    send[i] = value((i * 5 + static_cast<std::size_t>(world()->rank()) * 3) % 4 + i % 2);
  for (const char* name : {"ring", "recursive-doubling", "rabenseifner"}) {
    Player player(algorithm(Collective::allreduce, name), call, type, op, world());
    player.run(send.data(), got.data());
    MPI_Allreduce(send.data(), wanted.data(), 103, type, op, world()->handle());
    EXPECT_EQ(got, wanted) << what << ", " << name;
  }
}

const auto arithmetic = {MPI_SUM, MPI_PROD}, ordered = {MPI_MIN, MPI_MAX},
           logical = {MPI_LAND, MPI_LOR, MPI_LXOR}, bitwise = {MPI_BAND, MPI_BOR, MPI_BXOR};

template <class T>
void expect_all(MPI_Datatype type, const char* what,
                std::initializer_list<std::initializer_list<MPI_Op>> sets) {
  for (const auto& set : sets)
    for (MPI_Op op : set) expect_equal<T>(type, op, what, [](std::size_t v) { return static_cast<T>(v); });
}

template <class T>
void expect_integer(MPI_Datatype type, const char* what) {
  expect_all<T>(type, what, {arithmetic, ordered, logical, bitwise});
}

TEST(Player, TakesEveryInteger) {
  expect_integer<signed char>(MPI_SIGNED_CHAR, "signed char");
  expect_integer<unsigned char>(MPI_UNSIGNED_CHAR, "unsigned char");
  expect_integer<short>(MPI_SHORT, "short");
  expect_integer<unsigned short>(MPI_UNSIGNED_SHORT, "unsigned short");
  expect_integer<int>(MPI_INT, "int");
  expect_integer<unsigned>(MPI_UNSIGNED, "unsigned");
  expect_integer<long>(MPI_LONG, "long");
  expect_integer<unsigned long>(MPI_UNSIGNED_LONG, "unsigned long");
  expect_integer<long long>(MPI_LONG_LONG, "long long");
  expect_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG, "unsigned long long");
  expect_integer<std::int8_t>(MPI_INT8_T, "int8");
  expect_integer<std::int16_t>(MPI_INT16_T, "int16");
  expect_integer<std::int32_t>(MPI_INT32_T, "int32");
  expect_integer<std::int64_t>(MPI_INT64_T, "int64");
  expect_integer<std::uint8_t>(MPI_UINT8_T, "uint8");
  expect_integer<std::uint16_t>(MPI_UINT16_T, "uint16");
  expect_integer<std::uint32_t>(MPI_UINT32_T, "uint32");
  expect_integer<std::uint64_t>(MPI_UINT64_T, "uint64");
}

TEST(Player, TakesAddressesAndBytes) {
  expect_all<MPI_Aint>(MPI_AINT, "aint", {arithmetic, ordered, bitwise});
  expect_all<MPI_Offset>(MPI_OFFSET, "offset", {arithmetic, ordered, bitwise});
  expect_all<MPI_Count>(MPI_COUNT, "count", {arithmetic, ordered, bitwise});
  expect_all<unsigned char>(MPI_BYTE, "byte", {bitwise});
}

TEST(Player, TakesRealAndComplexNumbers) {
  expect_all<float>(MPI_FLOAT, "float", {arithmetic, ordered});
  expect_all<double>(MPI_DOUBLE, "double", {arithmetic, ordered});
  expect_all<long double>(MPI_LONG_DOUBLE, "long double", {arithmetic, ordered});
  auto expect_complex = [&]<class Real>(MPI_Datatype type, const char* what, Real) {
    for (MPI_Op op : arithmetic)
      expect_equal<std::complex<Real>>(
          type, op, what, [](std::size_t v) { return std::complex<Real>(Real(v), Real(v % 3)); });
  };
  expect_complex(MPI_C_COMPLEX, "float complex", 0.0f);
  expect_complex(MPI_C_FLOAT_COMPLEX, "float complex", 0.0f);
  expect_complex(MPI_C_DOUBLE_COMPLEX, "double complex", 0.0);
  expect_complex(MPI_C_LONG_DOUBLE_COMPLEX, "long double complex", 0.0L);
  expect_complex(MPI_CXX_FLOAT_COMPLEX, "std::complex<float>", 0.0f);
  expect_complex(MPI_CXX_DOUBLE_COMPLEX, "std::complex<double>", 0.0);
  expect_complex(MPI_CXX_LONG_DOUBLE_COMPLEX, "std::complex<long double>", 0.0L);
}

/// A bool that std::vector does not pack.
struct Bool {
  bool value = false;
  bool operator==(const Bool&) const = default;
};

TEST(Player, TakesTruthValues) {
  for (MPI_Datatype type : {MPI_C_BOOL, MPI_CXX_BOOL})
    for (MPI_Op op : logical)
      expect_equal<Bool>(type, op, "bool", [](std::size_t v) { return Bool{v % 2 == 1}; });
}

template <class Value>
struct Located {
  Value value = 0;
  int rank = 0;
  bool operator==(const Located&) const = default;
};

TEST(Player, TakesPairsWithGaps) {
  auto expect_located = [&]<class Value>(MPI_Datatype type, const char* what, Value) {
    for (MPI_Op op : {MPI_MAXLOC, MPI_MINLOC})
      expect_equal<Located<Value>>(type, op, what, [](std::size_t v) {
        return Located<Value>{static_cast<Value>(v), world()->rank()};
      });
  };
  expect_located(MPI_2INT, "two ints", 0);
  expect_located(MPI_SHORT_INT, "short and int", short{});
  expect_located(MPI_LONG_INT, "long and int", 0L);
  expect_located(MPI_FLOAT_INT, "float and int", 0.0f);
  expect_located(MPI_DOUBLE_INT, "double and int", 0.0);
  expect_located(MPI_LONG_DOUBLE_INT, "long double and int", 0.0L);
}

void greatest_common_divisor(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = std::gcd(static_cast<int*>(in)[i], static_cast<int*>(inout)[i]);
}

TEST(Player, TakesCommutativeOperationsOfTheUser) {
  MPI_Op op;
  MPI_Op_create(greatest_common_divisor, 1, &op);
  expect_equal<int>(MPI_INT, op, "gcd", [](std::size_t v) { return static_cast<int>(v); });
  MPI_Op_free(&op);
}

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(PlayerErrors, NonCommutativeOperation) {
  MPI_Op op;
  MPI_Op_create(greatest_common_divisor, 0, &op);
  EXPECT_EQ(message_of<InputError>([&] { Player(ring(), doubles(8), MPI_DOUBLE, op, world()); }),
            "the operation is not commutative; schedules reduce in an order of their own");
  MPI_Op_free(&op);
}

TEST(PlayerErrors, OperationWithoutMeaningOnTheType) {
  const auto words = [](MPI_Op op, MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    Call call;
    call.message = Bytes(8.0 * size);
    return message_of<InputError>([&] { Player(ring(), call, type, op, world()); });
  };
  EXPECT_EQ(words(MPI_BAND, MPI_DOUBLE),
            "MPI_BAND has no meaning on MPI_DOUBLE; it takes C integers, Fortran integers, addresses, bytes");
  EXPECT_EQ(
      words(MPI_MAX, MPI_C_DOUBLE_COMPLEX),
      "MPI_MAX has no meaning on MPI_C_DOUBLE_COMPLEX; it takes C integers, Fortran integers, addresses, "
      "floating point");
  EXPECT_EQ(words(MPI_LAND, MPI_BYTE), "MPI_LAND has no meaning on MPI_BYTE; it takes C integers, logical");
  EXPECT_EQ(words(MPI_MINLOC, MPI_INT),
            "MPI_MINLOC has no meaning on MPI_INT; it takes pairs of a value and an index");
  for (MPI_Datatype type : {MPI_CHAR, MPI_2INT, MPI_C_BOOL, MPI_BYTE})
    EXPECT_TRUE(words(MPI_SUM, type).starts_with("MPI_SUM has no meaning on MPI_")) << words(MPI_SUM, type);
  EXPECT_EQ(words(MPI_OP_NULL, MPI_INT), "a collective that reduces needs an operation, got MPI_OP_NULL");
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  EXPECT_TRUE(words(MPI_SUM, three).starts_with("MPI_SUM has no meaning on a derived datatype; it takes "));
  MPI_Type_free(&three);
}

TEST(PlayerErrors, StartsWithoutBuffers) {
  Player player(ring(), doubles(8), MPI_DOUBLE, MPI_SUM, world());
  EXPECT_EQ(message_of<InputError>([&] { player.start(); }), "the player is not bound to buffers");
}

TEST(PlayerErrors, PartOfAnElement) {
  Call call;
  call.message = Bytes(12);
  EXPECT_EQ(message_of<InputError>([&] { Player(ring(), call, MPI_DOUBLE, MPI_SUM, world()); }),
            "a message of 12 bytes is no whole number of 8-byte elements");
}

TEST(PlayerErrors, OverlappingElements) {
  MPI_Datatype narrow;
  MPI_Type_create_resized(MPI_DOUBLE, 0, 4, &narrow);
  MPI_Type_commit(&narrow);
  EXPECT_EQ(message_of<InputError>([&] { Player(ring(), doubles(8), narrow, MPI_SUM, world()); }),
            "an element's datatype must begin at its address and fill no more than its extent");
  MPI_Type_free(&narrow);
}

TEST(PlayerErrors, RootOutsideTheCommunicator) {
  Call call = doubles(8);
  call.root = world()->size();
  EXPECT_EQ(message_of<InputError>([&] { Player(ring(), call, MPI_DOUBLE, MPI_SUM, world()); }),
            "root must be a rank from 0 to " + std::to_string(world()->size() - 1) + ", got " +
                std::to_string(world()->size()));
}

TEST(PlayerErrors, ReceivesInPlaceWithoutScattering) {
  Player player(ring(), doubles(8), MPI_DOUBLE, MPI_SUM, world());
  std::vector<double> send(8);
  EXPECT_EQ(message_of<InputError>([&] { player.run(send.data(), MPI_IN_PLACE); }),
            "only the root of a scatter may receive in place");
}

TEST(PlayerErrors, TheLibrarySaysNo) {
  int value = 0;
  const std::string words = message_of<SubstrateError>(
      [&] { check(MPI_Send(&value, 1, MPI_INT, world()->size() + 3, 0, world()->handle()), "MPI_Send"); });
  EXPECT_EQ(words.rfind("MPI_Send failed: ", 0), 0u) << words;
}

/// Reads what no rank has written.
TEST(PlayerErrors, ScheduleSendsWhatIsNotThere) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  Algorithm a = algorithm(Collective::broadcast, "flat");
  a.schedule = [](const Call& call) {
    return Schedule{call.ranks, 1, 1, [](std::int64_t, Step& step) { step.send(1, 0, {0, 1}); }};
  };
  const auto construct = [&] { Player(a, doubles(8), MPI_DOUBLE, MPI_SUM, world()); };
  if (world()->rank() == 1) {
    EXPECT_EQ(message_of<InputError>(construct), "the schedule reads block 0 on rank 1 before it is there");
  } else {
    construct();
  }
}

}  // namespace
}  // namespace collcast::mpi
