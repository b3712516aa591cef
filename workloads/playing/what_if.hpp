// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/unbound.hpp"
#include "support/json_fwd.hpp"

namespace collcast::workloads {

/// What binds instead of a parameter in exposed communication, in words; empty: no single parameter does.
std::string binds_exposed(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times);

/// An answer on a platform with overrides.
struct Overridden {
  const Description& base;
  const std::vector<std::string>& set;
  const Json& runs;  ///< rows of training steps or jobs; empty in other answers
  std::string limited_by;
};

/// The overrides that do not move the answer's times. `quick` finds what binds instead of them in exposed
/// communication.
std::vector<Unbound> unbound_in(const Overridden& answer, const TimesOn& times, const TimesOn& quick);

/// Of these overrides, those that do not change the answer in any other way: it also says what fits into
/// memory.
std::vector<Unbound> without_effect(std::vector<Unbound> unbound, const Overridden& answer);

}  // namespace collcast::workloads
