// SPDX-License-Identifier: Apache-2.0
#include "support/decimal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <string>

#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::decimal {
namespace {

TEST(Decimal, IsWrittenAsPrintfWould) {
  EXPECT_EQ(fixed(1.25, 1), "1.2");
  EXPECT_EQ(fixed(1e300, 9).size(), 311);
  EXPECT_EQ(scientific(9.996, 2), "1.00e+01");
  EXPECT_EQ(shortened(0.5, 12), "0.5");
  EXPECT_EQ(shortened(1234567, 3), "1.23e+06");
  EXPECT_EQ(shortened(HUGE_VAL, 6), "inf");
}

TEST(Decimal, RoundsToDigits) {
  EXPECT_EQ(rounded(0.1 + 0.1 + 0.1, 12), 0.3);
  EXPECT_EQ(rounded(HUGE_VAL, 12), HUGE_VAL);
}

TEST(Decimal, ReadsTheNumberThatATextBeginsWith) {
  EXPECT_EQ(leading("15.75"), 15.75);
  EXPECT_EQ(leading("2.5 GT/s PCIe"), 2.5);
  EXPECT_EQ(leading("Unknown speed"), 0);
  EXPECT_EQ(leading(""), 0);
  EXPECT_EQ(leading("1e999"), HUGE_VAL);
}

TEST(Decimal, IsTheWholeTextOrItsBeginning) {
  EXPECT_EQ(number_in<int>("12"), 12);
  for (const char* no : {"", " 12", "12 ", "1e3", "99999999999"}) EXPECT_FALSE(number_in<int>(no)) << no;
  EXPECT_EQ(leading_number<double>("1.5ms")->rest, "ms");
  EXPECT_EQ(leading_or("ms", -1), -1);
}

/// While it lives, decimals follow a comma for printf and strtod.
class DecimalComma {
 public:
  DecimalComma() {
    const auto has_comma = [](const char* name) {
      return std::setlocale(LC_NUMERIC, name) && *std::localeconv()->decimal_point == ',';
    };
    set = std::ranges::any_of(std::to_array({"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pl_PL.UTF-8"}),
                              has_comma);
  }
  ~DecimalComma() { std::setlocale(LC_NUMERIC, before.c_str()); }
  DecimalComma(const DecimalComma&) = delete;
  DecimalComma& operator=(const DecimalComma&) = delete;

  std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool set = false;
};

TEST(Decimal, HasAPointWhateverTheLocale) {
  const DecimalComma comma;
  if (!comma.set) GTEST_SKIP() << "no locale with a decimal comma is installed";
  EXPECT_EQ(fixed(1.5, 1), "1.5");
  EXPECT_EQ(leading("1.5"), 1.5);
  EXPECT_EQ(rounded(1.5, 12), 1.5);
  EXPECT_EQ(parse_number("1.5", "number", 0, 2), 1.5);
  EXPECT_EQ(text::number(1.5), "1.50");
  EXPECT_EQ(text::plain(1.5), "1.5");
  EXPECT_EQ(text::bytes(1536), "1.50 KiB");
}

}  // namespace
}  // namespace collcast::decimal
