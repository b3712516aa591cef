// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/player/interpreter.hpp"
#include "support/error.hpp"

namespace collcast {

/// `op`: the operation that starts the strand; null: it is a rank's main strand.
void Interpreter::start_strand(std::unique_ptr<Strand> code, Rank rank, const Op* op, Waiter waiter,
                               std::int32_t track, bool inner) {
  StrandState s;
  s.code = std::move(code);
  s.rank = rank;
  s.waiter = waiter;
  s.main = op == nullptr;
  s.inner = inner;
  s.tag = op ? op->tag : 0;
  s.started = s.batch_began = backend_.now();
  s.why = why_;
  s.track = track;
  s.bytes = op ? op->bytes : Bytes(0);
  if (op && op->channel && !protocol_.channels_pay) s.payer = waiter.strand;
  runnable_.push_back(strands_.add(std::move(s)));
}

void Interpreter::drain() {
  while (!runnable_.empty()) {
    advancing_.swap(runnable_);
    for (const Index strand : advancing_) advance(strand);
    advancing_.clear();
  }
}

/// Starts the strand's next batch; a batch that is done at once puts the strand back into the queue.
void Interpreter::advance(Index strand) {
  if (++batches_ % 4096 == 0) poll();
  batch_.clear();
  if (options_.observer && strands_[strand].step >= 0) tell_step(strands_[strand]);
  why_ = strands_[strand].why;
  const bool more = strands_[strand].code->next(batch_);
  strands_[strand].step = batch_.step;
  if (!more) return end(strand);
  strands_[strand].batch_began = backend_.now();
  strands_[strand].pending = 1;  // so that the strand does not go on before the whole batch has started
  for (const Op& op : batch_.ops) post(strand, op);
  release(strand);
}

void Interpreter::end(Index strand) {
  StrandState& s = strands_[strand];
  const Rank rank = s.rank;
  const Waiter waiter = s.waiter;
  s.code.reset();
  finished(rank);
  if (!s.main && options_.observer)
    options_.observer->done(
        {rank, Op::Kind::start, s.tag, s.started, backend_.now(), s.track, -1, s.bytes, s.met});
  strands_.remove(strand);
  complete(rank, waiter);
}

inline void Interpreter::post(Index strand, const Op& op) {
  if (!(op.bytes >= Bytes(0)) || !(op.time >= Seconds(0)))
    throw InputError("rank " + std::to_string(strands_[strand].rank) +
                     ": an operation of negative size or time");
  switch (op.kind) {
    case Op::Kind::compute:
      return compute(strand, op);
    case Op::Kind::pause:
      return pause(strand, op);
    case Op::Kind::send:
      return post_send(strand, op);
    case Op::Kind::receive:
      return post_receive(strand, op);
    case Op::Kind::copy:
      return post_copy(strand, op);
    case Op::Kind::multicast:
      return post_multicast(strand, op);
    case Op::Kind::start: {
      const Waiter waiter = hold(strand, op);
      const StrandState& parent = strands_[strand];
      const std::int32_t track = op.count ? op.count : parent.track;
      return start_strand(std::move(batch_.strands[op.strand]), parent.rank, &op, waiter, track,
                          parent.inner || (!parent.main && parent.tag != 0));
    }
    case Op::Kind::wait:
      return wait(strand, op);
    case Op::Kind::join:
      return join(strand, op);
    case Op::Kind::meet:
      return meet(strand, op);
  }
}

/// A rank's processor executes its computations in order.
void Interpreter::compute(Index strand, const Op& op) {
  const Waiter waiter = hold(strand, op);
  const Rank rank = strands_[strand].rank;
  RankState& state = rank_state(rank);
  const auto [free, why] = after(state.processor_free);
  state.processor_free = {free + op.time, log_.add(why, op.time, Cause::compute, rank, rank)};
  state.compute += op.time;
  const Index task = tasks_.add({rank, waiter, state.processor_free.why, op.kind, strands_[strand].track,
                                 state.processor_free.at - op.time});
  backend_.after(state.processor_free.at - backend_.now(), {Event::Kind::computed, task});
}

void Interpreter::pause(Index strand, const Op& op) {
  const Rank rank = strands_[strand].rank;
  const Task task{rank,    hold(strand, op),       log_.add(why_, op.time, Cause::wait, rank, rank),
                  op.kind, strands_[strand].track, backend_.now()};
  backend_.after(op.time, {Event::Kind::computed, tasks_.add(task)});
}

void Interpreter::wait(Index strand, const Op& op) {
  const Rank rank = strands_[strand].rank;
  const Table::Key key = rank_key(rank, static_cast<std::uint32_t>(op.request));
  Table::Entry* entry = requests_.find(key);
  if (entry && entry->first == 0) {
    requests_.erase(entry);
    return report(rank, {strand, 0}, Op::Kind::wait, static_cast<std::uint64_t>(op.request));
  }
  if (!entry) entry = &requests_.insert(key, 0, no_index);
  if (entry->second != no_index)
    throw InputError("rank " + std::to_string(rank) + " waits twice for request " +
                     std::to_string(op.request));
  entry->second = strand;
  ++strands_[strand].pending;
}

/// Blocks the strand. Once `count` strands have come, returns the first one, linked to the others by
/// `next_to_join`.
Index Interpreter::assemble(Index strand, Table::Key key, std::int32_t count) {
  Table::Entry& entry = joins_.find_or_insert(key, 0, no_index);
  strands_[strand].next_to_join = entry.second;
  entry.second = strand;
  ++strands_[strand].pending;
  if (++entry.first < static_cast<Index>(count)) return no_index;
  Index last = entry.second;
  joins_.erase(&entry);
  Index first = no_index;
  while (last != no_index) {
    const Index before = strands_[last].next_to_join;
    strands_[last].next_to_join = first;
    first = last;
    last = before;
  }
  return first;
}

/// A strand comes to a join; the last one to come releases all.
void Interpreter::join(Index strand, const Op& op) {
  Index s = assemble(strand, rank_key(strands_[strand].rank, op.tag), op.count);
  while (s != no_index) {
    const Index next = strands_[s].next_to_join;
    release(s);
    s = next;
  }
}

/// Registers an operation; returns what waits for it.
Waiter Interpreter::hold(Index strand, const Op& op) {
  if (op.request == 0) {
    ++strands_[strand].pending;
    return {strand, 0};
  }
  begin_request(strands_[strand].rank, op.request);
  return {no_index, op.request};
}

void Interpreter::complete(Rank rank, Waiter waiter) {
  if (waiter.strand != no_index)
    release(waiter.strand);
  else if (waiter.request != 0)
    end_request(rank, waiter.request);
}

void Interpreter::release(Index strand) {
  if (--strands_[strand].pending > 0) return;
  strands_[strand].why = why_;
  runnable_.push_back(strand);
}

void Interpreter::begin_request(Rank rank, std::int32_t request) {
  ++requests_.find_or_insert(rank_key(rank, static_cast<std::uint32_t>(request)), 0, no_index).first;
}

void Interpreter::end_request(Rank rank, std::int32_t request) {
  finished(rank);
  Table::Entry* entry = requests_.find(rank_key(rank, static_cast<std::uint32_t>(request)));
  if (--entry->first > 0 || entry->second == no_index) return;
  const Index strand = entry->second;
  requests_.erase(entry);
  report(rank, {strand, 0}, Op::Kind::wait, static_cast<std::uint32_t>(request));
  release(strand);
}

void Interpreter::finished(Rank rank) {
  Seconds& finish = rank_state(rank).finish;
  finish = std::max(finish, backend_.now());
  if (finish > last_.at) last_ = {finish, why_};
}

/// Now, or the time when the busy resource is free if that is later.
Interpreter::Moment Interpreter::after(const Moment& busy) const {
  return busy.at > backend_.now() ? busy : Moment{backend_.now(), why_};
}

/// Reports a computation, pause or wait to the observer.
void Interpreter::computed(const Task& task) {
  if (options_.observer && backend_.now() > task.begin)
    options_.observer->done({task.rank, task.kind, 0, task.begin, backend_.now(), task.track});
}

void Interpreter::tell_step(const StrandState& s) const {
  options_.observer->stepped({s.rank, s.track, s.step, s.batch_began, backend_.now()});
}

/// Reports an operation, from the beginning of its batch, to the observer: every wait, and operations that
/// blocked a main strand or a strand without a tag.
void Interpreter::report(Rank rank, Waiter waiter, Op::Kind kind, std::uint64_t tag, Rank peer, Bytes bytes) {
  if (!options_.observer || waiter.strand == no_index) return;
  const StrandState& s = strands_[waiter.strand];
  if (s.main || (s.tag == 0 && !s.inner) || kind == Op::Kind::wait)
    options_.observer->done({rank, kind, tag, s.batch_began, backend_.now(), s.track, peer, bytes});
}

}  // namespace collcast
