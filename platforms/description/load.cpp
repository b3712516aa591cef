// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/load.hpp"

#include <algorithm>
#include <filesystem>

#include "platforms/description/embedded.hpp"
#include "platforms/description/parts.hpp"
#include "platforms/description/repeat.hpp"
#include "platforms/description/set.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

/// The shipped platform of this name. `parts`: also files that are no platform by themselves.
const EmbeddedPlatform* shipped(const std::string& name, bool parts) {
  const auto* end = embedded_platforms + embedded_platform_count + (parts ? embedded_part_count : 0);
  const auto* found = std::find_if(embedded_platforms, end, [&](const auto& p) { return name == p.name; });
  return found == end ? nullptr : found;
}

/// Reads a file. An InputError names `file`, whose base it is.
std::string read(const std::string& name, const std::string& file) {
  try {
    return read_file(name);
  } catch (const InputError& e) {
    throw InputError((file.empty() ? "" : file + ": base: ") + e.what());
  }
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

/// The base as seen from the current folder: a path in a file is relative to that file.
std::string seen_from(const std::string& file, const std::string& base) {
  if (shipped(base, true)) return base;
  const std::string path = (std::filesystem::path(file).parent_path() / base).lexically_normal().string();
  return is_path(base) || is_file(path) ? path : base;
}

/// The text of a platform or a base. `file`: the file whose base it is; empty for the platform itself.
Json text_of(const std::string& name, const std::string& file) {
  if (const EmbeddedPlatform* p = shipped(name, !file.empty())) return parse_json(p->text, name);
  if (is_path(name) || is_file(name)) {
    const std::string text = read(name, file);
    Json json = parse_json(text, name);
    if (!json.contains("base") && !json.contains("network") && !json.contains("node"))
      refuse_other_kinds(name, text, "the description of a machine");
    return json;
  }
  const std::vector<std::string> names = shipped_platforms();
  const std::string meant =
      name.find('=') == std::string::npos ? did_you_mean(name, names, "") : "parameters are what --set takes";
  throw InputError((file.empty() ? "" : file + ": base: ") + "there is no platform '" + name + "'" +
                   (meant.empty() ? "" : "; " + meant) + " (known: " + join(names) +
                   ", or the path of a .json file)");
}

/// Makes values without an interval remove the interval of the value that they replace.
void drop_intervals(Json& json) {
  if (!json.is_object()) return;
  if (json.contains("value") && !json.contains("low")) json["low"] = json["high"] = nullptr;
  for (Json& child : json) drop_intervals(child);
}

/// Makes the edits that the file asks for. Only their result has to be sound.
Json edited(Json json, const std::string& file) {
  if (!json.is_object() || !json.contains("edit")) return json;
  const Json edits = json["edit"];
  json.erase("edit");
  if (!edits.is_array() || !std::ranges::all_of(edits, [](const Json& e) { return e.is_string(); }))
    reject(file, "edit", R"(must be a list of strings, as in ["node.nics=1"])");
  expand_counts(json, file);
  draw_parts(json);
  check(json, platform_schema(), file);
  assign_all(json, file, edits.get<std::vector<std::string>>(), file + ": edit");
  return json;
}

/// Keeps software of the base that is bound by the port bound by it. If the file's bandwidth was measured or
/// calibrated, the software was measured with it, and stays.
void follow_file(Json& base, const Json& file) {
  const auto at = Json::json_pointer("/network/bandwidth_GBps");
  const auto GBps = [&](const Json& of) {
    const Json bandwidth = of.contains(at) && of[at].is_object() ? of[at].value("value", Json()) : Json();
    return bandwidth.is_number() ? bandwidth.get<double>() : 0;
  };
  const double before = GBps(base), after = GBps(file);
  if (!(before > 0 && after > 0)) return;
  const Json stamp = file[at].value("stamp", Json());
  if (stamp != "measured" && stamp != "calibrated") follow_port(base, before, after);
}

/// Lays `json` over the platform that its `base` names: objects merge, all else replaces.
Json resolve(Json json, const std::string& file, std::vector<std::string> chain) {
  if (!json.is_object() || !json.contains("base")) return edited(std::move(json), file);
  if (!json["base"].is_string()) reject(file, "base", "must be the name of a platform or the path of a file");
  const std::string base = seen_from(file, json["base"].get<std::string>());
  if (std::ranges::find(chain, base) != chain.end() || chain.size() > 16)
    reject(file, "base", "goes round: " + join(chain) + ", " + base);
  chain.push_back(base);
  Json merged = resolve(text_of(base, file), base, chain);
  json.erase("base");
  follow_file(merged, json);
  drop_intervals(json);
  merged.merge_patch(json);
  return edited(std::move(merged), file);
}

}  // namespace

std::vector<std::string> shipped_platforms() {
  std::vector<std::string> names;
  for (int i = 0; i < embedded_platform_count; ++i) names.emplace_back(embedded_platforms[i].name);
  return names;
}

Description parse_platform(const std::string& text, const std::string& name, const std::string& file) {
  return {name, file, resolve(parse_json(text, file), file, {name})};
}

Description load_platform(const std::string& name) {
  const std::string stem = shipped(name, false) ? name : std::filesystem::path(name).stem().string();
  return {stem, name, resolve(text_of(name, ""), name, {name})};
}

}  // namespace collcast
