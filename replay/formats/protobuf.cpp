// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/protobuf.hpp"

#include "replay/formats/bytes.hpp"

namespace collcast::protobuf {

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return text.remove_prefix(i + 1), value;
  }
  return {};
}

std::optional<Field> take_field(std::string_view& message) {
  std::string_view rest = message;
  const auto key = take_varint(rest);
  if (!key) return {};
  Field f;
  f.number = static_cast<std::uint32_t>(*key >> 3);
  f.wire = static_cast<std::uint32_t>(*key & 7);
  if (f.wire == 0 || f.wire == 2) {
    const auto value = take_varint(rest);
    if (!value) return {};
    f.value = *value;
    if (f.wire == 2) {
      if (f.value > rest.size()) return {};
      f.bytes = rest.substr(0, f.value);
      rest.remove_prefix(f.value);
    }
  } else if (f.wire == 1 || f.wire == 5) {
    const std::size_t size = f.wire == 1 ? 8 : 4;
    if (rest.size() < size) return {};
    f.value = little_endian(rest, 0, size);
    rest.remove_prefix(size);
  } else {
    return {};
  }
  message = rest;
  return f;
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>((value & 0x7f) | 0x80);
  to += static_cast<char>(value);
}

void put_field(std::string& to, std::uint32_t number, std::uint64_t value) {
  put_varint(to, std::uint64_t{number} << 3);
  put_varint(to, value);
}

void put_field(std::string& to, std::uint32_t number, std::string_view bytes) {
  put_varint(to, (std::uint64_t{number} << 3) | 2);
  put_varint(to, bytes.size());
  to += bytes;
}

}  // namespace collcast::protobuf
