// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace collcast {

/// The memories of a rank. Without accelerators, device and host are the same memory.
enum class Memory : std::uint8_t { device, host, dpu };

constexpr std::string_view name(Memory memory) {
  return memory == Memory::device ? "device" : memory == Memory::host ? "host" : "dpu";
}

/// The memory that a user names for a call's data: "host" or "device"; none for other names.
constexpr std::optional<Memory> memory_named(std::string_view name) {
  if (name == "host") return Memory::host;
  if (name == "device") return Memory::device;
  return {};
}

}  // namespace collcast
