// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/forest_file.hpp"

#include "algorithms/exchange/best_segments.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr std::string_view format = "collcast forest";
constexpr std::int64_t version = 1;

constexpr Rank most_ranks = 4096;
constexpr std::int64_t most_trees = 65535;

Tree tree(const Json& json, const std::string& where, Rank ranks) {
  const FileObject object(json, where, {"root", "count", "edges"});
  Tree t{static_cast<Rank>(object.number("root", 0, ranks - 1)), object.number("count", 1, most_trees), {}};
  for (const Json& edge : object.list("edges")) {
    if (!edge.is_array() || edge.size() != 2) throw InputError(where + ": an edge is two ranks, [0, 1]");
    const auto rank = [&](const Json& r) {
      return static_cast<Rank>(object.number(r, "a rank", 0, ranks - 1));
    };
    t.edges.push_back({rank(edge[0]), rank(edge[1])});
  }
  return t;
}

}  // namespace

std::string write_forest(const Forest& forest, Collective collective, Rank root, const std::string& made_for,
                         const std::optional<BestSegments>& best) {
  Json trees = Json::array();
  for (const Tree& t : forest.trees) {
    Json edges = Json::array();
    for (const auto& [from, to] : t.edges) edges.push_back({from, to});
    trees.push_back({{"root", t.root}, {"count", t.count}, {"edges", std::move(edges)}});
  }
  Json json{{"format", format},
            {"version", version},
            {"collective", definition(collective).name},
            {"name", "synthesized"},
            {"made_for", made_for},
            {"ranks", forest.ranks},
            {"root", definition(collective).rooted ? Json(root) : Json()},
            {"trees_per_root", forest.trees_per_root},
            {"trees", std::move(trees)}};
  write_best_segments(json, best);
  return dump(json) + "\n";
}

ImportedAlgorithm parse_forest(const Json& json, const std::string& file) {
  const FileObject object(json, file,
                          {"format", "version", "collective", "name", "made_for", "ranks", "root",
                           "trees_per_root", "trees", "message_bytes", "segments"});
  if (object.text("format") != format)
    throw InputError(file + ": 'format' has to be '" + std::string(format) + "'");
  object.number("version", version, version);
  const Definition& d = definition(object.text("collective"));
  if (!plays_forests(d.collective)) throw InputError(file + ": trees do not play " + std::string(d.name));
  Forest forest;
  forest.ranks = static_cast<Rank>(object.number("ranks", 1, most_ranks));
  forest.trees_per_root = object.number("trees_per_root", 1, most_trees);
  for (const Json& t : object.list("trees"))
    forest.trees.push_back(tree(t, file + ": tree " + std::to_string(forest.trees.size()), forest.ranks));
  ImportedAlgorithm imported;
  imported.ranks = forest.ranks;
  imported.root = d.rooted ? static_cast<Rank>(object.number("root", 0, forest.ranks - 1)) : 0;
  imported.algorithm = algorithm_of(forest, d.collective, imported.root, object.text("name"));
  imported.algorithm.best_segments = read_best_segments(object);
  try {
    imported.wrong = prove(schedule(forest, d.collective, imported.root, 1), d.collective, imported.root);
  } catch (const InputError& e) {
    throw InputError(file + ": " + e.what());
  }
  return imported;
}

}  // namespace collcast
