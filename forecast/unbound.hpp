// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "forecast/what_if.hpp"

namespace collcast {

/// What is said to cap a memory's size.
inline constexpr std::string_view only_fits = "nothing: it changes what fits, not the time";

/// An override of a platform that did not move the answer.
struct Unbound {
  std::string parameter;  ///< its path
  std::string capped_by;  ///< in words, with its figure: "pcie4-x8, 15.8 GB/s"
};

/// The overrides without which all times stay as they are `now`. What caps such an override is the parameter
/// that binds in its place, found by `quick`: the question, or a part of it, asked of a quick engine. Without
/// `quick`, or if it finds nothing, that is `limited_by`, the resource that the answer names.
std::vector<Unbound> unbound(const Description& base, const std::vector<std::string>& overrides,
                             const std::vector<Seconds>& now, const TimesOn& times, const TimesOn& quick,
                             const std::string& limited_by);

/// The parameter that binds in place of one whose two values give the same times, with its figure: without it
/// they would differ. Empty: no single one does.
std::string binds_instead(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times);

}  // namespace collcast
