// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/set.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "platforms/description/edit.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

const std::string by_user = "--set";

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

/// How messages name the platform whose parameters are set.
struct Names {
  const std::string &name, &file;
};

std::string meant(const Names& of, const std::string& path, const std::vector<std::string>& paths) {
  const std::string words = did_you_mean(path, paths, "");
  return words.empty() ? "`collcast platforms " + of.file + " --all` lists them" : words;
}

template <class T>
Json number(const std::string& path, const std::string& text, const char* wanted, const std::string& origin) {
  const auto value = number_in<T>(text);
  if (!value || !std::isfinite(static_cast<double>(*value)))
    reject(origin, path, "'" + text + "' is not " + wanted);
  return *value;
}

Json value_of(const Schema& schema, const std::string& path, const std::string& text,
              const std::string& origin) {
  using Kind = Schema::Kind;
  if ((schema.kind == Kind::parameter || schema.kind == Kind::stated) && origin != by_user)
    reject(origin, path, "is a parameter: give it in its place, with its source and stamp");
  if (schema.kind == Kind::parameter)
    return {
        {"value", number<double>(path, text, "a number", origin)}, {"source", origin}, {"stamp", "what-if"}};
  if (schema.kind == Kind::stated) return {{"value", text}, {"source", origin}, {"stamp", "what-if"}};
  if (schema.kind == Kind::share) return number<double>(path, text, "a number", origin);
  if (schema.kind == Kind::count) return number<std::int64_t>(path, text, "an integer", origin);
  if (schema.kind != Kind::list) return text;
  Json list = Json::array();
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');)
    list.push_back(value_of(schema.element.front(), path, item, origin));
  return list;
}

/// Software whose bandwidth is at least this share of the port's counts as bound by the port.
constexpr double bound_by_port = 0.8;

/// Scales a software bandwidth that is bound by the port with the port's. The description may not be sound
/// yet.
void scale(Json& costs, double before, double after) {
  if (!costs.is_object() || !costs.contains("bandwidth_GBps")) return;
  Json& bandwidth = costs["bandwidth_GBps"];
  if (!bandwidth.is_object() || !bandwidth.contains("value") || !bandwidth["value"].is_number()) return;
  if (bandwidth.value("stamp", Json()) == "what-if" ||
      bandwidth["value"].get<double>() < bound_by_port * before)
    return;
  for (const char* key : {"value", "low", "high"})
    if (bandwidth.contains(key) && bandwidth[key].is_number())
      bandwidth[key] = bandwidth[key].get<double>() * after / before;
  if (Json& source = bandwidth["source"]; source.is_string())
    source = source.get<std::string>() + "; as network.bandwidth_GBps";
  bandwidth["stamp"] = "derived";
}

void assign(Json& json, const Schema& schema, const std::string& path, const std::string& text,
            const std::string& origin) {
  Json* at = &json;
  const Schema* form = &schema;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    form = find(*form, key);
    at = at->is_array() ? &(*at)[std::stoul(key)] : &(*at)[key];
  }
  *at = value_of(*form, path, text, origin);
  check(*at, *form, origin, path);
}

std::vector<std::string> settable(const Json& json) {
  std::vector<std::string> paths;
  collect(&json, platform_schema(), "", paths);
  // Keys that say how a description is made are no part of it.
  std::erase_if(paths, [](const std::string& path) {
    return path == "base" || path == "edit" ||
           (path.starts_with("node.vertices.") && path.ends_with(".count"));
  });
  for (std::string& path : edits(json)) paths.push_back(std::move(path));
  return paths;
}

std::string path_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// Throws InputError if two assign to one parameter.
void refuse_twice(const std::vector<std::string>& assignments) {
  std::set<std::string> seen;
  for (const std::string& a : assignments)
    if (!seen.insert(path_of(a)).second) throw InputError(by_user + ": " + path_of(a) + " is set twice");
}

struct Paths {
  std::vector<std::string> all, edited;
  explicit Paths(const Json& json) : all(settable(json)), edited(edits(json)) {}
};

/// Makes an assignment. It is checked by itself; the platform as a whole may be unsound.
void assign(Json& json, const Names& of, const Paths& paths, const std::string& assignment,
            const std::string& origin) {
  const std::size_t equals = assignment.find('=');
  const std::string path = path_of(assignment);
  if (equals == std::string::npos) reject(origin, assignment, "needs a value: " + assignment + "=...");
  if (std::ranges::find(paths.all, path) == paths.all.end())
    reject(origin, path, of.name + " has no such parameter; " + meant(of, path, paths.all));
  const auto port = Json::json_pointer("/network/bandwidth_GBps/value");
  const double before = json.contains(port) ? json[port].get<double>() : 0;
  if (std::ranges::find(paths.edited, path) != paths.edited.end())
    edit(json, path, assignment.substr(equals + 1), origin);
  else
    assign(json, platform_schema(), path, assignment.substr(equals + 1), origin);
  if (path == "network.bandwidth_GBps" && before > 0) follow_port(json, before, json[port].get<double>());
}

}  // namespace

void follow_port(Json& json, double before, double after) {
  const auto between = Json::json_pointer("/software/between_nodes");
  if (!json.contains(between) || !json[between].is_object()) return;
  for (Json& memory : json[between]) {
    scale(memory, before, after);
    if (memory.is_object() && memory.contains("pieces") && memory["pieces"].is_array())
      for (Json& piece : memory["pieces"]) scale(piece, before, after);
  }
}

std::vector<std::string> settable_paths(const Description& description) {
  return settable(description.json());
}

void assign_all(Json& json, const std::string& file, const std::vector<std::string>& assignments,
                const std::string& origin) {
  const Paths paths(json);
  for (const std::string& a : assignments) assign(json, {file, file}, paths, a, origin);
}

void set_all(Description& description, const std::vector<std::string>& assignments) {
  if (assignments.empty()) return;
  refuse_twice(assignments);
  const Paths paths(description.json());
  Json json = description.json();
  for (const std::string& a : assignments)
    assign(json, {description.name(), description.file()}, paths, a, by_user);
  description = Description(description.name(), description.file(), std::move(json));
}

void check_values(const Description& description, const std::string& path,
                  const std::vector<std::string>& values) {
  const Paths paths(description.json());
  if (std::ranges::find(paths.edited, path) != paths.edited.end()) {
    for (const std::string& value : values) check_edit(path, value, by_user);
    return;
  }
  Json json = description.json();
  for (const std::string& value : values)
    assign(json, {description.name(), description.file()}, paths, path + '=' + value, by_user);
}

bool is_count(const std::string& path) {
  if (edits_a_count(path)) return true;
  const Schema* form = &platform_schema();
  std::istringstream keys(path);
  for (std::string key; form && std::getline(keys, key, '.');) form = find(*form, key);
  return form && form->kind == Schema::Kind::count;
}

void set(Description& description, const std::string& assignment) {
  set_all(description, {assignment});
}

}  // namespace collcast
