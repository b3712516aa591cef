// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/best_segments.hpp"

#include <cmath>

#include "support/json.hpp"

namespace collcast {

void write_best_segments(Json& json, const std::optional<BestSegments>& best) {
  if (!best) return;
  json["message_bytes"] = std::llround(best->message.value);
  json["segments"] = best->segments;
}

std::optional<BestSegments> read_best_segments(const FileObject& object) {
  if (!object.has("message_bytes") && !object.has("segments")) return {};
  const std::int64_t bytes = object.number("message_bytes", 0, std::int64_t{1} << 53);
  return BestSegments{Bytes(static_cast<double>(bytes)), object.number("segments", 1, 1'000'000)};
}

}  // namespace collcast
