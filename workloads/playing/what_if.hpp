// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/unbound.hpp"
#include "support/json_fwd.hpp"

namespace collcast::workloads {

/// What binds instead of a parameter in communication that computation does not hide, in words; empty:
/// nothing alone does.
std::string binds_exposed(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times);

/// An answer on a platform with overrides.
struct Overridden {
  const Description& base;
  const std::vector<std::string>& set;
  const Json& runs;  ///< rows of training steps or jobs; empty in other answers
  std::string limited_by;
};

/// The overrides that do not move its times. What binds instead of them in the communication that is exposed
/// is found by `quick`.
std::vector<Unbound> unbound_in(const Overridden& answer, const TimesOn& times, const TimesOn& quick);

/// Those that do not change the answer, either: what fits into memory is a part of it.
std::vector<Unbound> without_effect(std::vector<Unbound> unbound, const Overridden& answer);

}  // namespace collcast::workloads
