// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// A source that knows how far it was read, and so what a replay that stops early did not play. To be read
/// once.
class Followed : public Source {
 public:
  explicit Followed(const Source& source) : source_(source) {}
  const SourceInfo& info() const override { return source_.info(); }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return source_.communicators(); }
  int streams(Rank rank) const override { return source_.streams(rank); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override;

  struct Calls {
    std::int64_t all = 0, left = 0;
  };
  /// Calls over all ranks, by operation, and how many of them are left to play. The last call of a stream
  /// counts as left unless the reader asked for another one.
  std::map<std::string, Calls> communication() const;

 private:
  struct Progress {
    std::int64_t handed_out = 0;
    bool ended = false;
  };
  class Reader;
  const Source& source_;
  mutable std::map<std::pair<Rank, int>, Progress> progress_;
};

}  // namespace collcast
