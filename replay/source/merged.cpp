// SPDX-License-Identifier: Apache-2.0
#include "replay/source/merged.hpp"

#include <utility>

#include "support/error.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

bool begins_communication(const Activity& a) {
  return a.kind == Kind::collective || a.kind == Kind::send || a.kind == Kind::receive;
}

}  // namespace

Merged::Merged(const Source& source, Rank rank, Lost* lost) : source_(source), rank_(rank), lost_(lost) {
  for (int s = 0; s < source.streams(rank); ++s) streams_.emplace_back().activities = source.stream(rank, s);
}

bool Merged::next(Activity& activity) {
  while (out_.empty()) {
    pump();
    if (!out_.empty()) break;
    if (!look(streams_[0])) {
      for (std::size_t s = 1; s < streams_.size(); ++s)
        if (look(streams_[s]))
          throw InputError(source_.info().name + ": a stream of rank " + std::to_string(rank_) +
                           " awaits what is never recorded");
      return false;
    }
    first();
  }
  activity = std::move(out_.front());
  out_.pop_front();
  return true;
}

bool Merged::look(Stream& stream) {
  if (!stream.has && !stream.ended) stream.ended = !(stream.has = stream.activities->next(stream.ahead));
  return stream.has;
}

/// Lets the other streams go on as far as they can.
void Merged::pump() {
  for (bool went = true; went;) {
    went = false;
    for (std::size_t s = 1; s < streams_.size(); ++s)
      while (look(streams_[s]) && side(streams_[s])) went = true;
  }
}

/// Takes one activity of a stream other than the first; false if it has to wait.
bool Merged::side(Stream& stream) {
  Activity& a = stream.ahead;
  if (a.kind == Kind::await) {
    const auto other = static_cast<std::size_t>(a.stream);
    if (other >= streams_.size() || streams_[other].records < a.count) return false;
  } else if (a.kind == Kind::record) {
    ++stream.records;
    if (!stream.begun.empty()) stream.recorded.emplace_back(stream.records, std::exchange(stream.begun, {}));
  } else if (begins_communication(a)) {
    begin(stream, a);
  } else if (a.kind == Kind::exchange && a.request < 0) {
    for (const Kind half : {Kind::receive, Kind::send}) a.kind = half, a.request = -1, begin(stream, a);
  } else if (a.kind == Kind::wait) {
    for (const std::int64_t r : a.requests)
      if (const auto known = numbers_.find(r); known != numbers_.end()) {
        stream.begun.push_back(known->second);
        numbers_.erase(known);
      }
  } else if (a.kind == Kind::compute || a.kind == Kind::pause) {
    if (lost_) lost_->time += std::max(a.time, Seconds());
  } else {
    renumber(a);
    out_.push_back(a);
  }
  stream.has = false;
  return true;
}

void Merged::begin(Stream& stream, Activity& a) {
  const bool held_up = a.request < 0;
  renumber(a);
  if (lost_ && (!stream.begun.empty() || !stream.recorded.empty()))
    lost_->order.add(a.operation, "may begin before the one ahead on its stream is done", 1,
                     std::max(a.duration.value, 0.0));
  if (held_up) stream.begun.push_back(a.request = requests_++);
  out_.push_back(a);
}

void Merged::first() {
  Stream& stream = streams_[0];
  Activity a = std::move(stream.ahead);
  stream.has = false;
  if (a.kind == Kind::record) {
    ++stream.records;
  } else if (a.kind == Kind::await) {
    await(a.stream, a.count);
  } else {
    renumber(a);
    out_.push_back(std::move(a));
  }
}

void Merged::await(int stream, std::int64_t count) {
  const auto s = static_cast<std::size_t>(stream);
  if (s >= streams_.size() || streams_[s].records < count)
    throw InputError(source_.info().name + ": rank " + std::to_string(rank_) + " awaits record " +
                     std::to_string(count) + " of stream " + std::to_string(stream) +
                     ", which awaits it in turn");
  Activity a = wait_activity({});
  auto& recorded = streams_[s].recorded;
  for (; !recorded.empty() && recorded.front().first <= count; recorded.pop_front())
    a.requests.insert(a.requests.end(), recorded.front().second.begin(), recorded.front().second.end());
  if (!a.requests.empty()) out_.push_back(std::move(a));
}

void Merged::renumber(Activity& a) {
  for (std::int64_t& r : a.requests) {
    const auto known = numbers_.find(r);
    if (known == numbers_.end()) continue;
    r = known->second;
    numbers_.erase(known);
  }
  if (a.request < 0) return;
  numbers_[a.request] = requests_;
  a.request = requests_++;
}

std::vector<Loss> OneStream::losses() const {
  LossSums sums;
  for (const auto& [rank, lost] : lost_) {
    if (lost.time > Seconds())
      sums.add("time beside the first stream", "has no place in one order per rank", 1, lost.time.value);
    for (const Loss& l : lost.order.all()) sums.add(l.operation, l.reason, l.count, l.time_s);
  }
  return sums.all(recorded_over_ranks(source_).value);
}

}  // namespace collcast
