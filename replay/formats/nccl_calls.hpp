// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/formats/formats.hpp"
#include "replay/source/recorded.hpp"

/// Calls of NCCL or RCCL as their logs have them, in order, by device and communicator.
namespace collcast::nccl {

/// The word after `key`, where `key` begins a word; empty if there is none.
std::string_view word_after(std::string_view text, std::string_view key);

/// The number that `text` begins with.
template <class Number = std::int64_t>
Number number(std::string_view text, Number otherwise = -1, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  Number n = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), n, base);
  return n;
}

/// A GPU that a process drives.
struct Device {
  std::string host;
  std::int64_t process, device;
  Rank caller = -1;  ///< the rank that calls, if the process names one device for several ranks
  auto operator<=>(const Device&) const = default;
};

struct Communicator {
  std::string id;  ///< equal on all ranks; empty: the log does not say
  Rank rank = -1, ranks = 0;
};

struct LoggedCall {
  std::string operation, communicator;
  std::uint64_t number;  ///< equal for the messages of one group
  double bytes;          ///< NCCL's count
  bool sized;
  int root;                 ///< for a message: the other rank
  std::int64_t group = -1;  ///< the group call that it is in, if the log shows these; -1: none

  /// Sets the size from NCCL's count and data type.
  void size(std::int64_t count, std::int64_t type);
};

struct DeviceLog {
  std::map<std::string, Communicator> communicators;  ///< by pointer
  std::vector<std::string> order;                     ///< in the order of first appearance
  std::vector<LoggedCall> calls;
  std::string bus;  ///< bus id of the GPU, if INIT lines say it
  Rank task = -1;   ///< the launcher's number of its process; negative: not said

  Communicator& communicator(std::string_view pointer) {
    const auto [found, is_new] = communicators.try_emplace(std::string(pointer));
    if (is_new) order.emplace_back(pointer);
    return found->second;
  }
};

struct CallLog {
  std::map<Device, DeviceLog> devices;
  std::vector<Device> order;  ///< in the order of first appearance

  DeviceLog& log(const Device& device);
  std::size_t calls() const;
};

/// The devices as ranks of one job. A device's rank is its rank in the largest communicator that it set up,
/// or the number of its task.
std::unique_ptr<RecordedSource> source_of(const CallLog& log);

}  // namespace collcast::nccl
