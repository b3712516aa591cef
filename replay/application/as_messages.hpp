// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "model/fabric.hpp"
#include "replay/application/collectives.hpp"
#include "replay/source/merged.hpp"

namespace collcast {

/// Numbers the tags of a program's messages; tags of collectives get numbers from `first_collective_tag` on.
class MessageTags {
 public:
  int operator()(std::uint64_t tag);

 private:
  std::map<std::uint64_t, int> numbers_;
  int messages_ = 0, collectives_ = first_collective_tag;
};

/// The collectives that were played, as losses of a format that writes them as messages. `recorded`: wall
/// clock times ranks.
std::vector<Loss> written_as_messages(const Collectives& collectives, Seconds recorded);

/// A source for formats that lack some collectives. A collective for which `held` is false becomes the
/// messages of the algorithm that `selection` chooses, and the time of its reductions on `fabric`. Each rank
/// has one stream, which has to be read once and to its end. A nonblocking collective that becomes messages
/// blocks its rank; the channels of an algorithm advance together, step by step.
class AsMessages : public Source {
 public:
  using Held = std::function<bool(const Activity&)>;
  AsMessages(const Source& source, Selection& selection, const Fabric& fabric, Held held);

  const SourceInfo& info() const override { return source_.info(); }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return source_.communicators(); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override;

  /// What was lost in the streams that were read.
  std::vector<Loss> losses() const;

 private:
  class OfRank;

  /// What the ranks' streams share.
  struct Shared {
    Collectives collectives;
    const Fabric& fabric;
    Held held;
    MessageTags tags;
    LossSums held_up;
  };

  OneStream source_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace collcast
