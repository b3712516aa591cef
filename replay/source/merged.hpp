// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "replay/source/source.hpp"

namespace collcast {

/// A rank's streams merged into one, for formats with a single order per rank. Stream 0 gives the order.
/// Collectives and messages of other streams become nonblocking: they begin as soon as what they await has
/// been recorded, and are waited for where stream 0 awaits them. Lost are the time that passes on other
/// streams alone, and the order of operations between which stream 0 does not wait. Requests are numbered
/// anew, from 0.
class Merged : public Activities {
 public:
  /// What merging a rank's streams loses.
  struct Lost {
    Seconds time;    ///< time that passes on other streams alone
    LossSums order;  ///< operations that begin while earlier ones of their stream may be under way
  };
  Merged(const Source& source, Rank rank, Lost* lost = nullptr);
  /// Throws InputError if streams await each other in a circle.
  bool next(Activity& activity) override;

 private:
  struct Stream {
    std::unique_ptr<Activities> activities;
    Activity ahead;
    bool has = false, ended = false;
    std::int64_t records = 0;
    std::vector<std::int64_t> begun;  ///< requests since the last record
    std::deque<std::pair<std::int64_t, std::vector<std::int64_t>>>
        recorded;  ///< requests by the record that follows them
  };

  bool look(Stream& stream);
  void pump();
  bool side(Stream& stream);
  void begin(Stream& stream, Activity& activity);
  void first();
  void await(int stream, std::int64_t count);
  void renumber(Activity& activity);

  const Source& source_;
  Rank rank_;
  std::vector<Stream> streams_;
  std::map<std::int64_t, std::int64_t> numbers_;
  std::int64_t requests_ = 0;
  std::deque<Activity> out_;
  Lost* lost_;
};

/// A source with the streams of each rank merged into one.
class OneStream : public Source {
 public:
  explicit OneStream(const Source& source) : source_(source) {}
  const SourceInfo& info() const override { return source_.info(); }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return source_.communicators(); }
  std::unique_ptr<Activities> stream(Rank rank, int) const override {
    lost_[rank] = {};
    return std::make_unique<Merged>(source_, rank, &lost_[rank]);
  }
  /// What was lost by merging, in the streams that were read.
  std::vector<Loss> losses() const;

 private:
  const Source& source_;
  mutable std::map<Rank, Merged::Lost> lost_;
};

}  // namespace collcast
