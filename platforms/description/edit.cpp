// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/edit.hpp"

#include <algorithm>

#include "support/json.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

constexpr int most_parts = 256;

const std::string links = "node.links.";

/// Reads the number that an edit sets. Only links may be 0.
int counted(const std::string& path, const std::string& text, const std::string& origin) {
  const int least = path.starts_with(links) ? 0 : 1;
  if (const auto n = number_in<int>(text); n && *n >= least && *n <= most_parts) return *n;
  reject(origin, path,
         "must be an integer from " + std::to_string(least) + " to " + std::to_string(most_parts) +
             ", not '" + text + "'");
}

/// What edits call a link: its kind, and its ends, as in gpu0-gpu1 and gpu1-gpu0.
std::vector<std::string> names(const Json& link) {
  const std::string a = link["between"][0], b = link["between"][1];
  return {link["kind"], a + '-' + b, b + '-' + a};
}

bool is_called(const Json& link, const std::string& name) {
  return std::ranges::any_of(names(link), [&](const std::string& own) { return own == name; });
}

/// An edit of one platform.
struct Edit {
  Json& platform;
  const std::string &path, &origin;

  Json& node() const { return platform["node"]; }
  [[noreturn]] void fail(const std::string& message) const { reject(origin, path, message); }

  /// The vertices of a kind, in the order of their numbers: nic2 before nic10.
  std::vector<std::string> of_kind(const std::string& kind) const {
    std::vector<std::string> names;
    for (const auto& [name, vertex] : node()["vertices"].items())
      if (vertex["kind"] == kind) names.push_back(name);
    std::ranges::stable_sort(names, {}, &std::string::size);
    return names;
  }

  static bool ends_at(const Json& link, const std::string& name) {
    return std::ranges::find(link["between"], Json(name)) != link["between"].end();
  }

  void remove(const std::string& name) const {
    node()["vertices"].erase(name);
    Json left = Json::array(), places = Json::array();
    for (const Json& link : node()["links"])
      if (!ends_at(link, name)) left.push_back(link);
    for (const Json& place : node()["ranks_on"])
      if (place != name) places.push_back(place);
    node()["links"] = std::move(left);
    node()["ranks_on"] = std::move(places);
  }

  /// A free name for the `number`th vertex like `name`: "nic7" after nic3.
  std::string free_name(const std::string& name, std::size_t number) const {
    const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    while (node()["vertices"].contains(stem + std::to_string(number))) ++number;
    return stem + std::to_string(number);
  }

  void add_like(const std::string& model, const std::string& name,
                const std::vector<std::string>& alike) const {
    Json more = Json::array();
    for (Json link : node()["links"]) {
      if (!ends_at(link, model)) continue;
      for (Json& end : link["between"])
        if (end == model)
          end = name;
        else if (std::ranges::find(alike, end.get<std::string>()) != alike.end())
          fail(model + " has a link to " + end.get<std::string>() +
               ": where another one would be linked is not clear; at most " + std::to_string(alike.size()));
      more.push_back(std::move(link));
    }
    node()["vertices"][name] = node()["vertices"][model];
    for (Json& link : more) node()["links"].push_back(std::move(link));
    Json& places = node()["ranks_on"];
    if (std::ranges::find(places, Json(model)) != places.end()) places.push_back(name);
  }

  /// Removes vertices so that `wanted` stay. These are spread evenly, so that sockets and switches keep their
  /// shares: of eight, half are 0, 2, 4, 6.
  void remove_evenly(const std::vector<std::string>& there, std::size_t wanted) const {
    const std::size_t all = there.size();
    const auto kept_before = [&](std::size_t i) { return (i * wanted + all - 1) / all; };
    for (std::size_t i = 0; i < all; ++i)
      if (kept_before(i) == kept_before(i + 1)) remove(there[i]);
  }

  void resize(const std::string& kind, const std::string& value) const {
    const std::vector<std::string> there = of_kind(kind);
    const auto wanted = static_cast<std::size_t>(counted(path, value, origin));
    if (there.empty()) fail("there is no " + kind + " to begin with");
    const std::size_t places = node()["ranks_on"].size();
    if (places == 0) fail("there is no place for a rank to begin with");
    if (wanted < there.size()) remove_evenly(there, wanted);
    for (std::size_t i = there.size(); i < wanted; ++i) {
      const std::string& model = there[i % there.size()];
      add_like(model, free_name(model, i), there);
    }
    if (node()["ranks_on"].empty()) fail("leaves no place for a rank");
    node()["ranks_per_node"] =
        node()["ranks_per_node"].get<std::size_t>() / places * node()["ranks_on"].size();
    follow(there.size(), wanted, kind);
  }

  /// If the network has a switch for each NIC of a node, it goes on to have one for each.
  void follow(std::size_t before, std::size_t now, const std::string& kind) const {
    Json& network = platform["network"];
    if (kind == "nic" && before > 1 && network.contains("switches_per_node") &&
        network["switches_per_node"] == before)
      network["switches_per_node"] = now;
  }

  void count_links(const std::string& which, const std::string& value) const {
    const int count = counted(path, value, origin);
    Json left = Json::array();
    for (Json link : node()["links"]) {
      const bool meant = is_called(link, which);
      if (meant) link["count"] = count;
      if (!meant || count > 0) left.push_back(std::move(link));
    }
    node()["links"] = std::move(left);
  }

  void exchange_links(const std::string& which, const std::string& other) const {
    for (Json& link : node()["links"])
      if (is_called(link, which)) link["kind"] = other;
  }
};

}  // namespace

std::vector<std::string> edits(const Json& platform) {
  std::vector<std::string> paths = {"node.nics", "node.gpus"};
  std::vector<std::string> called;
  const Json& node = platform["node"];
  if (!node.contains("links")) return paths;
  for (const Json& link : node["links"])
    for (const std::string& name : names(link)) {
      if (std::ranges::find(called, name) != called.end()) continue;
      called.push_back(name);
      for (const char* what : {".count", ".kind"}) paths.push_back(links + name + what);
    }
  return paths;
}

bool edits_a_count(const std::string& path) {
  return path == "node.nics" || path == "node.gpus" || (path.starts_with(links) && path.ends_with(".count"));
}

void check_edit(const std::string& path, const std::string& value, const std::string& origin) {
  if (edits_a_count(path)) counted(path, value, origin);
}

void edit(Json& platform, const std::string& path, const std::string& value, const std::string& origin) {
  const Edit e{platform, path, origin};
  if (path == "node.nics") return e.resize("nic", value);
  if (path == "node.gpus") return e.resize("gpu", value);
  const std::size_t end = path.rfind('.');
  const std::string which = path.substr(links.size(), end - links.size());
  if (path.substr(end) == ".count") return e.count_links(which, value);
  e.exchange_links(which, value);
}

}  // namespace collcast
