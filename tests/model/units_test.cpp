// SPDX-License-Identifier: Apache-2.0
#include "model/units.hpp"

#include <concepts>

#include <gtest/gtest.h>

namespace collcast {
namespace {

using namespace literals;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

static_assert(std::same_as<decltype(8_B / 2.0_GBps), Seconds>);
static_assert(std::same_as<decltype(1.0_s / 8_B), SecondsPerByte>);
static_assert(std::same_as<decltype(8_B / 4_B), double>);
static_assert(std::same_as<decltype(1.0 / 2.0_GBps), SecondsPerByte>);
static_assert(Addable<Bytes, Bytes> && !Addable<Bytes, Seconds> && !Addable<Bytes, double>);
static_assert(1_KiB == 1024_B && 1_MiB == 1024 * 1_KiB);

TEST(Units, GigabyteIsDecimal) {
  EXPECT_DOUBLE_EQ((1e9 * 1_B / 1.0_GBps).value, 1);
}

}  // namespace
}  // namespace collcast
