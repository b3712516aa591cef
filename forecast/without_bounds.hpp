// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast {

/// While an object of this class lives, the forecasts of its thread have no bounds and are not raised to
/// them, which is quicker.
class WithoutBounds {
 public:
  WithoutBounds() { ++living; }
  ~WithoutBounds() { --living; }
  WithoutBounds(const WithoutBounds&) = delete;
  WithoutBounds& operator=(const WithoutBounds&) = delete;

  static bool here() { return living > 0; }

 private:
  inline static thread_local int living = 0;
};

}  // namespace collcast
