// SPDX-License-Identifier: Apache-2.0
#include "replay/source/rebucketed.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "support/error.hpp"
#include "support/index.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using Stream = RecordedSource::Stream;

/// [B] The largest element of a tensor. Buckets end between elements.
constexpr double element = 8;
/// The most buckets of a backward pass.
constexpr double most_buckets = 10'000;

bool is_bucket(const Activity& a, std::size_t stream) {
  return stream > 0 && a.kind == Kind::collective && a.collective == Collective::allreduce && a.sized &&
         a.request < 0;
}
/// Whether the activity may stand between two buckets. A kernel, which has a begin, may not.
bool is_between(const Activity& a) {
  return a.kind == Kind::await || a.kind == Kind::record || (a.kind == Kind::pause && a.begin < Seconds(0));
}

/// An allreduce of a rank beside the computation: the k-th of its communicator.
struct Bucket {
  std::size_t stream, item;
  Bytes bytes;
  bool follows;         ///< it follows the bucket before on its stream, with nothing between
  std::int64_t behind;  ///< the last bucket that this one awaits; -1: none
};

/// A rank's streams, and what is in them.
class RankBuckets {
 public:
  std::vector<Stream> streams;
  std::map<int, std::vector<Bucket>> buckets;  ///< by communicator

  RankBuckets(const Source& source, Rank rank) {
    for (int s = 0; s < source.streams(rank); ++s) {
      Stream& all = streams.emplace_back();
      Activity a;
      for (const auto stream = source.stream(rank, s); stream->next(a);) all.push_back(a);
    }
    find();
  }

 private:
  using Done = std::map<int, std::int64_t>;  ///< by communicator: last bucket that is done

  static void join(Done& done, const Done& other) {
    for (const auto& [c, last] : other) {
      std::int64_t& mine = done.try_emplace(c, -1).first->second;
      mine = std::max(mine, last);
    }
  }

  /// Finds the buckets. Streams go on as long as what they await has been recorded.
  void find() {
    struct Going {
      std::size_t item = 0;
      Done done, awaited;
      std::vector<Done> recorded;
      int last = -1;  ///< communicator of the bucket before, if nothing came since; else -1
    };
    std::vector<Going> going(streams.size());
    const auto step = [&](std::size_t s) {
      Going& g = going[s];
      const Activity& a = streams[s][g.item];
      if (a.kind == Kind::await) {
        if (to_index(a.stream) >= going.size() ||
            to_index(a.count) > going[to_index(a.stream)].recorded.size())
          return false;
        if (a.count > 0) join(g.awaited, going[to_index(a.stream)].recorded[to_index(a.count - 1)]);
      }
      join(g.done, g.awaited);
      if (a.kind == Kind::record) g.recorded.push_back(g.done);
      if (is_bucket(a, s)) {
        auto& mine = buckets[a.communicator];
        const auto known = g.awaited.find(a.communicator);
        mine.push_back({s, g.item, a.message, g.last == a.communicator && mine.back().stream == s,
                        known == g.awaited.end() ? -1 : known->second});
        g.done[a.communicator] = static_cast<std::int64_t>(mine.size()) - 1;
        g.last = a.communicator;
      } else if (!is_between(a)) {
        g.last = -1;
      }
      return true;
    };
    for (bool went = true; went;) {
      went = false;
      for (std::size_t s = 0; s < streams.size(); ++s)
        for (; going[s].item < streams[s].size() && step(s); ++going[s].item) went = true;
    }
  }
};

/// A new bucket. It ends at this part of a recorded bucket.
struct Piece {
  std::size_t bucket;
  double part;
  Bytes bytes;
};
/// The recorded buckets of a backward pass, and the new ones that replace them.
struct Run {
  std::size_t first, last;
  std::vector<Piece> pieces;
};

std::vector<Piece> cut(const std::vector<Bytes>& buckets, std::size_t first, std::size_t last, double size) {
  std::vector<Piece> pieces;
  const bool keeps_first = buckets[first] < buckets[first + 1] && buckets[first].value < size;
  double room = keeps_first ? buckets[first].value : size, filled = 0;
  for (std::size_t k = first; k <= last; ++k) {
    const double bytes = buckets[k].value;
    double done = 0;
    while (filled + (bytes - done) >= room) {
      done += room - filled;
      pieces.push_back({k, bytes > 0 ? done / bytes : 1, Bytes(room)});
      filled = 0, room = size;
    }
    filled += bytes - done;
  }
  if (filled > 0) pieces.push_back({last, 1, Bytes(filled)});
  return pieces;
}

/// Rewrites one rank's streams with the new buckets.
class Rewriting {
 public:
  Rewriting(RankBuckets rank, const std::map<int, std::vector<Run>>& plans)
      : rank_(std::move(rank)), records_(rank_.streams.size()), numbers_(rank_.streams.size()) {
    for (std::size_t i = 0; i < rank_.streams[0].size(); ++i)
      if (rank_.streams[0][i].kind == Kind::record) at_record_.push_back(i);
    for (const auto& [c, mine] : rank_.buckets)
      if (const auto plan = plans.find(c); plan != plans.end())
        for (const Run& run : plan->second) runs_[mine[run.first].stream].push_back({&run, &mine});
  }

  std::vector<Stream> streams() {
    std::vector<Stream> all(rank_.streams.size());
    for (std::size_t s = 1; s < all.size(); ++s) all[s] = side(s);
    all[0] = first();
    for (Stream& s : all)
      for (Activity& a : s)
        if (a.kind == Kind::await) a.count = number(a);
    return all;
  }

 private:
  struct Placed {
    const Run* run;
    const std::vector<Bucket>* buckets;
    std::size_t begin(std::size_t k) const { return (*buckets)[k].item; }
  };
  /// A new record of stream 0: before an item, or `after` the item's begin.
  struct Inserted {
    std::size_t item;
    Seconds after;
    std::int64_t id;
  };

  std::int64_t number(const Activity& a) const {
    if (a.count < 0) return inserted_number_[to_index(-a.count - 1)];
    const auto& all = numbers_[to_index(a.stream)];
    return a.count > 0 && to_index(a.count) <= all.size() ? all[to_index(a.count - 1)] : a.count;
  }

  /// Adds a record to a stream.
  void record(std::size_t stream, Stream& to) {
    to.emplace_back().kind = Kind::record;
    ++records_[stream];
  }
  void copy(std::size_t stream, const Activity& a, Stream& to) {
    if (a.kind != Kind::record) return to.push_back(a);
    record(stream, to);
    numbers_[stream].push_back(records_[stream]);
  }

  Stream side(std::size_t s) {
    auto& runs = runs_[s];
    std::ranges::sort(runs, {}, [](const Placed& p) { return p.begin(p.run->first); });
    const Stream& was = rank_.streams[s];
    Stream now;
    std::size_t item = 0;
    for (const Placed& placed : runs) {
      std::size_t begin = placed.begin(placed.run->first);
      while (begin > item && was[begin - 1].kind != Kind::record && is_between(was[begin - 1])) --begin;
      for (; item < begin; ++item) copy(s, was[item], now);
      item = rewrite(s, placed, begin, now);
    }
    for (; item < was.size(); ++item) copy(s, was[item], now);
    return now;
  }

  /// What stands before a recorded bucket, and the number of records behind it.
  struct Around {
    Stream awaits, gaps;
    std::int64_t ready = 0;  ///< the record of stream 0 that the bucket awaits
    int records = 0;
  };

  std::vector<Around> around(std::size_t s, const Placed& placed, std::size_t& item) const {
    const Stream& was = rank_.streams[s];
    const Run& run = *placed.run;
    std::vector<Around> all(run.last - run.first + 1);
    for (std::size_t k = 0; k < all.size(); ++k) {
      Around& mine = all[k];
      if (k > 0) mine.ready = all[k - 1].ready;
      for (; item < placed.begin(run.first + k); ++item) {
        const Activity& a = was[item];
        if (a.kind == Kind::record) ++all[k - 1].records;
        if (a.kind == Kind::pause) mine.gaps.push_back(a);
        if (a.kind == Kind::await) mine.awaits.push_back(a);
        if (a.kind == Kind::await && a.stream == 0) mine.ready = std::max(mine.ready, a.count);
      }
      ++item;
    }
    for (; item < was.size() && was[item].kind == Kind::record; ++item) ++all.back().records;
    return all;
  }

  /// Writes the new buckets of a run that begins at `item`; returns the item after the run.
  std::size_t rewrite(std::size_t s, const Placed& placed, std::size_t item, Stream& now) {
    const Run& run = *placed.run;
    const std::vector<Around> buckets = around(s, placed, item);
    const Activity like = rank_.streams[s][placed.begin(run.first)];
    std::size_t next = 0;  // the first recorded bucket that no new one has ended
    std::ptrdiff_t ended = -1;
    for (const Piece& piece : run.pieces) {
      const std::size_t last = piece.bucket - run.first;
      const std::size_t done = piece.part >= 1 ? last + 1 : last;
      const bool whole = done == next + 1 && done == last + 1 &&
                         piece.bytes == rank_.streams[s][placed.begin(piece.bucket)].message;
      int records = 0;
      for (std::size_t k = next; k < done; ++k) {
        now.insert(now.end(), buckets[k].awaits.begin(), buckets[k].awaits.end());
        records += buckets[k].records;
      }
      if (done == last) part(buckets, last, piece.part, now);
      if (static_cast<std::ptrdiff_t>(last) != ended)
        now.insert(now.end(), buckets[last].gaps.begin(), buckets[last].gaps.end());
      ended = static_cast<std::ptrdiff_t>(last);
      Activity a = whole ? rank_.streams[s][placed.begin(piece.bucket)] : like;
      a.message = piece.bytes;
      if (!whole) a.begin = a.duration = Seconds(-1), a.time = Seconds();
      now.push_back(a);
      if (records > 0) record(s, now);
      numbers_[s].insert(numbers_[s].end(), to_index(records), records_[s]);
      next = done;
    }
    return item;
  }

  /// Awaits the point of the computation at which this part of a bucket is ready.
  void part(const std::vector<Around>& buckets, std::size_t k, double part, Stream& now) {
    const Around& mine = buckets[k];
    const std::int64_t from = k > 0 ? buckets[k - 1].ready : 0;
    const bool within = k > 0 && from > 0 && mine.ready > from && to_index(mine.ready) <= at_record_.size();
    for (const Activity& a : mine.awaits)
      if (!within || a.stream != 0) now.push_back(a);
    if (!within) return;
    const Stream& computing = rank_.streams[0];
    const auto lasts = [](const Activity& a) {
      return a.kind == Kind::compute || a.kind == Kind::pause ? a.time : Seconds();
    };
    const std::size_t begin = at_record_[to_index(from - 1)] + 1, end = at_record_[to_index(mine.ready - 1)];
    Seconds all, before;
    for (std::size_t i = begin; i < end; ++i) all += lasts(computing[i]);
    std::size_t item = begin;
    while (item < end && before + lasts(computing[item]) < part * all) before += lasts(computing[item++]);
    inserted_.push_back({item, item < end ? part * all - before : Seconds(),
                         static_cast<std::int64_t>(inserted_.size()) + 1});
    now.push_back(await_activity(0, -inserted_.back().id));
  }

  /// Stream 0 with the inserted records.
  Stream first() {
    std::ranges::stable_sort(inserted_, {},
                             [](const Inserted& i) { return std::pair(i.item, i.after.value); });
    inserted_number_.resize(inserted_.size());
    Stream now;
    auto next = inserted_.begin();
    for (std::size_t i = 0; i < rank_.streams[0].size(); ++i) {
      Activity a = rank_.streams[0][i];
      Seconds done;
      for (; next != inserted_.end() && next->item == i; ++next) {
        split(a, next->after - done, now);
        done = next->after;
        record(0, now);
        inserted_number_[to_index(next->id - 1)] = records_[0];
      }
      copy(0, a, now);
    }
    return now;
  }
  /// Splits the first part off an activity, and adds it to `to`.
  static void split(Activity& a, Seconds first, Stream& to) {
    if (first <= Seconds()) return;
    Activity head = a;
    head.time = first;
    if (a.duration >= Seconds()) head.duration = first, a.duration = a.duration - first;
    if (a.begin >= Seconds()) a.begin += first;
    a.time = a.time - first;
    to.push_back(std::move(head));
  }

  RankBuckets rank_;
  std::map<std::size_t, std::vector<Placed>> runs_;  ///< by stream
  std::vector<std::size_t> at_record_;               ///< by record of stream 0: its item
  std::vector<Inserted> inserted_;
  std::vector<std::int64_t> records_;               ///< records so far, by stream
  std::vector<std::vector<std::int64_t>> numbers_;  ///< by stream: the new number of each old record
  std::vector<std::int64_t> inserted_number_;
};

class Rebucketing {
 public:
  Rebucketing(const Source& source, Bytes size) : source_(source), size_(size) {
    for (const Rank r : recorded_ranks(source)) add(r);
  }

  std::unique_ptr<RecordedSource> source() {
    plan();
    auto now = std::make_unique<RecordedSource>(source_.ranks());
    for (std::size_t c = 1; c < source_.communicators().size(); ++c)
      now->communicator(std::to_string(c), source_.communicators()[c]);
    now->info() = source_.info();
    now->info().notes.push_back("gradients in buckets of " + text::bytes(size_.value) + ": " +
                                text::count(was_) + " allreduces became " + text::count(is_));
    for (auto& [rank, mine] : ranks_) {
      std::vector<Stream> streams = Rewriting(std::move(mine), plans_).streams();
      for (std::size_t s = 0; s < streams.size(); ++s)
        now->at(rank, static_cast<int>(s)) = std::move(streams[s]);
    }
    return now;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(source_.info().name + ": " + why);
  }

  /// The buckets that all ranks of a communicator have in common.
  struct Common {
    Rank rank;
    std::vector<Bytes> bytes;
    std::vector<bool> follows;
    std::vector<std::int64_t> behind;
  };

  void add(Rank rank) {
    const RankBuckets& mine = ranks_.emplace(rank, RankBuckets(source_, rank)).first->second;
    for (const auto& [c, buckets] : mine.buckets) {
      Common has{rank, {}, {}, {}};
      for (const Bucket& b : buckets) {
        has.bytes.push_back(b.bytes);
        has.follows.push_back(b.follows);
        has.behind.push_back(b.behind);
      }
      Common& common = common_.try_emplace(c, has).first->second;
      if (common.bytes != has.bytes)
        refuse("ranks " + std::to_string(common.rank) + " and " + std::to_string(rank) +
               " differ in their allreduces, so --bucket cannot form them anew");
      for (std::size_t k = 0; k < has.bytes.size(); ++k) {
        common.follows[k] = common.follows[k] && has.follows[k];
        common.behind[k] = std::max(common.behind[k], has.behind[k]);
      }
    }
  }

  void plan() {
    const double size = std::max(element, std::floor(size_.value / element) * element);
    for (const auto& [c, common] : common_) {
      std::size_t first = 0;
      for (std::size_t k = 1; k <= common.bytes.size(); ++k) {
        if (k < common.bytes.size() && common.follows[k] &&
            common.behind[k] < static_cast<std::int64_t>(first))
          continue;
        if (k - first > 1) {
          require_few(common, first, k, size);
          plans_[c].push_back({first, k - 1, cut(common.bytes, first, k - 1, size)});
          was_ += static_cast<std::int64_t>(k - first), is_ += std::ssize(plans_[c].back().pieces);
        }
        first = k;
      }
    }
    if (plans_.empty())
      refuse(
          "has no two allreduces beside the computation that follow each other, as DDP's buckets do, for "
          "--bucket");
  }
  void require_few(const Common& common, std::size_t first, std::size_t end, double size) const {
    Bytes sum;
    for (std::size_t k = first; k < end; ++k) sum += common.bytes[k];
    if (sum.value / size > most_buckets)
      refuse("--bucket " + text::bytes(size_.value) + " cuts " + text::bytes(sum.value) +
             " of gradients into more than 10,000");
  }

  const Source& source_;
  Bytes size_;
  std::map<Rank, RankBuckets> ranks_;
  std::map<int, Common> common_;
  std::map<int, std::vector<Run>> plans_;
  std::int64_t was_ = 0, is_ = 0;  ///< old and new buckets of all communicators
};

}  // namespace

std::unique_ptr<RecordedSource> rebucketed(const Source& source, Bytes size) {
  return Rebucketing(source, size).source();
}

}  // namespace collcast
