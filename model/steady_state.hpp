// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/origins.hpp"

namespace collcast {

/// How one period of repeating steps changes the times of a reading, as sums and maxima of them. Entries are
/// counted from 1; 0 stands for no time. Times that neither change nor are compared may be left out.
struct Period {
  std::vector<Seconds> before, after;  ///< by entry
  std::vector<std::uint32_t> origin;   ///< by entry: the entry that its new time comes from
  std::vector<Race> races;             ///< between entries before the period
  std::uint32_t ends = 0;              ///< entries 1 to this are the ranks' times
};

/// What the periods after an observed one bring.
struct Extrapolation {
  std::int64_t periods = 0;    ///< how many of them repeat it: each time has the same origin again
  std::vector<Seconds> after;  ///< by entry, after these; empty if there are none
  Seconds least;               ///< the last rank is done no earlier after all that are left
};

/// Extrapolates an observed period over the `left` periods that follow it; exact to rounding.
///
/// A period is a linear map over sums and maxima (max-plus algebra: Baccelli, Cohen, Olsder & Quadrat,
/// Synchronization and Linearity, 1992), so a repeated one reaches a periodic regime. While every maximum is
/// won by the same operand as in the observed period, an entry's time is its origin's one period earlier plus
/// a constant. Following origins back from any entry ends in a cycle; once on it, times grow by the mean gain
/// of the cycle's entries per period. (A port that is always busy is a cycle of one.)
/// 1. Find the cycles, and for each entry the cycle that it ends in and after how many periods.
/// 2. For each race compute for how many periods its winner stays ahead; the least of these is `periods`.
/// 3. Beyond them times can only be later, as a maximum is no less than either operand: hence `least`.
Extrapolation extrapolate(const Period& period, std::int64_t left);

}  // namespace collcast
