// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace collcast::mpi {

/// Consecutive packets of a message.
struct PacketRange {
  std::uint32_t first = 0, count = 0;
  bool operator==(const PacketRange&) const = default;
};

/// How many packets a message of `bytes` takes; an empty message is one empty packet.
inline std::uint32_t packets_of(std::size_t bytes, std::size_t packet_bytes) {
  return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + packet_bytes - 1) / packet_bytes);
}

/// A message received in packets, which may be late, lost or duplicated.
class Reassembly {
 public:
  Reassembly(std::span<std::byte> message, std::size_t packet_bytes)
      : message_(message),
        packet_bytes_(packet_bytes),
        packets_(packets_of(message.size(), packet_bytes)),
        missing_(packets_),
        have_(packets_) {}

  /// Where a packet's bytes belong; empty if the message has no such packet.
  std::span<std::byte> place(std::uint32_t packet) const {
    if (packet >= packets_) return {};
    const std::size_t begin = packet * packet_bytes_;
    return message_.subspan(begin, std::min(packet_bytes_, message_.size() - begin));
  }
  /// The first packet that has not come.
  std::uint32_t next() const { return next_; }
  bool complete() const { return missing_ == 0; }
  /// The packets missing just before `packet`. If the network keeps packets in order, these are lost.
  PacketRange gap_before(std::uint32_t packet) const {
    return packet > beyond_ ? PacketRange{beyond_, packet - beyond_} : PacketRange{};
  }

  /// Notes that a packet was received; false if it had been before.
  bool take(std::uint32_t packet) {
    if (packet >= packets_ || have_[packet]) return false;
    have_[packet] = true;
    --missing_;
    beyond_ = std::max(beyond_, packet + 1);
    while (next_ < packets_ && have_[next_]) ++next_;
    return true;
  }

  /// What to ask for when no packet comes any more: up to `most` ranges, which are the first gaps before
  /// received packets, and the last packet.
  std::vector<PacketRange> overdue(std::size_t most) const {
    std::vector<PacketRange> runs;
    for (std::uint32_t i = next_; i < beyond_ && runs.size() < most; ++i) {
      if (have_[i]) continue;
      const auto begin = i;
      while (i < beyond_ && !have_[i]) ++i;
      runs.push_back({begin, i - begin});
    }
    if (beyond_ < packets_ && runs.size() < most) runs.push_back({packets_ - 1, 1});
    return runs;
  }
  std::uint32_t packets() const { return packets_; }

 private:
  std::span<std::byte> message_;
  std::size_t packet_bytes_;
  std::uint32_t packets_, missing_;
  std::uint32_t next_ = 0, beyond_ = 0;  ///< beyond_: one past the last packet received
  std::vector<bool> have_;
};

}  // namespace collcast::mpi
