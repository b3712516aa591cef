// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/player.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <exception>
#include <limits>

#include "execution/mpi/check.hpp"
#include "execution/mpi/operations.hpp"
#include "execution/mpi/progress.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

std::size_t size_of(MPI_Datatype type) {
  int size = 0;
  check(MPI_Type_size(type, &size), "MPI_Type_size");
  return static_cast<std::size_t>(size);
}

/// The extent of a type. Throws InputError if elements that follow each other would overlap.
std::size_t extent_without_overlap(MPI_Datatype type) {
  MPI_Aint begin = 0, extent = 0, true_begin = 0, true_extent = 0;
  check(MPI_Type_get_extent(type, &begin, &extent), "MPI_Type_get_extent");
  check(MPI_Type_get_true_extent(type, &true_begin, &true_extent), "MPI_Type_get_true_extent");
  if (begin != 0 || true_begin != 0 || true_extent > extent)
    throw InputError("an element's datatype must begin at its address and fill no more than its extent");
  return static_cast<std::size_t>(extent);
}

}  // namespace

Player::Player(const Algorithm& algorithm, Call call, MPI_Datatype type, MPI_Op op,
               std::shared_ptr<Communicator> communicator)
    : communicator_(std::move(communicator)),
      part_{algorithm.collective, communicator_->rank(), communicator_->size(), call.root, InPlace::no},
      schedule_(algorithm.schedule(call = served(algorithm, std::move(call), communicator_->size()))),
      elements_(mpi::elements(algorithm.collective, call, schedule_, size_of(type))),
      type_(type),
      op_(op),
      extent_(extent_without_overlap(type)),
      tag_(communicator_->reserve_tags(schedule_.channels * communicator_->lanes())) {
  if (definition(algorithm.collective).reduces) require_meaning(op, type);
  const auto channels = static_cast<std::size_t>(schedule_.channels);
  areas_.resize(Address::areas(schedule_.channels));
  own_.resize(areas_.size() - Address::own);
  cursors_.resize(channels);
  plan_for(InPlace::no);
}

Player::~Player() {
  if (plan_ && std::uncaught_exceptions() == 0) {
    try {
      wait();
    } catch (const std::exception&) {
    }
  }
  if (!plan_) return;
  Progress::of_this_thread().remove(*this);
  if (communicator_->multicast()) communicator_->multicast()->abandon(tag_);
  for (Buffers& b : own_) (void)b.bytes.release();  // messages may still arrive there
}

const Player::Bound& Player::bound() const {
  if (!bound_) throw InputError("the player is not bound to buffers");
  return *bound_;
}

void Player::Buffers::grow(std::size_t needed) {
  if (needed <= size) return;
  bytes = std::make_unique_for_overwrite<std::byte[]>(needed);
  size = needed;
}

const Plan& Player::plan_for(InPlace in_place) {
  std::optional<Plan>& plan = plans_[static_cast<std::size_t>(in_place)];
  if (plan) return *plan;
  Part part = part_;
  part.in_place = in_place;
  plan.emplace(mpi::plan(schedule_, part, elements_, {type_, static_cast<MPI_Aint>(extent_)},
                         communicator_->multicast() ? Multicasting::at_once : Multicasting::one_by_one));
  for (std::size_t c = 0; c < cursors_.size(); ++c) {
    address(plan->channels[c]);
    std::vector<MPI_Request>& requests = cursors_[c].requests;
    requests.resize(std::max(requests.size(), plan->channels[c].most_messages), MPI_REQUEST_NULL);
  }
  for (std::size_t i = 0; i < own_.size(); ++i) {
    own_[i].grow(plan->elements[Address::own + i] * extent_);
    areas_[Address::own + i] = own_[i].bytes.get();
  }
  arrived_.resize(std::max(arrived_.size(), plan->joins.size()));
  std::size_t most = 0;
  for (const Cursor& c : cursors_) most += c.requests.size();
  waiting_.reserve(most);
  owners_.reserve(most);
  return *plan;
}

/// Translates ranks and channels into processes and tags.
void Player::address(ChannelPlan& plan) const {
  for (const PlanStep& step : plan.steps)
    for (std::uint32_t i = step.receives.begin; i < step.sends.end; ++i) {
      Message& m = plan.messages[i];
      if (m.multicast >= 0) continue;
      const bool send = i >= step.sends.begin;
      const int lane =
          send ? communicator_->lane(part_.rank, m.peer) : communicator_->lane(m.peer, part_.rank);
      m.channel += schedule_.channels * lane;
      m.peer = communicator_->process(m.peer);
    }
}

InPlace Player::in_place(const void* send, const void* recv) const {
  if (send == MPI_IN_PLACE) return InPlace::input;
  if (recv != MPI_IN_PLACE) return InPlace::no;
  if (plain(part_.collective) != Collective::scatter || part_.rank != part_.root)
    throw InputError("only the root of a scatter may receive in place");
  return InPlace::output;
}

const Plan& Player::prepare(const void* send, void* recv) {
  assert(!plan_ && "a play of this player is under way");
  plan_ = &plan_for(in_place(send, recv));
  // The cast is safe: the plan only reads from the send buffer.
  areas_[Address::send] = send == MPI_IN_PLACE ? nullptr : static_cast<std::byte*>(const_cast<void*>(send));
  areas_[Address::recv] = recv == MPI_IN_PLACE ? nullptr : static_cast<std::byte*>(recv);
  done_ = false;
  if (communicator_->multicast()) communicator_->multicast()->begin(tag_);
  first_moves_done_ = plan_->at_first.empty();
  std::ranges::fill(arrived_, 0);
  for (std::size_t c = 0; c < cursors_.size(); ++c) {
    Cursor& cursor = cursors_[c];
    cursor.plan = &plan_->channels[c];
    cursor.step = 0;
    cursor.posted = cursor.joined = false;
    cursor.pending = cursor.multicasts = 0;
  }
  return *plan_;
}

void Player::start(const void* send, void* recv) {
  prepare(send, recv);
  Progress::of_this_thread().add(*this);
  while (post_next()) {
  }
  advance();
  first_moves();
}

bool Player::test() {
  if (!plan_) return true;
  Progress::of_this_thread().advance_all();
  if (!done_) return false;
  Progress::of_this_thread().remove(*this);
  end();
  return true;
}

/// Plays a single channel to its end in blocking calls, which need no list of pending requests.
void Player::play() {
  if (cursors_.size() == 1 && communicator_->lanes() == 1) return play(cursors_[0]);
  while (post_next()) {
  }
  first_moves();
  while (!(done_ = all_steps_done())) advance_next();
}

void Player::wait() {
  if (!plan_) return;
  Progress& progress = Progress::of_this_thread();
  if (communicator_->multicast() || !progress.only(*this)) {
    while (!test()) rest();
    return;
  }
  play();
  progress.remove(*this);
  end();
}

void Player::run(const void* send, void* recv) {
  if (communicator_->multicast() || !Progress::of_this_thread().idle()) {
    start(send, recv);
    return wait();
  }
  prepare(send, recv);
  play();
  end();
}

/// Blocks until a message of any channel is done, and goes on with that channel. Testing one channel after
/// the other would make all messages progress each time, and a rank that yields when idle might sleep before
/// it gets to the right one.
void Player::advance_next() {
  waiting_.clear();
  owners_.clear();
  for (Cursor& c : cursors_)
    for (int i = 0; c.posted && i < c.pending; ++i)
      if (MPI_Request& request = c.requests[static_cast<std::size_t>(i)]; request != MPI_REQUEST_NULL) {
        waiting_.push_back(request);
        owners_.push_back({&c, &request});
      }
  int index = MPI_UNDEFINED;
  check(MPI_Waitany(static_cast<int>(waiting_.size()), waiting_.data(), &index, MPI_STATUS_IGNORE),
        "MPI_Waitany");
  if (index != MPI_UNDEFINED) {
    const auto [cursor, request] = owners_[static_cast<std::size_t>(index)];
    *request = MPI_REQUEST_NULL;
    if (std::all_of(cursor->requests.begin(), cursor->requests.begin() + cursor->pending,
                    [](MPI_Request r) { return r == MPI_REQUEST_NULL; }))
      finish(*cursor);
  }
  while (post_next()) {
  }
}

/// Posts the next step of channels without pending messages; returns whether there was any.
bool Player::post_next() {
  bool any = false;
  for (Cursor& c : cursors_)
    while (!c.posted && c.step < c.plan->steps.size() && may_pass(c.plan->steps[c.step], c)) {
      post(c.plan->steps[c.step], c);
      c.posted = any = true;
      if (c.pending == 0 && c.multicasts == 0) finish(c);
    }
  return any;
}

/// Sleeps until a datagram comes, if this thread waits only for multicasts.
void Player::rest() const {
  const bool messages = std::ranges::any_of(cursors_, [](const Cursor& c) { return c.pending != 0; });
  if (communicator_->multicast() && !messages && Progress::of_this_thread().only(*this))
    communicator_->multicast()->rest();
}

void Player::end() {
  first_moves();
  for (const Move& m : plan_->at_last) move(m);
  plan_ = nullptr;
  done_ = true;
}

void Player::first_moves() {
  if (first_moves_done_) return;
  for (const Move& m : plan_->at_first) move(m);
  first_moves_done_ = true;
}

bool Player::all_steps_done() const {
  return std::ranges::all_of(cursors_, [](const Cursor& c) { return c.step == c.plan->steps.size(); });
}

void Player::advance() {
  if (communicator_->multicast()) communicator_->multicast()->progress();
  for (Cursor& cursor : cursors_) advance(cursor);
  done_ = all_steps_done() && (!communicator_->multicast() || communicator_->multicast()->finished(tag_));
}

bool Player::advance(Cursor& cursor) {
  while (cursor.step < cursor.plan->steps.size()) {
    const PlanStep& step = cursor.plan->steps[cursor.step];
    if (!cursor.posted) {
      if (!may_pass(step, cursor)) return false;
      post(step, cursor);
      cursor.posted = true;
    }
    if (cursor.pending != 0) {
      int done = 0;
      check(MPI_Testall(cursor.pending, cursor.requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (!done) return false;
    }
    if (cursor.multicasts != 0) return false;
    finish(cursor);
  }
  return true;
}

bool Player::may_pass(const PlanStep& step, Cursor& cursor) {
  if (step.join < 0) return true;
  const auto join = static_cast<std::size_t>(step.join);
  if (!cursor.joined) ++arrived_[join];
  cursor.joined = true;
  return arrived_[join] == plan_->joins[join];
}

void Player::finish(Cursor& cursor) {
  move(*cursor.plan, cursor.plan->steps[cursor.step].after);
  ++cursor.step;
  cursor.posted = cursor.joined = false;
}

void Player::post(const Message& m, Cursor& cursor, bool receive) {
  if (m.multicast >= 0) {
    ++cursor.multicasts;
    const auto number = static_cast<std::uint32_t>(m.multicast);
    if (receive)
      communicator_->multicast()->receive(tag_, number, m.peer, bytes(m), &cursor.multicasts);
    else
      communicator_->multicast()->send(tag_, number, m.group, bytes(m), &cursor.multicasts);
    return;
  }
  MPI_Request* request = &cursor.requests[static_cast<std::size_t>(cursor.pending++)];
  const MPI_Comm comm = communicator_->handle();
  if (receive)
    check(MPI_Irecv(at(m.at), m.count, m.type, m.peer, tag_ + m.channel, comm, request), "MPI_Irecv");
  else
    check(MPI_Isend(at(m.at), m.count, m.type, m.peer, tag_ + m.channel, comm, request), "MPI_Isend");
}

void Player::post_receives(const PlanStep& step, Cursor& cursor) {
  cursor.pending = 0;
  for (std::uint32_t i = step.receives.begin; i < step.receives.end; ++i)
    post(cursor.plan->messages[i], cursor, true);
}

void Player::post(const PlanStep& step, Cursor& cursor) {
  move(*cursor.plan, step.before);
  post_receives(step, cursor);
  for (std::uint32_t i = step.sends.begin; i < step.sends.end; ++i)
    post(cursor.plan->messages[i], cursor, false);
  move(*cursor.plan, step.beside);
}

/// Plays the only channel to its end. All receives of a step are posted before a rank blocks in its one send,
/// so the ranks in the earliest step can always go on.
void Player::play(Cursor& cursor) {
  const ChannelPlan& plan = *cursor.plan;
  while (cursor.step < plan.steps.size()) {
    const PlanStep& step = plan.steps[cursor.step];
    if (cursor.posted)
      check(MPI_Waitall(cursor.pending, cursor.requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    else
      exchange(step, cursor);
    finish(cursor);
  }
}

void Player::exchange(const PlanStep& step, Cursor& cursor) {
  const bool one_send = step.sends.end == step.sends.begin + 1;
  if (!one_send || step.beside.begin != step.beside.end || !first_moves_done_) {
    post(step, cursor);
    first_moves();
    check(MPI_Waitall(cursor.pending, cursor.requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    return;
  }
  move(*cursor.plan, step.before);
  post_receives(step, cursor);
  const Message& m = cursor.plan->messages[step.sends.begin];
  check(MPI_Send(at(m.at), m.count, m.type, m.peer, tag_ + m.channel, communicator_->handle()), "MPI_Send");
  if (cursor.pending == 1)
    check(MPI_Wait(cursor.requests.data(), MPI_STATUS_IGNORE), "MPI_Wait");
  else if (cursor.pending != 0)
    check(MPI_Waitall(cursor.pending, cursor.requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void Player::move(const Move& m) const {
  std::byte *from = at(m.from), *to = at(m.to);
  if (!m.reduce) {
    std::memcpy(to, from, m.count * extent_);
    return;
  }
  constexpr std::size_t most = std::numeric_limits<int>::max();
  for (std::size_t done = 0; done < m.count; done += most) {
    const auto count = static_cast<int>(std::min(most, m.count - done));
    check(MPI_Reduce_local(from + done * extent_, to + done * extent_, count, type_, op_),
          "MPI_Reduce_local");
  }
}

}  // namespace collcast::mpi
