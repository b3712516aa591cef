// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace collcast {

/// A call of MPI in a DUMPI trace, with its arguments as dumpi2ascii prints them.
struct MpiCall {
  std::string name;                   ///< "MPI_Send"
  std::int64_t enter = 0, leave = 0;  ///< ns
  std::map<std::string, std::string, std::less<>> arguments;

  std::string_view text(std::string_view key) const;
  /// The whole numbers of an argument, outside of words: "[2, 3]", "9 (MPI_INT)".
  std::vector<std::int64_t> list(std::string_view key) const;
  std::int64_t number(std::string_view key, std::int64_t otherwise = -1) const;
};

/// What a rank's trace says beside its calls.
struct DumpiFacts {
  std::map<std::int64_t, std::int64_t> type_bytes;  ///< bytes of an element, by the number of its type
  std::int64_t ignored = 0, cut = 0;                ///< calls that were not recorded; those without an end
  std::int64_t unsaid = 0;                          ///< waits and tests that do not say what was done
};

using VisitCall = std::function<void(const MpiCall&)>;

bool is_binary_dumpi(std::string_view head);

/// Reads a binary trace of DUMPI (0.3 to 1.3), call by call. Throws InputError where it is damaged.
void read_binary_dumpi(const std::string& path, DumpiFacts& facts, const VisitCall& visit);

}  // namespace collcast
