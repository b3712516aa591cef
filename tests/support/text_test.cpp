// SPDX-License-Identifier: Apache-2.0
#include "support/text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace collcast::text {
namespace {

TEST(Text, NumbersHaveThreeDigits) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(12.5), "12.5");
  EXPECT_EQ(number(1234.5), "1234");
  EXPECT_EQ(number(-0.00123), "-0.00123");
}

TEST(Text, WholeNumbersArePlainToTheLastDigit) {
  EXPECT_EQ(plain(3145728), "3145728");
  EXPECT_EQ(plain(1e14 + 1), "100000000000001");
  EXPECT_EQ(plain(65536 / 7.0), "9362.29");
  EXPECT_EQ(plain(0), "0");
}

TEST(Text, WhatIsNoNumberIsSaid) {
  EXPECT_EQ(number(std::nan("")), "nan");
  EXPECT_EQ(number(-HUGE_VAL), "-inf");
  EXPECT_EQ(bytes(HUGE_VAL), "inf B");
  EXPECT_EQ(bytes(std::nan("")), "nan B");
}

TEST(Text, BytesAreExactWhereAUnitDivides) {
  EXPECT_EQ(bytes(1000), "1,000 B");
  EXPECT_EQ(bytes(65536), "64 KiB");
  EXPECT_EQ(bytes(1536), "1.50 KiB");
  EXPECT_EQ(bytes(1e12), "931 GiB");
  EXPECT_EQ(bytes(1025), "1,025 B");
  EXPECT_EQ(bytes(0x1p20 + 1), "1,048,577 B");
}

TEST(Text, AWordOfAShellStaysOneWord) {
  EXPECT_EQ(shell_quoted("it's $(x)"), R"('it'\''s $(x)')");
}

}  // namespace
}  // namespace collcast::text
