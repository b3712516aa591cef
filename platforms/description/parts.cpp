// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/parts.hpp"

#include <cstring>

#include "platforms/description/embedded.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// The texts at `key` of each item of `owner[section]`; none if it has another form, which is checked later.
std::vector<std::string> names(const Json& owner, const char* section, const char* key) {
  std::vector<std::string> found;
  if (!owner.contains(section) || !owner[section].is_structured()) return found;
  for (const Json& item : owner[section])
    if (item.is_object() && item.contains(key) && item[key].is_string()) found.push_back(item[key]);
  return found;
}

void draw(Json& owner, const char* section, const std::vector<std::string>& names) {
  const Json& shared = shared_parts()[section];
  for (const std::string& name : names) {
    if (!shared.contains(name) || (owner.contains(section) && !owner[section].is_object())) continue;
    Json part = shared[name];
    if (owner.contains(section) && owner[section].contains(name)) part.merge_patch(owner[section][name]);
    owner[section][name] = std::move(part);
  }
}

}  // namespace

const Json& shared_parts() {
  static const Json parts = [] {
    const EmbeddedPlatform* p = embedded_platforms;
    while (std::strcmp(p->name, "parts") != 0) ++p;
    return parse_json(p->text);
  }();
  return parts;
}

void draw_parts(Json& platform) {
  if (!platform.is_object() || !platform.contains("node") || !platform["node"].is_object()) return;
  draw(platform, "devices", names(platform["node"], "vertices", "device"));
  draw(platform["node"], "link_kinds", names(platform["node"], "links", "kind"));
}

}  // namespace collcast
