// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "platforms/description/schema.hpp"
#include "platforms/description/stamp.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

/// The beginning of a value, on one line.
std::string shown(const Json& json) {
  const std::string all = ascii(json);
  return all.size() <= 40 ? all : all.substr(0, 37) + "...";
}

/// Checks one file. Each check throws at the first thing that is wrong.
struct Checker {
  const std::string& file;

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    reject(file, path, message);
  }

  void unknown(const std::string& path, const std::string& key, const std::vector<std::string>& known) const {
    const std::string meant = did_you_mean(key, known, "");
    fail(below(path, key),
         "unknown key" + (meant.empty() ? "" : "; " + meant) + " (accepted here: " + join(known) + ")");
  }

  void object(const Json& json, const Schema& schema, const std::string& path) const {
    if (!json.is_object()) fail(path, "must be an object with the keys " + join(keys(schema)));
    for (const auto& [key, value] : json.items()) {
      const Schema* field = find(schema, key);
      if (!field) unknown(path, key, keys(schema));
      any(value, *field, below(path, key));
    }
    for (const Schema& f : schema.fields)
      if (f.required && !json.contains(f.key)) fail(path, "lacks the key " + f.key);
  }

  void map(const Json& json, const Schema& schema, const std::string& path) const {
    if (!json.is_object()) fail(path, "must be an object whose keys are names");
    if (json.size() > 256) fail(path, "has " + std::to_string(json.size()) + " entries; at most 256");
    for (const auto& [key, value] : json.items()) {
      name(key, path);
      any(value, schema.element.front(), below(path, key));
    }
  }

  void name(const std::string& key, const std::string& path) const {
    const bool good = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
      return std::isalnum(c) || c == '-' || c == '_';
    });
    if (!good) fail(path, "'" + key + "' is not a name; use letters, digits, - and _");
  }

  void list(const Json& json, const Schema& schema, const std::string& path) const {
    if (!json.is_array()) fail(path, "must be a list");
    for (std::size_t i = 0; i < json.size(); ++i)
      any(json[i], schema.element.front(), below(path, std::to_string(i)));
  }

  void parameter(const Json& json, const Schema& schema, const std::string& path) const {
    provenance(json, path, "number", {"value", "source", "stamp", "low", "high"});
    number(json["value"], schema, path);
    interval(json, schema, path);
  }

  void stated(const Json& json, const std::string& path) const {
    provenance(json, path, "\"...\"", {"value", "source", "stamp"});
    text(json["value"], below(path, "value"));
  }

  void provenance(const Json& json, const std::string& path, const std::string& value,
                  const std::vector<std::string>& known) const {
    if (!json.is_object())
      fail(path,
           R"(must be {"value": )" + value + R"(, "source": "...", "stamp": "..."}, not )" + shown(json));
    for (const auto& [key, of_key] : json.items())
      if (std::ranges::find(known, key) == known.end()) unknown(path, key, known);
    for (const char* key : {"value", "source", "stamp"})
      if (!json.contains(key)) fail(path, std::string("lacks its ") + key);
    if (!json["source"].is_string() || json["source"].get_ref<const std::string&>().empty())
      fail(below(path, "source"), "must say where the value comes from");
    if (!json["stamp"].is_string() || !parse_stamp(json["stamp"].get<std::string>()))
      fail(below(path, "stamp"), "must be measured, calibrated, datasheet, derived, guess or what-if");
  }

  void number(const Json& json, const Schema& schema, const std::string& path) const {
    const double v = json.is_number() ? json.get<double>() : std::nan("");
    if (!std::isfinite(v) || v < 0 || (v == 0 && !schema.zero))
      fail(path, std::string("must be a number ") + (schema.zero ? "of at least 0" : "above 0") + ", not " +
                     shown(json));
    if (v > 1e15 || (v > 0 && v < 1e-15)) fail(path, shown(json) + " is beyond any machine; mind the unit");
  }

  /// An interval has both ends or neither, and contains the value.
  void interval(const Json& json, const Schema& schema, const std::string& path) const {
    if (!json.contains("low") && !json.contains("high")) return;
    for (const char* key : {"low", "high"}) {
      if (!json.contains(key)) fail(path, std::string("lacks its ") + key);
      number(json[key], schema, below(path, key));
    }
    if (json["low"] > json["value"] || json["value"] > json["high"])
      fail(path, "low, value and high must not fall: " + dump(json["low"]) + ", " + dump(json["value"]) +
                     ", " + dump(json["high"]));
  }

  void count(const Json& json, const Schema& schema, const std::string& path) const {
    const std::int64_t n = json.is_number_integer() ? json.get<std::int64_t>() : 0;
    if (n < 1 || n > schema.most)
      fail(path, "must be an integer from 1 to " + std::to_string(schema.most) + ", not " + shown(json));
  }

  void share(const Json& json, const std::string& path) const {
    if (!json.is_number() || !(json.get<double>() >= 0 && json.get<double>() <= 1))
      fail(path, "must be a number from 0 to 1, not " + shown(json));
  }

  void choice(const Json& json, const Schema& schema, const std::string& path) const {
    if (!json.is_string() ||
        std::ranges::find(schema.choices, json.get<std::string>()) == schema.choices.end())
      fail(path, "must be one of " + join(schema.choices) + ", not " + shown(json));
  }

  void text(const Json& json, const std::string& path) const {
    if (!json.is_string()) fail(path, "must be a string, not " + shown(json));
    if (!is_utf8(json)) fail(path, "must be valid UTF-8");
  }

  void any(const Json& json, const Schema& schema, const std::string& path) const {
    switch (schema.kind) {
      case Schema::Kind::object:
        return object(json, schema, path);
      case Schema::Kind::map:
        return map(json, schema, path);
      case Schema::Kind::list:
        return list(json, schema, path);
      case Schema::Kind::parameter:
        return parameter(json, schema, path);
      case Schema::Kind::stated:
        return stated(json, path);
      case Schema::Kind::choice:
        return choice(json, schema, path);
      case Schema::Kind::count:
        return count(json, schema, path);
      case Schema::Kind::share:
        return share(json, path);
      case Schema::Kind::text:
        return text(json, path);
    }
  }
};

}  // namespace

void check(const Json& json, const Schema& schema, const std::string& file, const std::string& path) {
  Checker{file}.any(json, schema, path);
}

void reject(const std::string& file, const std::string& path, const std::string& message) {
  std::string line = file + ": " + (path.empty() ? "" : path + ": ") + message;
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, '?');
  throw InputError(line);
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace collcast
