// SPDX-License-Identifier: Apache-2.0
#include "platforms/exchange/hostlist.hpp"

#include <algorithm>
#include <vector>

#include "support/error.hpp"

namespace collcast {
namespace {

constexpr int most_brackets = 8;
constexpr std::size_t most_characters = 1 << 26;

/// The number that a text of digits stands for; -1 if it has other characters, or more than nine digits.
int digits(const std::string& text) {
  const bool number = !text.empty() && text.size() <= 9 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::stoi(text) : -1;
}

/// The parts of a text between commas that are not in brackets.
std::vector<std::string> at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (const char c : text) {
    if (c == '[' || c == ']') inside = c == '[';
    if (c == ',' && !inside)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

void Hostlists::add(const std::string& before, const std::string& text, int brackets) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos && close == std::string::npos) {
    const std::string name = before + text;
    if (name.empty()) throw InputError(where_ + "has an empty name in a list");
    characters_ += name.size() + 32;  // 32: about what a set adds for each name
    if (characters_ > most_characters)
      throw InputError(where_ + "names more than a million hosts or switches");
    names_.insert(name);
    return;
  }
  if (close == std::string::npos || open > close || text.find('[', open + 1) < close ||
      brackets == most_brackets)
    throw InputError(where_ + "has a list whose brackets do not match, or with more than " +
                     std::to_string(most_brackets) + " in one name");
  for (const std::string& range : at_commas(text.substr(open + 1, close - open - 1))) {
    const std::size_t dash = range.find('-');
    const std::string from = range.substr(0, dash);
    const int first = digits(from), last = dash == std::string::npos ? first : digits(range.substr(dash + 1));
    if (first < 0 || last < first)
      throw InputError(where_ + "'[" + range.substr(0, 40) + "]' is no range of numbers; write [0-3,12]");
    for (int n = first; n <= last; ++n) {
      std::string number = std::to_string(n);
      if (number.size() < from.size()) number.insert(0, from.size() - number.size(), '0');
      add(before + text.substr(0, open) + number, text.substr(close + 1), brackets + 1);
    }
  }
}

std::set<std::string> Hostlists::names(const std::string& list, const std::string& where) {
  names_.clear(), where_ = where;
  for (const std::string& part : at_commas(list)) add("", part, 0);
  return names_;
}

}  // namespace collcast
