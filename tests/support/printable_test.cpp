// SPDX-License-Identifier: Apache-2.0
#include "support/printable.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace collcast {
namespace {

TEST(Printable, WordsStayAsTheyAre) {
  EXPECT_EQ(printable("Jülich, 8 × V100, 京"), "Jülich, 8 × V100, 京");
  EXPECT_EQ(printable("🙂"), "🙂");
}

TEST(Printable, WhatControlsATerminalIsShown) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\a\x7f"), "\\u001b[31mred\\u001b[0m\\u0007\\u007f");
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");      // CSI in one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");  // turns the writing around
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u2028");  // ends a line
}

TEST(Printable, KeepsWhatItIsToldTo) {
  EXPECT_EQ(printable("a\n\tb\x1b", "\n\t"), "a\n\tb\\u001b");
}

TEST(Printable, WhatIsNoUtf8IsShownByteByByte) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // ends early
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");           // a line end in two bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xf8\x88\x80\x80\x80"), "\\xf8\\x88\\x80\\x80\\x80");
}

TEST(Printable, ALongLineKeepsItsEnds) {
  EXPECT_EQ(one_line("a\nb"), "a\\nb");
  EXPECT_EQ(one_line(std::string(2000, 'a')), std::string(2000, 'a'));
  const std::string line = one_line("begin " + std::string(1 << 20, 'a') + " end");
  EXPECT_LE(line.size(), 2010u);
  EXPECT_TRUE(line.starts_with("begin ") && line.ends_with(" end")) << line;
  std::string umlauts;
  for (int i = 0; i < 2000; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(printable(one_line("x" + umlauts)), one_line("x" + umlauts)) << "no character is cut in two";
}

TEST(Words, OfFailedAllocationsSayWhatLacks) {
  const std::string lacking = "there is not enough memory for this";
  EXPECT_EQ(words_of(std::bad_alloc()), lacking);
  EXPECT_EQ(words_of(std::length_error("vector::reserve")), lacking);
  EXPECT_EQ(words_of(InputError("no such file")), "no such file");
}

}  // namespace
}  // namespace collcast
