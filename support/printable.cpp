// SPDX-License-Identifier: Apache-2.0
#include "support/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace collcast {
namespace {

/// A character and the number of bytes that it takes: 0 if the bytes are not UTF-8 (RFC 3629).
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80   ? 1
                            : byte(0) < 0xc0 ? 0
                            : byte(0) < 0xe0 ? 2
                            : byte(0) < 0xf0 ? 3
                                             : 4;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? byte(0) : byte(0) & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[bytes] || code > 0x10ffff || surrogate ? Character{} : Character{code, bytes};
}

/// Line and paragraph separators, and marks that change the writing direction.
bool misleads(std::uint32_t code) {
  return (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(const char* form, std::uint32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), form, static_cast<unsigned>(code));
  return text.data();
}

bool controls(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || misleads(code);
}

std::string shown(std::uint32_t code) {
  return code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '\r' ? "\\r" : escaped("\\u%04x", code);
}

}  // namespace

std::string printable(std::string_view words, std::string_view kept) {
  std::string out;
  while (!words.empty()) {
    const auto [code, bytes] = character(words);
    const bool keeps = bytes == 1 && kept.find(words[0]) != kept.npos;
    if (bytes == 0)
      out += escaped("\\x%02x", static_cast<unsigned char>(words[0]));
    else if (controls(code) && !keeps)
      out += shown(code);
    else
      out += words.substr(0, bytes);
    words.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string one_line(std::string_view words) {
  constexpr std::size_t head = 1500, tail = 500;
  std::string line = printable(words);
  if (line.size() <= head + tail) return line;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
  };
  std::size_t end = head, begin = line.size() - tail;
  while (continues(end)) --end;
  while (continues(begin)) ++begin;
  return line.substr(0, end) + " [...] " + line.substr(begin);
}

}  // namespace collcast
