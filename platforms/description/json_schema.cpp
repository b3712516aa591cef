// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/json_schema.hpp"

#include "platforms/description/parts.hpp"
#include "platforms/description/stamp.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// whole: a file of its own. overlay: what is laid over a base or a shared part.
enum class Form : std::uint8_t { whole, overlay };

Json stamps() {
  Json names = Json::array();
  for (int s = 0; s <= static_cast<int>(Stamp::guess); ++s) names.push_back(to_string(static_cast<Stamp>(s)));
  return names;
}

Json number(bool zero) {
  return {{"type", "number"}, {zero ? "minimum" : "exclusiveMinimum", 0}, {"maximum", 1e15}};
}

Json stated(Json value, Form form) {
  Json s = {{"type", "object"},
            {"additionalProperties", false},
            {"properties",
             {{"value", std::move(value)},
              {"source", {{"type", "string"}, {"minLength", 1}}},
              {"stamp", {{"enum", stamps()}}}}}};
  if (form == Form::whole) s["required"] = {"value", "source", "stamp"};
  return s;
}

Json parameter(bool zero, Form form) {
  Json p = stated(number(zero), form);
  for (const char* end : {"low", "high"}) p["properties"][end] = number(true);
  return p;
}

/// A reference to a definition ("#/definitions/..."), which saves repeating it.
Json reference(bool zero, Form form) {
  return {{"$ref", std::string("#/definitions/") + (zero ? "number" : "positive") +
                       (form == Form::whole ? "" : "_overlay")}};
}

Json converted(const Schema& schema, Form form);

Json map_of(Json element) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]+$"}}},
          {"additionalProperties", std::move(element)}};
}

Json or_null(Json json, Form form) {
  if (form == Form::whole) return json;
  return {{"anyOf", Json::array({std::move(json), {{"type", "null"}}})}};
}

Json drawn(const Schema& map, Form form) {
  return or_null(map_of(converted(map.element.front(), Form::overlay)), form);
}

Json object(const Schema& schema, Form form) {
  Json properties = Json::object(), required = Json::array();
  for (const Schema& f : schema.fields) {
    // A section named like a shared part may complete that part: see parts.hpp.
    properties[f.key] = shared_parts().contains(f.key) ? drawn(f, form) : converted(f, form);
    if (f.required) required.push_back(f.key);
  }
  Json o = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (form == Form::whole && !required.empty()) o["required"] = required;
  return o;
}

Json plain(const Schema& schema, Form form) {
  using Kind = Schema::Kind;
  switch (schema.kind) {
    case Kind::object:
      return object(schema, form);
    case Kind::map:
      return map_of(converted(schema.element.front(), form));
    case Kind::list:  // a list replaces the whole list of a base
      return {{"type", "array"}, {"items", converted(schema.element.front(), Form::whole)}};
    case Kind::parameter:
      return reference(schema.zero, form);
    case Kind::stated:
      return stated({{"type", "string"}}, form);
    case Kind::choice:
      return {{"enum", schema.choices}};
    case Kind::count:
      return {{"type", "integer"}, {"minimum", 1}, {"maximum", schema.most}};
    case Kind::share:
      return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
    case Kind::text:
      break;
  }
  return {{"type", "string"}};
}

Json converted(const Schema& schema, Form form) {
  return or_null(plain(schema, form), form);
}

}  // namespace

Json json_schema() {
  Json definitions = Json::object();
  for (bool zero : {false, true})
    for (Form form : {Form::whole, Form::overlay})
      definitions[reference(zero, form)["$ref"].get<std::string>().substr(14)] = parameter(zero, form);
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "collcast platform"},
          {"description", "Documented in docs/platforms.md. Made by `collcast platforms --schema`."},
          {"definitions", definitions},
          {"if", {{"type", "object"}, {"required", {"base"}}}},
          {"then", plain(platform_schema(), Form::overlay)},
          {"else", plain(platform_schema(), Form::whole)}};
}

}  // namespace collcast
