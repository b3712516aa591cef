// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/listing_file.hpp"

#include "algorithms/exchange/best_segments.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr std::int64_t listing_version = 1;
constexpr Rank most_listed_ranks = 4096;
constexpr Block most_blocks = Block{1} << 40;

Json written(const Listed& m) {
  Json pieces = Json::array();
  for (const Chunk& piece : m.pieces) pieces.push_back({piece.first, piece.count});
  return {{"from", m.from},
          {"to", m.to},
          {"combine", m.combine == Combine::reduce ? "reduce" : "copy"},
          {"blocks", std::move(pieces)}};
}

Combine combine(const FileObject& object, const std::string& where) {
  const std::string word = object.text("combine");
  if (word != "copy" && word != "reduce")
    throw InputError(where + ": 'combine' has to be copy or reduce, not '" + word + "'");
  return word == "reduce" ? Combine::reduce : Combine::copy;
}

Listed message(const Json& json, const std::string& where, const Listing& listing) {
  const FileObject object(json, where, {"from", "to", "combine", "blocks"});
  const auto rank = [&](const char* key) {
    return static_cast<Rank>(object.number(key, 0, listing.ranks - 1));
  };
  Listed m{rank("from"), rank("to"), combine(object, where), {}};
  for (const Json& piece : object.list("blocks")) {
    if (!piece.is_array() || piece.size() != 2)
      throw InputError(where + ": blocks are the first and how many, [0, 1]");
    const Block first = object.number(piece[0], "a block", 0, listing.blocks - 1);
    m.pieces.push_back({first, object.number(piece[1], "a number of blocks", 1, listing.blocks - first)});
  }
  return m;
}

}  // namespace

std::string write_listing(const Listing& listing, const Algorithm& a, Rank root,
                          const std::string& made_for) {
  Json steps = Json::array();
  for (const auto& step : listing.steps) {
    Json messages = Json::array();
    for (const Listed& m : step) messages.push_back(written(m));
    steps.push_back(std::move(messages));
  }
  const Definition& d = definition(a.collective);
  Json json{{"format", listing_format},
            {"version", listing_version},
            {"collective", d.name},
            {"name", a.name},
            {"made_for", made_for},
            {"ranks", listing.ranks},
            {"root", d.rooted ? Json(root) : Json()},
            {"blocks", listing.blocks},
            {"steps", std::move(steps)}};
  write_best_segments(json, a.best_segments);
  return dump(json) + "\n";
}

ImportedAlgorithm parse_listing(const Json& json, const std::string& file) {
  const FileObject object(json, file,
                          {"format", "version", "collective", "name", "made_for", "ranks", "root", "blocks",
                           "steps", "message_bytes", "segments"});
  object.number("version", listing_version, listing_version);
  const Definition& d = definition(object.text("collective"));
  Listing listing;
  listing.ranks = static_cast<Rank>(object.number("ranks", 1, most_listed_ranks));
  listing.blocks = object.number("blocks", 1, most_blocks);
  if (const Block least = d.blocks(listing.ranks); listing.blocks % least != 0)
    throw InputError(file + ": 'blocks' has to be a multiple of " + std::to_string(least) + ", not " +
                     std::to_string(listing.blocks));
  for (const Json& step : object.list("steps")) {
    const std::string where = file + ": step " + std::to_string(listing.steps.size());
    if (!step.is_array()) throw InputError(where + " has to be a list of messages");
    auto& messages = listing.steps.emplace_back();
    for (const Json& m : step) messages.push_back(message(m, where, listing));
  }
  ImportedAlgorithm imported;
  imported.ranks = listing.ranks;
  imported.root = d.rooted ? static_cast<Rank>(object.number("root", 0, listing.ranks - 1)) : 0;
  imported.algorithm = algorithm_of(listing, d.collective, object.text("name"));
  imported.algorithm.best_segments = read_best_segments(object);
  try {
    imported.wrong = prove(schedule(listing, 1), d.collective, imported.root);
  } catch (const InputError& e) {
    throw InputError(file + ": " + e.what());
  }
  return imported;
}

}  // namespace collcast
