// SPDX-License-Identifier: Apache-2.0
#include "support/wrap.hpp"

#include <sstream>

namespace collcast {
namespace {

/// Wraps one line of the text.
std::string wrap_line(std::string_view line, std::size_t width, std::string_view indent,
                      std::string_view ending) {
  if (shown_width(line) <= width) return std::string(line);
  std::istringstream words{std::string(line)};
  std::string all, now(line.substr(0, line.find_first_not_of(' ')));
  bool empty = true;
  for (std::string word; words >> word;) {
    if (!empty && shown_width(now) + 1 + shown_width(word) + shown_width(ending) > width) {
      all.append(now).append(ending).append("\n");
      now = indent;
      empty = true;
    }
    now += (empty ? "" : " ") + word;
    empty = false;
  }
  return all + now;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  std::size_t n = 0;
  for (const unsigned char c : text) n += (c & 0xC0) != 0x80;
  return n;
}

std::string wrap(std::string_view text, std::size_t width, std::string_view indent, std::string_view ending) {
  std::string all;
  while (true) {
    const std::size_t end = text.find('\n');
    all += wrap_line(text.substr(0, end), width, indent, ending);
    if (end == std::string_view::npos) return all;
    all += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace collcast
