// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace collcast::testbed {

/// The switch's end of a host's network interface: frames that the host sends are read here. Closing it
/// removes the interface.
class Tap {
 public:
  /// Makes `interface` in the network namespace of the file `network_namespace`. Throws SubstrateError.
  Tap(const std::string& network_namespace, const std::string& interface);
  ~Tap();
  Tap(Tap&& other) noexcept;
  Tap& operator=(Tap&&) = delete;

  int descriptor() const { return descriptor_; }
  /// The next frame that the host has sent, in a part of `buffer`; nothing if there is none.
  std::optional<std::span<const std::byte>> read(std::span<std::byte> buffer) const;
  /// Whether the host took the frame.
  bool write(std::span<const std::byte> frame) const;

 private:
  int descriptor_;
};

}  // namespace collcast::testbed
