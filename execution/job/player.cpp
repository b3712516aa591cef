// SPDX-License-Identifier: Apache-2.0
#include "execution/job/player.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/together.hpp"
#include "support/error.hpp"
#include "workloads/job/player.hpp"

namespace collcast::mpi {
namespace {

using workloads::Activity;
using workloads::Job;
using workloads::Role;
using Kind = Activity::Kind;

std::size_t place(int index) {
  return static_cast<std::size_t>(index);
}

[[noreturn]] void refuse(const Job& job, const Role& role, const Activity& a, const std::string& why) {
  throw InputError("job " + job.name + ": '" + a.name + "' of " + role.name + " " + why);
}

void require_playable(const Job& job, const Role& role, const Activity& a) {
  if (a.kind == Kind::offer || a.kind == Kind::settle)
    refuse(job, role, a, "is a coordinator's, which is not played on MPI");
  if (a.kind == Kind::collective && a.algorithm.empty())
    refuse(job, role, a, "names no \"algorithm\", which playing it on MPI takes");
  if (a.kind != Kind::compute && std::llround(a.bytes.value) > std::numeric_limits<int>::max())
    refuse(job, role, a, "has more bytes than fit into an MPI count");
}

std::vector<const Activity*> collectives_of(const Role& role, int group) {
  std::vector<const Activity*> all;
  for (const Activity& a : role.activities)
    if (a.kind == Kind::collective && a.group == group) all.push_back(&a);
  return all;
}

bool alike(const Activity* a, const Activity* b) {
  return std::tie(a->collective, a->bytes, a->algorithm, a->stream) ==
         std::tie(b->collective, b->bytes, b->algorithm, b->stream);
}

/// Tags are given in the order of a group's collectives, so all its ranks need the same.
void require_same_collectives(const Job& job) {
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    if (std::ranges::find(job.groups[g].dimensions, job.role_dimension) == job.groups[g].dimensions.end())
      continue;
    const auto first = collectives_of(job.roles[0], static_cast<int>(g));
    for (const Role& role : job.roles)
      if (!std::ranges::equal(first, collectives_of(role, static_cast<int>(g)), alike))
        throw InputError("job " + job.name + ": " + job.roles[0].name + " and " + role.name +
                         " differ in the collectives of '" + job.groups[g].name +
                         "', which they call together");
  }
}

}  // namespace

void require_playable(const Job& job) {
  if (job.slowdown != 0)
    throw InputError("job " + job.name + ": 'slowdown' is not played on MPI, where computation is a timer");
  for (const Role& role : job.roles)
    for (const Activity& a : role.activities) require_playable(job, role, a);
  require_same_collectives(job);
  workloads::play(job, [](const workloads::GroupCall&) { return workloads::Price{}; });  // comes to its end
}

JobPlayer::JobPlayer(const Job& job, const std::shared_ptr<Communicator>& world, const SharedClock& clock)
    : job_(job), world_(world), clock_(clock), groups_(job.groups.size()) {
  if (job.role_dimension >= 0) role_index_ = static_cast<int>(coordinate(job.role_dimension));
  role_ = &job.roles[place(role_index_)];
  for (const Role& role : job.roles)
    for (const Activity& a : role.activities)
      if (a.kind == Kind::collective && !groups_[place(a.group)]) groups_[place(a.group)] = members(a.group);
  streams_.resize(job.streams.size());
  together(world->handle(), [&] {
    for (int i = 0; i < static_cast<int>(role_->activities.size()); ++i) add(i);
  });
  intervals_.resize(operations_.size());
}

/// Of this rank.
std::size_t JobPlayer::coordinate(int dimension) const {
  Rank stride = 1;
  for (int d = 0; d < dimension; ++d) stride *= job_.dimensions[place(d)].size;
  return place(world_->rank() / stride % job_.dimensions[place(dimension)].size);
}

/// Ranks whose other coordinates are this rank's.
std::shared_ptr<Communicator> JobPlayer::members(int group) const {
  int color = 0;
  for (int d = static_cast<int>(job_.dimensions.size()) - 1; d >= 0; --d)
    if (std::ranges::find(job_.groups[place(group)].dimensions, d) ==
        job_.groups[place(group)].dimensions.end())
      color = color * job_.dimensions[place(d)].size + static_cast<int>(coordinate(d));
  MPI_Comm comm;
  check(MPI_Comm_split(world_->handle(), color, world_->rank(), &comm), "MPI_Comm_split");
  auto made = std::make_shared<Communicator>(comm);
  check(MPI_Comm_free(&comm), "MPI_Comm_free");
  return made;
}

void JobPlayer::add(int index) {
  const Activity& a = role_->activities[place(index)];
  Stream& stream = streams_[place(a.stream)];
  stream.queue.push_back(index);
  operations_.push_back(a.kind == Kind::compute      ? computation(a)
                        : a.kind == Kind::collective ? collective(a)
                                                     : message(a, stream));
}

Operation* JobPlayer::computation(const Activity& a) {
  owned_.push_back(std::make_unique<Computation>(a.time.value, clock_));
  return owned_.back().get();
}

Operation* JobPlayer::collective(const Activity& a) {
  auto& play = collectives_[{a.group, a.collective, a.bytes.value, a.algorithm, a.stream}];
  if (!play) {
    const Algorithm& algorithm = collcast::algorithm(a.collective, a.algorithm);
    const std::shared_ptr<Communicator>& group = groups_[place(a.group)];
    Call call;
    call.ranks = group->size();
    call.message = Bytes(std::round(a.bytes.value));
    if (algorithm.segmented)
      call.segments = std::max<Block>(1, static_cast<Block>(std::ceil(call.message / usual_segment)));
    play = std::make_unique<CollectivePlay>(algorithm, call, group);
  }
  return play.get();
}

Operation* JobPlayer::message(const Activity& a, Stream& stream) {
  int stride = 1;
  for (int d = 0; d < job_.role_dimension; ++d) stride *= job_.dimensions[place(d)].size;
  const int here = world_->rank(), there = here + (a.peer - role_index_) * stride;
  const bool send = a.kind == Kind::send;
  const int from = send ? here : there, to = send ? there : here;
  const auto bytes = static_cast<std::size_t>(std::llround(a.bytes.value));
  stream.buffer.resize(std::max(stream.buffer.size(), bytes));
  owned_.push_back(std::make_unique<MessagePlay>(
      MessagePlay::What{send, from, to, a.tag, numbers_[{from, to, a.tag}]++, bytes}, stream.buffer,
      world_->handle(), inspection_));
  return owned_.back().get();
}

void JobPlayer::run() {
  begin_ = clock_.now();
  done_.assign(operations_.size(), 0);
  left_ = operations_.size();
  for (Stream& s : streams_) s.next = 0;
  while (left_ > 0) {
    start_ready();
    if (!finish_one()) rest();
  }
  if (alarm_at_ != 0) alarm_.set(alarm_at_ = 0);
}

/// Starts what can start: collectives last, as each may wait inside of MPI for its first messages.
void JobPlayer::start_ready() {
  for (const bool collectives : {false, true})
    for (Stream& s : streams_) {
      if (s.under_way || s.next == s.queue.size()) continue;
      const Activity& a = role_->activities[place(s.queue[s.next])];
      if ((a.kind == Kind::collective) != collectives) continue;
      if (!std::ranges::all_of(a.after, [&](int before) { return done_[place(before)]; })) continue;
      intervals_[place(s.queue[s.next])].start = clock_.now() - begin_;
      operations_[place(s.queue[s.next])]->start();
      s.under_way = true;
    }
}

/// Tests what is under way, computation first, up to the first that is over: what waited for that may start.
bool JobPlayer::finish_one() {
  for (const bool computation : {true, false})
    for (Stream& s : streams_) {
      if (!s.under_way) continue;
      const std::size_t index = place(s.queue[s.next]);
      Operation& operation = *operations_[index];
      if (operation.end().has_value() != computation || !operation.test()) continue;
      intervals_[index].end = clock_.now() - begin_;
      done_[index] = 1;
      s.under_way = false;
      ++s.next;
      --left_;
      return true;
    }
  return false;
}

/// Where all that is under way is computation, sleeps to the first end of it. Else the next tests may sleep
/// inside of MPI, and are woken then.
void JobPlayer::rest() {
  double first = std::numeric_limits<double>::infinity();
  bool others = false;
  for (const Stream& s : streams_) {
    if (!s.under_way) continue;
    const auto end = operations_[place(s.queue[s.next])]->end();
    others |= !end;
    if (end) first = std::min(first, *end);
  }
  if (!others) return clock_.wait_until(first);
  if (std::isinf(first)) first = 0;
  if (first == alarm_at_) return;
  alarm_at_ = first;
  alarm_.set(first == 0 ? 0 : std::max(1e-6, first - clock_.now()));
}

std::string JobPlayer::wrong() {
  std::string words;
  for (const auto& [spec, play] : collectives_) {  // group by group, in one order on all of its ranks
    const std::string wrong = play->wrong();
    if (words.empty()) words = wrong;
  }
  inspection_ = {true, {}};
  run();
  if (words.empty()) words = inspection_.wrong;
  inspection_ = {};
  return first_words(words, world_->handle());
}

}  // namespace collcast::mpi
