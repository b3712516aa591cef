// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/window.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "support/error.hpp"

namespace collcast::recorder {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw InputError("recording window \"" + text +
                   "\": FIRST-LAST or FIRST-, separated by commas, are accepted: counts of collectives on "
                   "MPI_COMM_WORLD, as in 347-357,1307-");
}

}  // namespace

Window::Window(const std::string& text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) at = read_part(text, at);
  if (parts_.empty() || text.back() == ',') refuse(text);
}

/// Reads one FIRST-LAST or FIRST-, and the comma after it.
const char* Window::read_part(const std::string& text, const char* at) {
  const char* const end = text.data() + text.size();
  std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
  const auto [dash, bad_first] = std::from_chars(at, end, first);
  if (bad_first != std::errc{} || first < 0 || dash == end || *dash != '-') refuse(text);
  at = dash + 1;
  if (at != end && *at != ',') {
    const auto [behind, bad_last] = std::from_chars(at, end, last);
    if (bad_last != std::errc{} || last <= first || (behind != end && *behind != ',')) refuse(text);
    at = behind;
  }
  parts_.emplace_back(first, last);
  return at == end ? at : at + 1;
}

bool Window::contains(std::int64_t place) const {
  return parts_.empty() || std::any_of(parts_.begin(), parts_.end(), [place](const auto& part) {
           return part.first <= place && place < part.second;
         });
}

}  // namespace collcast::recorder
