// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/repeat.hpp"

#include <algorithm>
#include <map>

#include "platforms/description/parts.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr int most_copies = 256;

/// How many vertices each vertex with a `count` stands for. What has another form is left for the check.
using Counts = std::map<std::string, int>;

std::string numbered(const std::string& name, int i) {
  return name + std::to_string(i);
}

Counts write_out_vertices(Json& vertices, const std::string& file) {
  Counts counts;
  Json all = Json::object();
  for (auto& [name, vertex] : vertices.items()) {
    if (!vertex.is_object() || !vertex.contains("count")) {
      all[name] = vertex;
      continue;
    }
    const std::string path = "node.vertices." + name;
    const Json count = vertex["count"];
    if (!count.is_number_integer() || count < 1 || count > most_copies)
      reject(file, path + ".count", "must be an integer from 1 to " + std::to_string(most_copies));
    vertex.erase("count");
    counts[name] = count.get<int>();
    for (int i = 0; i < counts[name]; ++i) {
      if (vertices.contains(numbered(name, i)))
        reject(file, path, "its " + numbered(name, i) + " is there already");
      all[numbered(name, i)] = vertex;
    }
  }
  vertices = std::move(all);
  return counts;
}

bool of_memory(const Json& node, const Json& link) {
  if (!link.contains("kind") || !link["kind"].is_string()) return false;
  const std::string kind = link["kind"];
  for (const Json* kinds :
       {node.contains("link_kinds") ? &node["link_kinds"] : nullptr, &shared_parts()["link_kinds"]})
    if (kinds && kinds->contains(kind) && (*kinds)[kind].is_object() && (*kinds)[kind].contains("type"))
      return (*kinds)[kind]["type"] == "memory";
  return false;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs within(const std::string& name, int count, bool memory) {
  Pairs all;
  for (int i = 0; i < count; ++i)
    for (int j = memory ? i : i + 1; j < (memory ? i + 1 : count); ++j)
      all.emplace_back(numbered(name, i), numbered(name, j));
  return all;
}

Pairs across(const std::string& a, const std::string& b, const Counts& counts, const std::string& file,
             const std::string& path) {
  const auto of = [&](const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  const int na = of(a), nb = of(b), n = std::max(na, nb);
  if (na > 0 && nb > 0 && n % std::min(na, nb) != 0)
    reject(file, path,
           std::to_string(na) + " " + a + " and " + std::to_string(nb) + " " + b +
               " do not divide; name them one by one");
  const auto nth = [&](const std::string& name, int count, int i) {
    return count == 0 ? name : numbered(name, i * count / n);
  };
  Pairs all;
  for (int i = 0; i < n; ++i) all.emplace_back(nth(a, na, i), nth(b, nb, i));
  return all;
}

Json write_out_links(const Json& node, const Counts& counts, const std::string& file) {
  Json all = Json::array();
  const Json& links = node["links"];
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Json& link = links[i];
    const bool plain = !link.is_object() || !link.contains("between") || !link["between"].is_array() ||
                       link["between"].size() != 2 || !link["between"][0].is_string() ||
                       !link["between"][1].is_string();
    if (plain) {
      all.push_back(link);
      continue;
    }
    const std::string a = link["between"][0], b = link["between"][1];
    if (!counts.contains(a) && !counts.contains(b)) {
      all.push_back(link);
      continue;
    }
    const Pairs pairs = a == b ? within(a, counts.at(a), of_memory(node, link))
                               : across(a, b, counts, file, "node.links." + std::to_string(i) + ".between");
    for (const auto& [from, to] : pairs) {
      all.push_back(link);
      all.back()["between"] = {from, to};
    }
  }
  return all;
}

Json write_out_names(const Json& names, const Counts& counts) {
  Json all = Json::array();
  for (const Json& name : names) {
    const auto found = name.is_string() ? counts.find(name.get<std::string>()) : counts.end();
    if (found == counts.end())
      all.push_back(name);
    else
      for (int i = 0; i < found->second; ++i) all.push_back(numbered(found->first, i));
  }
  return all;
}

}  // namespace

void expand_counts(Json& platform, const std::string& file) {
  if (!platform.is_object() || !platform.contains("node") || !platform["node"].is_object()) return;
  Json& node = platform["node"];
  if (!node.contains("vertices") || !node["vertices"].is_object()) return;
  const Counts counts = write_out_vertices(node["vertices"], file);
  if (counts.empty()) return;
  if (node.contains("links") && node["links"].is_array()) node["links"] = write_out_links(node, counts, file);
  if (node.contains("ranks_on") && node["ranks_on"].is_array())
    node["ranks_on"] = write_out_names(node["ranks_on"], counts);
}

}  // namespace collcast
