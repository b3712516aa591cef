// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/description.hpp"

#include <functional>

#include "platforms/description/blueprint.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/description/node_graph.hpp"
#include "platforms/description/parts.hpp"
#include "platforms/description/repeat.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

std::string unit_of(const std::string& path) {
  return path.substr(path.find_last_of("_.") + 1);
}

using Visit = std::function<void(Json& json, const std::string& path)>;

/// Calls `visit` for each parameter that a sound file holds.
void for_each_parameter(Json& json, const Schema& schema, const std::string& path, const Visit& visit) {
  if (schema.kind == Schema::Kind::parameter) return visit(json, path);
  if (!json.is_structured() || schema.kind == Schema::Kind::stated) return;
  std::size_t index = 0;
  for (auto it = json.begin(); it != json.end(); ++it, ++index) {
    const std::string key = json.is_object() ? it.key() : std::to_string(index);
    for_each_parameter(*it, *find(schema, key), below(path, key), visit);
  }
}

/// The value at the larger or the smaller end of a parameter's interval: its own interval, or that of its
/// stamp.
double end_of(const Json& p, bool larger) {
  if (p.contains("low")) return p[larger ? "high" : "low"].get<double>();
  const double factor = 1 + uncertainty(*parse_stamp(p["stamp"].get<std::string>()));
  const double value = p["value"].get<double>();
  return larger ? value * factor : value / factor;
}

/// The description with bandwidths and times at the fast or the slow ends of their intervals. Sizes and
/// limits stay.
Description scaled(const Description& description, bool faster) {
  Json json = description.json();
  for_each_parameter(json, platform_schema(), "", [faster](Json& p, const std::string& path) {
    const std::string unit = unit_of(path);
    if (unit != "us" && unit != "GBps") return;
    p["value"] = end_of(p, (unit == "GBps") == faster);
    p.erase("low");
    p.erase("high");
  });
  return {description.name(), description.file(), std::move(json)};
}

}  // namespace

Description::Description(std::string name, std::string file, Json json)
    : name_(std::move(name)), file_(std::move(file)) {
  expand_counts(json, file_);
  draw_parts(json);
  check(json, platform_schema(), file_);
  json_ = std::make_shared<const Json>(std::move(json));
  blueprint_ = std::make_shared<const Blueprint>(make_blueprint(*this));
  [[maybe_unused]] const NodeGraph sound(*blueprint_);
  calibrated_on(*this);
}

std::string Description::text() const {
  return json()["description"].get<std::string>();
}

std::string Description::library() const {
  return json().contains("library") ? json()["library"]["value"].get<std::string>() : "";
}

std::vector<Parameter> Description::parameters() const {
  std::vector<Parameter> all;
  Json copy = json();
  for_each_parameter(copy, platform_schema(), "", [&all](Json& p, const std::string& path) {
    all.push_back({path, p["value"].get<double>(), unit_of(path), p["source"].get<std::string>(),
                   *parse_stamp(p["stamp"].get<std::string>()), end_of(p, false), end_of(p, true)});
  });
  return all;
}

Description with_blocking_sends(const Description& description) {
  Json json = description.json();
  if (!json.contains("software")) return description;
  for (Json& section : json["software"])
    for (Json& memory : section)
      if (memory.contains("blocking_eager_limit_KiB"))
        memory["eager_limit_KiB"] = memory["blocking_eager_limit_KiB"];
  return {description.name(), description.file(), std::move(json)};
}

Description optimistic(const Description& description) {
  return scaled(description, true);
}

Description pessimistic(const Description& description) {
  return scaled(description, false);
}

}  // namespace collcast
