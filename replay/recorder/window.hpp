// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace collcast::recorder {

/// Environment variable that gives the ranks their window.
inline constexpr const char* window_variable = "COLLCAST_RECORD_WINDOW";

/// The parts of a run that are recorded. A place in a run is the number of collectives called on
/// MPI_COMM_WORLD before it, which is the same on all ranks, whatever their messages do.
class Window {
 public:
  /// The whole run.
  Window() = default;
  /// Reads "347-357,1307-": from place 347 to before place 357, and from 1307 on. Throws InputError for other
  /// texts.
  explicit Window(const std::string& text);

  bool contains(std::int64_t place) const;
  bool whole() const { return parts_.empty(); }

 private:
  const char* read_part(const std::string& text, const char* at);

  std::vector<std::pair<std::int64_t, std::int64_t>> parts_;
};

}  // namespace collcast::recorder
