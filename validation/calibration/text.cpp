// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/text.hpp"
#include "support/json.hpp"

#include <algorithm>

namespace collcast {
namespace {

bool on_one_line(const Json& json) {
  return !json.is_structured() || json.empty() || json.contains("stamp") ||
         (json.is_array() &&
          std::ranges::none_of(json, [](const Json& item) { return item.is_structured(); }));
}

/// The JSON on one line, with a blank after each comma and colon, which dump() leaves out.
std::string line(const Json& json) {
  if (!json.is_structured()) return dump(json);
  std::string text;
  for (auto it = json.begin(); it != json.end(); ++it)
    text += (text.empty() ? "" : ", ") + (json.is_object() ? dump(Json(it.key())) + ": " : "") + line(*it);
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string indented(const Json& json, std::size_t depth) {
  if (on_one_line(json)) return line(json);
  const std::string inner(2 * depth + 2, ' '), outer(2 * depth, ' ');
  std::string text;
  for (auto it = json.begin(); it != json.end(); ++it)
    text += (text.empty() ? "" : ",\n") + inner + (json.is_object() ? dump(Json(it.key())) + ": " : "") +
            indented(*it, depth + 1);
  const bool object = json.is_object();
  return std::string(object ? "{" : "[") + "\n" + text + "\n" + outer + (object ? "}" : "]");
}

}  // namespace

std::string platform_text(const Json& platform) {
  return indented(platform, 0) + "\n";
}

}  // namespace collcast
