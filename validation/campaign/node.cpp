// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/node.hpp"

#include <algorithm>

#include "model/collective.hpp"
#include "model/sizes.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast::campaign {
namespace {

/// The value as it stands in the file, or its beginning.
std::string shown(const Json& json) {
  const std::string text = dump(json);
  return text.size() <= 80 ? text : text.substr(0, 80) + "...";
}

}  // namespace

void Node::only(const std::vector<std::string>& keys) const {
  if (!json_->is_object()) reject("must be an object, not " + shown(*json_));
  for (const auto& [key, value] : json_->items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    reject("unknown key '" + key + "'" + suggestion(key, keys));
  }
}

bool Node::has(const std::string& key) const {
  return json_->contains(key);
}

Node Node::at(const std::string& key) const {
  if (!has(key)) reject("'" + key + "' is missing");
  return {(*json_)[key], where_ + "." + key};
}

std::vector<Node> Node::items() const {
  if (!json_->is_array()) return {*this};
  if (json_->empty()) reject("must not be empty");
  std::vector<Node> all;
  for (std::size_t i = 0; i < json_->size(); ++i)
    all.emplace_back((*json_)[i], where_ + "[" + std::to_string(i) + "]");
  return all;
}

std::vector<std::string> Node::keys() const {
  if (!json_->is_object()) reject("must be an object, not " + shown(*json_));
  std::vector<std::string> all;
  for (const auto& [key, value] : json_->items()) all.push_back(key);
  return all;
}

std::string Node::text() const {
  if (!json_->is_string()) reject("must be a string, not " + shown(*json_));
  return json_->get<std::string>();
}

int Node::count(int least) const {
  constexpr std::int64_t most = 1 << 24;
  const bool whole =
      json_->is_number_unsigned() ? json_->get<std::uint64_t>() <= most : json_->is_number_integer();
  if (whole && json_->get<std::int64_t>() >= least && json_->get<std::int64_t>() <= most)
    return json_->get<int>();
  reject("must be a whole number from " + std::to_string(least) + " to 16777216, not " + shown(*json_));
}

double Node::number() const {
  if (json_->is_number() && json_->get<double>() >= 0) return json_->get<double>();
  reject("must be a number of 0 or more, not " + shown(*json_));
}

bool Node::flag() const {
  if (!json_->is_boolean()) reject("must be true or false, not " + shown(*json_));
  return json_->get<bool>();
}

Bytes Node::size() const {
  if (json_->is_number_integer() && json_->get<double>() >= 0) return Bytes(json_->get<double>());
  return guarded([&] { return parse_size(text()); });
}

}  // namespace collcast::campaign
