// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "replay/trace/container.hpp"
#include "replay/trace/event.hpp"

namespace collcast::trace {

/// Appends an unsigned integer, seven bits a byte, low bits first.
void put_varint(std::vector<std::uint8_t>& to, std::uint64_t value);

/// Signed integers near zero become small unsigned ones: 0, -1, 1, -2 are 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

/// Reads varints from bytes. At the end of the bytes it throws InputError that starts with `where`.
class VarintSource {
 public:
  VarintSource() = default;
  VarintSource(ByteSpan bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}
  bool empty() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  std::uint64_t next();
  std::int64_t next_signed() { return unzigzag(next()); }
  int next_int();
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  std::string where_;
};

/// Encodes events into the body of one piece.
class Encoder {
 public:
  void put(const Event& event);
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::uint32_t count() const { return count_; }
  /// Starts the next piece.
  void restart();

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint32_t count_ = 0;
  RequestId last_request_ = 0;
};

/// Decodes the events of one piece's body.
class Decoder {
 public:
  Decoder() = default;
  /// No list of an event is longer than `ranks`.
  Decoder(ByteSpan bytes, std::string where, int ranks) : source_(bytes, std::move(where)), ranks_(ranks) {}
  /// False at the end of the piece. Throws InputError if the bytes make no event.
  bool next(Event& event);
  [[noreturn]] void damaged(const std::string& what) const { source_.damaged(what); }

 private:
  void counts(std::vector<std::int64_t>& to);
  void completions(std::vector<Completion>& to);

  VarintSource source_;
  int ranks_ = 0;
  RequestId last_request_ = 0;
};

/// Lists of world ranks, as runs of equal stride: the body of a communicators piece.
std::vector<std::uint8_t> encode_groups(const std::vector<std::vector<int>>& groups);

/// Appends the lists of ranks to `groups`. Throws InputError unless each holds distinct ranks below `ranks`,
/// and all fit into `room` bytes.
void decode_groups(VarintSource source, std::uint32_t count, int ranks, std::uint64_t room,
                   std::vector<std::vector<int>>& groups);

}  // namespace collcast::trace
