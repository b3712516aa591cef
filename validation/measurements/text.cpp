// SPDX-License-Identifier: Apache-2.0
#include "validation/measurements/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"

namespace collcast::measurements {
namespace {

constexpr std::size_t longest_tag = 80;

/// The line without what launchers write before it: "[1,0]<stdout>:" of mpirun --tag-output, its times of
/// --timestamp-output, "0: " of srun -l.
std::string untagged(const std::string& line) {
  for (const std::string_view tag : {"<stdout>:", "<stderr>:"})
    if (const std::size_t at = line.find(tag); at < longest_tag) return line.substr(at + tag.size());
  const std::size_t number = line.find_first_not_of(' '),
                    colon = line.find_first_not_of("0123456789", number);
  return colon != std::string::npos && colon > number && line.compare(colon, 2, ": ") == 0
             ? line.substr(colon + 2)
             : line;
}

}  // namespace

std::vector<std::string> Line::words() const {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

bool Line::numeric() const {
  const std::vector<std::string> all = words();
  if (all.empty()) return false;
  const auto numeral = [](const std::string& word) {
    double value = 0;
    const char* const end = word.data() + word.size();
    return std::from_chars(word.data(), end, value).ptr == end;
  };
  const bool begins = std::isdigit(static_cast<unsigned char>(all[0][0])) || numeral(all[0]);
  return begins && 4 * std::ranges::count_if(all, numeral) >= std::ssize(all);
}

/// The longest line, except in JSON: regular expressions take stack for each character.
constexpr std::size_t longest_line = 4096;

Text::Text(std::string name, const std::string& text) : file(std::move(name)) {
  std::istringstream in(text);
  int n = 0;
  for (std::string line; next_line(in, line);) {
    lines.push_back({++n, untagged(line)});
    if (const std::string& last = lines.back().text; last.size() > longest_line && last.front() != '{')
      reject(n, "a line has more than " + std::to_string(longest_line) +
                    " characters, which no benchmark's has");
  }
}

void Text::reject(int line, const std::string& reason) const {
  throw InputError(file + ":" + std::to_string(line) + ": " + reason);
}

namespace {

/// A word of the file, fit for a one-line message.
std::string quoted(const std::string& word) {
  std::string clean = "\"";
  for (char c : word.substr(0, 40)) clean += c >= ' ' && c != 0x7f ? c : '?';
  return clean + (word.size() > 40 ? "...\"" : "\"");
}

double half_unit(const std::string& word) {
  const std::size_t e = word.find_first_of("eE");
  const std::string mantissa = word.substr(0, e);
  const std::size_t dot = mantissa.find('.');
  int last = dot == std::string::npos ? 0 : -static_cast<int>(mantissa.size() - dot - 1);
  if (e != std::string::npos) last += static_cast<int>(std::strtol(word.c_str() + e + 1, nullptr, 10));
  return 0.5 * std::pow(10.0, last);
}

}  // namespace

Printed number(const Text& text, int line, const std::string& column, const std::string& word, double least) {
  const auto value = number_in<double>(word);
  if (!value || !std::isfinite(*value))
    text.reject(line, column + " is " + quoted(word) + "; a number was expected");
  if (*value < least) text.reject(line, column + " is " + word + "; it cannot be negative");
  return {*value, half_unit(word)};
}

Printed positive(const Text& text, int line, const std::string& column, const std::string& word) {
  const Printed p = number(text, line, column, word);
  if (p.value <= 0) text.reject(line, column + " is " + word + "; it must be above 0");
  return p;
}

std::vector<std::string> row(const Text& text, const Line& line, const std::vector<std::string>& columns) {
  if (columns.empty())
    text.reject(line.number, "a row before the line that names the columns, as '# Size  Latency (us)' does");
  std::vector<std::string> words = line.words();
  if (words.size() != columns.size())
    text.reject(line.number,
                std::to_string(words.size()) + " columns; the table has " + std::to_string(columns.size()));
  return words;
}

Bytes size(const Text& text, int line, const std::string& word) {
  const double value = number(text, line, "size", word).value;
  if (value != std::floor(value) || value > 1e15)
    text.reject(line, "size is " + word + "; a whole number of bytes was expected");
  return Bytes(value);
}

int whole(const Text& text, int line, const std::string& column, const std::string& word, int least) {
  const double value = number(text, line, column, word, -1e9).value;
  if (value != std::floor(value) || value < least || value > 1e9)
    text.reject(line, column + " is " + quoted(word) + "; a whole number of at least " +
                          std::to_string(least) + " was expected");
  return static_cast<int>(value);
}

void reject_duplicates(const Text& text, const std::vector<Measurement>& table, bool rounded) {
  const auto key = [](const Measurement& m) {
    return std::tuple(m.timing, m.collective, m.library, m.algorithm, m.settings, m.ranks, m.pairs,
                      m.in_place, m.sender, m.receiver, m.peer_access, m.message.value);
  };
  std::map<decltype(key(table[0])), int> seen;
  Bytes last(-1);
  for (const Measurement& m : table) {
    const auto [first, is_new] = seen.emplace(key(m), m.line);
    const bool again = rounded && m.message == last;
    last = m.message;
    if (!is_new && !again)
      text.reject(m.line, operation(m) + " of " + std::to_string(std::llround(m.message.value)) +
                              " bytes stands twice in this table; first in line " +
                              std::to_string(first->second));
  }
}

void check_rate(const Text& text, int line, const std::string& column, const Printed& rate, double expected,
                double expected_rounding, const std::string& binary) {
  const double tolerance = 2 * (rate.half_unit + expected * expected_rounding) + 1e-3 * expected;
  if (std::abs(rate.value - expected) <= tolerance) return;
  const double factor = binary[0] == 'M' ? 1048576 / 1e6 : 1073741824 / 1e9;
  const std::string decimal = {binary[0], 'B', '/', 's'};
  std::ostringstream reason;
  reason << column << " is " << rate.value << ", but size over time is " << expected << ' ' << decimal;
  if (std::abs(rate.value * factor - expected) <= tolerance)
    reason << ": the table is in " << binary << ", not " << decimal;
  text.reject(line, reason.str());
}

}  // namespace collcast::measurements
