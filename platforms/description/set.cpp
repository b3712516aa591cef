// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <sstream>

#include "platforms/description/description.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

const std::string origin = "--set";

void collect(const Json* json, const Schema& schema, const std::string& path,
             std::vector<std::string>& paths) {
  const auto plain = [](const Schema& s) {
    return s.kind == Schema::Kind::text || s.kind == Schema::Kind::count;
  };
  if (schema.kind == Schema::Kind::object)
    for (const Schema& f : schema.fields)
      collect(json && json->contains(f.key) ? &(*json)[f.key] : nullptr, f, below(path, f.key), paths);
  else if (!schema.element.empty() && !plain(schema.element.front()))
    for (std::size_t i = 0; json && i < json->size(); ++i) {
      const auto it = std::next(json->begin(), static_cast<std::ptrdiff_t>(i));
      const std::string key = json->is_object() ? it.key() : std::to_string(i);
      collect(&*it, schema.element.front(), below(path, key), paths);
    }
  else
    paths.push_back(path);
}

std::string meant(const Description& d, const std::string& path, const std::vector<std::string>& paths) {
  const std::string words = did_you_mean(path, paths, "");
  return words.empty() ? "`collcast platforms " + d.name() + " --all` lists them" : words;
}

template <class T>
Json number(const std::string& path, const std::string& text, const char* wanted) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) reject(origin, path, "'" + text + "' is not " + wanted);
  return value;
}

Json value_of(const Schema& schema, const std::string& path, const std::string& text) {
  using Kind = Schema::Kind;
  if (schema.kind == Kind::parameter)
    return {{"value", number<double>(path, text, "a number")}, {"source", origin}, {"stamp", "what-if"}};
  if (schema.kind == Kind::count) return number<std::int64_t>(path, text, "an integer");
  if (schema.kind != Kind::list) return text;
  Json list = Json::array();
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');)
    list.push_back(value_of(schema.element.front(), path, item));
  return list;
}

void assign(Json& json, const Schema& schema, const std::string& path, const std::string& text) {
  Json* at = &json;
  const Schema* form = &schema;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    form = find(*form, key);
    at = at->is_array() ? &(*at)[std::stoul(key)] : &(*at)[key];
  }
  *at = value_of(*form, path, text);
  check(*at, *form, origin, path);
}

}  // namespace

std::vector<std::string> settable_paths(const Description& description) {
  std::vector<std::string> paths;
  collect(&description.json(), platform_schema(), "", paths);
  std::erase(paths, "base");
  return paths;
}

void set_all(Description& description, const std::vector<std::string>& assignments) {
  if (assignments.empty()) return;
  const std::vector<std::string> paths = settable_paths(description);
  Json json = description.json();
  for (const std::string& a : assignments) {
    const std::size_t equals = a.find('=');
    const std::string path = a.substr(0, equals);
    if (equals == std::string::npos) reject(origin, a, "needs a value: " + a + "=...");
    if (std::ranges::find(paths, path) == paths.end())
      reject(origin, path, description.name() + " has no such parameter; " + meant(description, path, paths));
    assign(json, platform_schema(), path, a.substr(equals + 1));
  }
  description = Description(description.name(), description.file(), std::move(json));
}

void set(Description& description, const std::string& assignment) {
  set_all(description, {assignment});
}

}  // namespace collcast
