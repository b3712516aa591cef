// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace collcast {

/// The tags by which observers of a run know which operation of a source they see.
class OperationTags {
 public:
  struct Operation {
    std::string name;
    Seconds lasting;  ///< once all its ranks have come; negative: as long as its messages
    bool own;         ///< a named pause of a single rank, and no communication
    auto operator<=>(const Operation&) const = default;
  };

  std::uint64_t of(std::string_view name, Seconds lasting = Seconds(-1), bool own = false) {
    const auto [tag, fresh] = tags_.try_emplace({std::string(name), lasting, own}, operations_.size() + 1);
    if (fresh) operations_.push_back(tag->first);
    return tag->second;
  }

  /// The operation with this tag; null: none has it.
  const Operation* operation(std::uint64_t tag) const {
    return tag == 0 || tag > operations_.size() ? nullptr : &operations_[tag - 1];
  }
  bool is_own(std::string_view name) const {
    return std::ranges::any_of(operations_, [&](const Operation& o) { return o.own && o.name == name; });
  }

 private:
  std::map<Operation, std::uint64_t> tags_;  ///< from 1
  std::vector<Operation> operations_;        ///< by tag
};

}  // namespace collcast
