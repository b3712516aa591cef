// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/error.hpp"

namespace collcast::testing {

/// What an InputError says; empty if there is none.
template <class Act>
std::string complaint(Act&& act) {
  try {
    act();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace collcast::testing
