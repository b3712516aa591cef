// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/tar.hpp"

#include <algorithm>
#include <vector>

#include "replay/formats/bytes.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

constexpr std::size_t block = 512;

/// Offsets in a header: name, size (octal digits, or binary behind a byte 0x80), type, magic.
constexpr std::size_t name_length = 100, size_at = 124, size_length = 12, type_at = 156, ustar_at = 257;

/// A size, or more than any file has.
std::uint64_t number(std::string_view field) {
  if (field[0] == '\x80') return number_of_bytes(field.data() + size_length - 8, 8, true);
  std::uint64_t n = 0;
  for (const char c : field.substr(std::min(field.find_first_not_of(' '), field.size()))) {
    if (c < '0' || c > '7') break;
    n = n << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return n;
}

[[noreturn]] void refuse(const Input& input, const std::string& what) {
  throw InputError(input.path() + ": " + what);
}

}  // namespace

bool is_tar(std::string_view head) {
  return head.size() >= block && head.substr(ustar_at, 5) == "ustar";
}

bool Tar::next() {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  while (true) {
    skip(left_);
    left_ = padding_;
    skip(left_);
    char header[block];
    std::size_t got = 0;
    for (std::size_t n = 1; n > 0 && got < block; got += n) n = input_.read(header + got, block - got);
    if (got == 0 || std::all_of(header, header + got, [](char c) { return c == 0; })) return false;
    const std::string_view text(header, got);
    if (is_tar(text)) size_ = left_ = number(text.substr(size_at, size_length));
    if (!is_tar(text) || size_ > most)
      refuse(input_, "its tar archive is damaged behind '" + printable(name_) + "'");
    padding_ = (block - size_ % block) % block;
    name_ = text.substr(0, std::min(text.find('\0'), name_length));
    name_.erase(0, name_.rfind('/') + 1);
    const char type = header[type_at];
    if (type == '0' || type == '\0' || type == '7') return true;
  }
}

void Tar::read(char* to, std::size_t bytes) {
  if (bytes > left_)
    refuse(input_,
           "'" + printable(name_) + "' in it ends too early, after " + std::to_string(size_) + " bytes");
  for (std::size_t got = 0; got < bytes;) {
    const std::size_t n = input_.read(to + got, bytes - got);
    if (n == 0) refuse(input_, "its tar archive is cut short in '" + printable(name_) + "'");
    got += n, left_ -= n;
  }
}

void Tar::skip(std::uint64_t bytes) {
  std::vector<char> waste(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1 << 16)));
  for (std::uint64_t n = 0; bytes > 0; bytes -= n) {
    n = std::min<std::uint64_t>(bytes, waste.size());
    read(waste.data(), static_cast<std::size_t>(n));
  }
}

std::string Tar::text(std::uint64_t most) {
  if (size_ > most)
    refuse(input_, "'" + printable(name_) + "' in it is larger than the " + std::to_string(most) +
                       " bytes that are read");
  std::string all;
  while (left_ > 0) {  // memory grows with the bytes that are there, not with what the header says
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, 1 << 20));
    all.resize(all.size() + n);
    read(all.data() + all.size() - n, n);
  }
  return all;
}

}  // namespace collcast
