// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace collcast::cuda {
namespace {

/// What the bits of a binary16 mean, by its definition.
double by_definition(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(Half, EveryValueIsWhatItsDefinitionSays) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Half h{static_cast<std::uint16_t>(bits)};
    const double wanted = by_definition(h.bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(widen(h)));
      EXPECT_TRUE(std::isnan(widen(to_half(widen(h)))));
    } else {
      ASSERT_EQ(widen(h), wanted) << bits;
      ASSERT_EQ(to_half(widen(h)).bits, bits);
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const Half low{static_cast<std::uint16_t>(bits)}, high{static_cast<std::uint16_t>(bits + 1)};
    const float middle = (widen(low) + widen(high)) / 2;
    ASSERT_EQ(to_half(middle).bits, bits % 2 == 0 ? low.bits : high.bits) << bits;
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0f)).bits, low.bits);
    ASSERT_EQ(to_half(std::nextafter(middle, 1e9f)).bits, high.bits);
    ASSERT_EQ(to_half(-middle).bits, 0x8000 | to_half(middle).bits);
  }
  EXPECT_EQ(to_half(65519.99f).bits, 0x7bff);  // the largest is 65504
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00);   // infinity
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(widen(Bfloat16{0x3f81}), 1.0f + 1.0f / 128);
  EXPECT_EQ(to_bfloat16(1.0f + 1.0f / 256).bits, 0x3f80);  // a tie: to the even one
  EXPECT_EQ(to_bfloat16(1.0f + 3.0f / 256).bits, 0x3f82);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(widen(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Apply, DoesTheOperationInTheElementsOwnPrecision) {
  EXPECT_EQ(apply(Operation::sum, 2, 3), 5);
  EXPECT_EQ(apply(Operation::product, 2.5, 4.0), 10.0);
  EXPECT_EQ(apply(Operation::minimum, 2.5f, -4.0f), -4.0f);
  EXPECT_EQ(apply(Operation::maximum, 2, 3), 3);
  // 2048 + 1 lies between the halves 2048 and 2050: a tie, to the even mantissa.
  EXPECT_EQ(widen(apply(Operation::sum, to_half(2048), to_half(1))), 2048.0f);
  EXPECT_EQ(widen(apply(Operation::sum, to_half(2048), to_half(3))), 2052.0f);
}

}  // namespace
}  // namespace collcast::cuda
