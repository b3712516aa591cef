// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/cut.hpp"

#include <cmath>

#include "support/json.hpp"

namespace collcast {

void write_cut(Json& json, const Cut& cut) {
  if (!cut) return;
  json["message_bytes"] = std::llround(cut->first.value);
  json["segments"] = cut->second;
}

Cut read_cut(const FileObject& object) {
  if (!object.has("message_bytes") && !object.has("segments")) return {};
  const std::int64_t bytes = object.number("message_bytes", 0, std::int64_t{1} << 53);
  return std::pair(Bytes(static_cast<double>(bytes)), object.number("segments", 1, 1'000'000));
}

}  // namespace collcast
