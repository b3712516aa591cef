// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/measurements/measurement.hpp"

namespace collcast::measurements {

/// A line of a text, without its end and what a launcher put before it.
struct Line {
  int number = 0;  ///< from 1
  std::string text;

  bool has(const std::string& words) const { return text.find(words) != std::string::npos; }
  std::vector<std::string> words() const;
  /// Whether it is a row of numbers, maybe a damaged one: it begins with a digit or a number, and a fourth of
  /// its words are numbers.
  bool numeric() const;
};

/// A text with the name of its file.
struct Text {
  std::string file;
  std::vector<Line> lines;

  Text(std::string file, const std::string& text);
  /// Throws InputError: "FILE:LINE: reason".
  [[noreturn]] void reject(int line, const std::string& reason) const;
};

/// A number as it was printed.
struct Printed {
  double value = 0;
  double half_unit = 0;  ///< half a unit of its last digit
  double rounding() const { return value > 0 ? half_unit / value : 0; }
};

/// Throws InputError unless `word` is a finite number of at least `least`.
Printed number(const Text& text, int line, const std::string& column, const std::string& word,
               double least = 0);
/// A number above 0.
Printed positive(const Text& text, int line, const std::string& column, const std::string& word);
/// The words of a row, one for each column. Throws InputError if the row comes before the columns' names, or
/// has more or fewer words than there are columns.
std::vector<std::string> row(const Text& text, const Line& line, const std::vector<std::string>& columns);
/// A whole number of bytes.
Bytes size(const Text& text, int line, const std::string& word);
/// A whole number of at least `least`.
int whole(const Text& text, int line, const std::string& column, const std::string& word, int least = 0);

/// Throws InputError if two rows of a table measure the same. `rounded`: consecutive rows of one size are
/// allowed, as the benchmark rounded their sizes to the same one.
void reject_duplicates(const Text& text, const std::vector<Measurement>& table, bool rounded = false);

/// Throws InputError if a rate is not size over time within rounding. The error says if binary units explain
/// it: `binary` is "MiB/s" or "GiB/s".
void check_rate(const Text& text, int line, const std::string& column, const Printed& rate, double expected,
                double expected_rounding, const std::string& binary);

}  // namespace collcast::measurements
