// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "forecast/what_if.hpp"
#include "model/schedule.hpp"

namespace collcast {

/// What `capped_by` says if the override is a memory's size.
inline constexpr std::string_view affects_fit_only = "nothing: it changes what fits, not the time";

/// An override of a platform that did not move the answer.
struct Unbound {
  std::string parameter;  ///< its path in the platform
  std::string capped_by;  ///< what binds in its place, in words with its figure: "pcie4-x8, 15.8 GB/s"
};

/// The overrides that can be taken away without a change of the times `now`. The parameter that binds in
/// place of such an override is found by `quick`: the question, or a part of it, asked of a quick engine.
/// Without `quick`, or if it finds none, `limited_by` is named, the resource that limits the answer. Ranks
/// are on the first `nodes` nodes; 0: that is not known.
std::vector<Unbound> unbound(const Description& base, const std::vector<std::string>& overrides,
                             const std::vector<Seconds>& now, const TimesOn& times, const TimesOn& quick,
                             const std::string& limited_by, Rank nodes);

/// The parameter that binds in place of `parameter`, with its figure: if it cost next to nothing, the two
/// values of `parameter` would give different times. Empty: no single parameter binds.
std::string binds_instead(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times);

}  // namespace collcast
