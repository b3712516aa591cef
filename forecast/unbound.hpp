// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/what_if.hpp"

namespace collcast {

/// An override of a platform that did not move the answer.
struct Unbound {
  std::string parameter;  ///< its path
  std::string capped_by;  ///< in words, with its figure: "pcie4-x8, 15.8 GB/s"
};

/// The overrides without which all `times` stay as they are with them, `now`. What caps one is the parameter
/// that binds in its place, found by `quick`, the same question or a part of it by a quick engine; where that
/// finds nothing, or there is no `quick`, `limited_by`, the resource that the answer names.
std::vector<Unbound> unbound(const Description& base, const std::vector<std::string>& overrides,
                             const std::vector<Seconds>& now, const TimesOn& times, const TimesOn& quick,
                             const std::string& limited_by);

}  // namespace collcast
