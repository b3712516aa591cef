// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/units.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::campaign {

/// A JSON value that knows its path. Missing values and values of another kind than asked for throw an
/// InputError that names the path. The JSON has to outlive it.
class Node {
 public:
  Node(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

  [[noreturn]] void reject(const std::string& reason) const { throw InputError(where_ + ": " + reason); }

  /// Throws unless this is an object with no other keys than these.
  void only(const std::vector<std::string>& keys) const;
  /// Returns what `act` returns. If `act` throws InputError, adds the path.
  template <class Act>
  auto guarded(Act act) const {
    try {
      return act();
    } catch (const InputError& e) {
      if (std::string(e.what()).starts_with(where_)) throw;
      reject(e.what());
    }
  }

  bool has(const std::string& key) const;
  Node at(const std::string& key) const;
  /// The items of a list; a single value is a list of one.
  std::vector<Node> items() const;
  /// The keys of an object.
  std::vector<std::string> keys() const;
  std::string text() const;
  int count(int least) const;
  double number() const;
  bool flag() const;
  Bytes size() const;

 private:
  const Json* json_;
  std::string where_;
};

}  // namespace collcast::campaign
