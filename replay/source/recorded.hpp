// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/source/packed.hpp"
#include "replay/source/source.hpp"

namespace collcast {

/// A source in memory. Readers of small or unsorted formats fill it, and so do described jobs.
class RecordedSource : public Source {
 public:
  using Stream = std::vector<Activity>;

  explicit RecordedSource(Rank ranks);

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return static_cast<Rank>(streams_.size()); }
  const std::vector<std::vector<Rank>>& communicators() const override { return communicators_; }
  int streams(Rank rank) const override {
    return std::max(static_cast<int>(streams_[static_cast<std::size_t>(rank)].size()), 1);
  }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override;

  SourceInfo& info() { return info_; }
  /// The stream, made if it does not exist, and unpacked; its address stays the same.
  Stream& at(Rank rank, int stream = 0);
  /// Packs the rank's streams, unless they hold little, and leaves them empty for more.
  void pack(Rank rank);
  /// Visits all activities, rank by rank and stream by stream: `visit(rank, stream, activity)`.
  template <class Visit>
  void for_each(Visit visit) const {
    each_stream(*this, [&](Rank rank, int s, const Held& held) {
      PackedActivities::Reader packed(held.packed);
      while (const Activity* a = packed.next()) visit(rank, s, *a);
      for (const Activity& a : held.open) visit(rank, s, a);
    });
  }
  /// The same, and `visit` may change the activity. What is packed stays so.
  template <class Visit>
  void edit(Visit visit) {
    each_stream(*this, [&](Rank rank, int s, Held& held) {
      PackedActivities edited;
      PackedActivities::Reader packed(held.packed);
      while (const Activity* packed_one = packed.next()) {
        Activity a = *packed_one;
        visit(rank, s, a);
        edited.add(a);
      }
      held.packed = std::move(edited);
      for (Activity& a : held.open) visit(rank, s, a);
    });
  }
  /// The number of the communicator with this name, made with these ranks in this order if it does not exist.
  int communicator(const std::string& name, const std::vector<Rank>& ranks);
  /// Names a communicator. Ignored if it has a name already, or if the name is "undefined", which torch
  /// writes.
  void name(int communicator, const std::string& words) {
    if (communicator > 0 && !words.empty() && words != "undefined")
      info_.communicator_names.try_emplace(communicator, words);
  }
  /// A view of the text that lives as long as the source.
  std::string_view keep(std::string_view text);

 private:
  /// A stream: its first activities packed, the others as they are.
  struct Held {
    PackedActivities packed;
    Stream open;
  };
  class Reader;

  template <class Self, class Visit>
  static void each_stream(Self& self, Visit visit) {
    for (Rank r = 0; r < self.ranks(); ++r)
      for (int s = 0; const auto& held : self.streams_[static_cast<std::size_t>(r)]) {
        if (held) visit(r, s, *held);
        ++s;
      }
  }

  SourceInfo info_;
  std::vector<std::vector<Rank>> communicators_;
  std::map<std::pair<std::string, std::vector<Rank>>, int> numbers_;  ///< of communicators
  std::vector<std::vector<std::unique_ptr<Held>>> streams_;           ///< each made when it is first filled
  std::set<std::string, std::less<>> texts_;
};

}  // namespace collcast
