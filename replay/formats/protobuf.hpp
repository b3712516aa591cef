// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace collcast::protobuf {

/// One field of a message on the wire; its value as encoded: varint, fixed or length-delimited.
struct Field {
  std::uint32_t number = 0;
  std::uint32_t wire = 0;   ///< 0 varint, 1 fixed 64, 2 length-delimited, 5 fixed 32
  std::uint64_t value = 0;  ///< for wire 0, 1, 5
  std::string_view bytes;   ///< for wire 2
};

/// Takes the next varint off the text's front; none if the text ends in it or it is longer than ten bytes.
std::optional<std::uint64_t> take_varint(std::string_view& text);

/// Takes the next field off the message's front; none at its end, or at damage: then `message` is not empty.
std::optional<Field> take_field(std::string_view& message);

void put_varint(std::string& to, std::uint64_t value);
void put_field(std::string& to, std::uint32_t number, std::uint64_t value);
void put_field(std::string& to, std::uint32_t number, std::string_view bytes);

}  // namespace collcast::protobuf
