// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace collcast::mpi {

/// Element i of a rank. If elements of `added` ranks are summed (1: none), the sum does not overflow, as MPI
/// libraries differ in what they do then (Open MPI 4.1 saturates vectors of 8-bit integers).
template <class T>
T value(int rank, std::size_t i, int added) {
  std::uint64_t mixed = (static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15 + i) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111eb;  // without this, bytes of some ranks are mostly alike
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<double>(mixed >> 11) / 9007199254740992.0 * 2 - 1);
  } else {
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t share = most / static_cast<std::uint64_t>(added);
    if (share >= 2) return static_cast<T>((mixed >> 33) % share);
    const bool own = i % static_cast<std::size_t>(added) == static_cast<std::size_t>(rank);
    return static_cast<T>(own ? mixed >> 33 & most : 0);  // only one rank has another value than 0
  }
}

/// Fills `bytes` with a rank's values, of type int32 if `words`, else uint8.
inline void fill(std::byte* at, std::size_t bytes, bool words, int rank, int added) {
  for (std::size_t i = 0; words && i < bytes / sizeof(std::int32_t); ++i) {
    const auto v = value<std::int32_t>(rank, i, added);
    std::memcpy(at + i * sizeof v, &v, sizeof v);
  }
  for (std::size_t i = 0; !words && i < bytes; ++i) at[i] = std::byte{value<std::uint8_t>(rank, i, added)};
}

}  // namespace collcast::mpi
