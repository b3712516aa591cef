// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace collcast {

/// How a number is known, from the strongest evidence to the weakest.
enum class Stamp : std::uint8_t { what_if, measured, calibrated, datasheet, derived, guess };

std::string to_string(Stamp stamp);
std::optional<Stamp> parse_stamp(const std::string& text);

/// The relative uncertainty of a number with this stamp: 0.1 is a factor of 1.1 either way.
double uncertainty(Stamp stamp);

}  // namespace collcast
