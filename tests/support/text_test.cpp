// SPDX-License-Identifier: Apache-2.0
#include "support/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace collcast::text {
namespace {

TEST(Text, NumbersHaveThreeDigits) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(12.5), "12.5");
  EXPECT_EQ(number(1234.5), "1234");
  EXPECT_EQ(number(-0.00123), "-0.00123");
}

TEST(Text, NumbersThatRoundUpHaveThreeDigitsToo) {
  EXPECT_EQ(number(9.994), "9.99");
  EXPECT_EQ(number(9.996), "10.0");
  EXPECT_EQ(number(99.96), "100");
  EXPECT_EQ(number(-0.9996), "-1.00");
  EXPECT_EQ(number(999.6), "1000");
  EXPECT_EQ(number(9.996e-10), "1e-09");
  EXPECT_EQ(number(1e300).size(), 301);
  EXPECT_EQ(seconds(9.996e-6), "10.0 us");
  EXPECT_EQ(seconds(0.9996), "1.00 s");
  EXPECT_EQ(percent(0.09996), "10.0 %");
}

TEST(Text, ExactNumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(-2.5e-9), "-2.5e-09");
  EXPECT_EQ(std::stod(exact(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(std::stod(exact(-1.7976931348623157e308)), -1.7976931348623157e308);
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
  EXPECT_EQ(bytes(1025), "1,025 B");
  EXPECT_EQ(bytes(0x1p20 + 1), "1,048,577 B");
}

TEST(Text, RoundedBytesDoNotLookExact) {
  EXPECT_EQ(bytes(131072), "128 KiB");
  EXPECT_EQ(bytes(131073), "131,073 B");
  EXPECT_EQ(bytes(12289), "12,289 B");
  EXPECT_EQ(bytes(512001), "512,001 B");
  EXPECT_EQ(bytes(512100), "500.1 KiB");
  EXPECT_EQ(bytes(1048575), "1,048,575 B");
  EXPECT_EQ(bytes(0x1p20 - 100), "1023.9 KiB");
  EXPECT_EQ(bytes(1e12), "931.3 GiB");
  EXPECT_EQ(bytes(0x1p63), "8,589,934,592 GiB");
  EXPECT_EQ(bytes(0x1p63 + 2048), "8589934592.0 GiB");  // no whole number of 63 bits
}

TEST(Text, RoundedBytesAreNoExactOnesOfAnotherSize) {
  for (int b = 1025; b < 1 << 20; b += 31) {
    const std::string said = bytes(b);
    const bool whole = said.find('.') == std::string::npos;
    EXPECT_EQ(whole, b % 1024 == 0 || said.ends_with(" B")) << said;
    EXPECT_FALSE(said.find(".0 ") != std::string::npos || said.find(".00 ") != std::string::npos) << said;
  }
}

TEST(Text, WordsAreJoined) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}), "a, b");
  EXPECT_EQ(join(std::set<int>{1, 2}, "+", [](int i) { return std::to_string(i); }), "1+2");
  EXPECT_EQ(join(std::vector<std::string>{}), "");
}

TEST(Text, LowerIsOfAsciiLetters) {
  EXPECT_EQ(lower("LL128_\xc3\x84"), "ll128_\xc3\x84");
}

TEST(Text, AWordOfAShellStaysOneWord) {
  EXPECT_EQ(shell_quoted("it's $(x)"), R"('it'\''s $(x)')");
}

}  // namespace
}  // namespace collcast::text
