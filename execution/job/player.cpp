// SPDX-License-Identifier: Apache-2.0
#include "execution/job/player.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "support/error.hpp"
#include "support/index.hpp"
#include "workloads/job/player.hpp"

namespace collcast::mpi {
namespace {

using workloads::Job;
using workloads::JobActivity;
using workloads::Role;
using Kind = JobActivity::Kind;

[[noreturn]] void refuse(const Job& job, const Role& role, const JobActivity& a, const std::string& why) {
  throw InputError("job " + job.name + ": '" + a.name + "' of " + role.name + " " + why);
}

void require_playable(const Job& job, const Role& role, const JobActivity& a) {
  if (a.kind == Kind::offer || a.kind == Kind::settle)
    refuse(job, role, a, "is a coordinator's, which is not played on MPI");
  if (a.kind == Kind::push || a.kind == Kind::pull)
    refuse(job, role, a, "is of parameter servers, which are not played on MPI");
  if (a.kind == Kind::collective && a.algorithm.empty())
    refuse(job, role, a, "names no \"algorithm\", which playing it on MPI takes");
  if (a.kind != Kind::compute && std::llround(a.bytes.value) > std::numeric_limits<int>::max())
    refuse(job, role, a, "has more bytes than fit into an MPI count");
}

/// Throws InputError if a collective is offloaded and there is no worker.
void require_workers(const Job& job, bool there) {
  for (const Role& role : job.roles)
    for (const JobActivity& a : role.activities)
      if (!there && a.progress == workloads::Progress::dpu)
        refuse(job, role, a, "is offloaded, which takes workers: --workers");
}

std::vector<const JobActivity*> collectives_of(const Role& role, int group) {
  std::vector<const JobActivity*> all;
  for (const JobActivity& a : role.activities)
    if (a.kind == Kind::collective && a.group == group) all.push_back(&a);
  return all;
}

bool alike(const JobActivity* a, const JobActivity* b) {
  return std::tie(a->collective, a->bytes, a->algorithm, a->stream, a->progress) ==
         std::tie(b->collective, b->bytes, b->algorithm, b->stream, b->progress);
}

/// Throws InputError unless all ranks of a group have the same collectives, as tags are given in their order.
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
    for (const JobActivity& a : role.activities) require_playable(job, role, a);
  require_same_collectives(job);
  workloads::play(job, [](const workloads::GroupCall&) { return workloads::Price{}; });  // no deadlock
}

JobPlayer::JobPlayer(const Job& job, const Communicator& world, const Team& team, const SharedClock& clock)
    : job_(job),
      team_(team),
      clock_(clock),
      workers_(world.size() != team.ranks()),
      rank_(team.worker() ? team.served().at(0).rank : team.peers()->rank()) {
  if (workers_ && world.size() != 2 * team.ranks())
    throw InputError("a job's ranks take a worker each, but of " + std::to_string(world.size()) +
                     " processes " + std::to_string(world.size() - team.ranks()) + " are workers");
  require_workers(job, workers_);
  if (job.role_dimension >= 0) role_index_ = static_cast<int>(coordinate(job.role_dimension));
  role_ = &job.roles[to_index(role_index_)];
  for (int g = 0; g < static_cast<int>(job.groups.size()); ++g)  // same order on all ranks
    groups_.push_back(calls(g) ? members(g, world) : nullptr);
  for (int g = 0; g < static_cast<int>(job.groups.size()); ++g)
    for (const JobActivity* a : collectives_of(*role_, g))
      if (auto& play = collectives_[spec(*a)]; !play) play = collective(*a);
  if (team.worker()) return;
  streams_.resize(job.streams.size());
  for (int i = 0; i < static_cast<int>(role_->activities.size()); ++i) add(i);
  intervals_.resize(operations_.size());
}

/// This rank's coordinate along a dimension.
std::size_t JobPlayer::coordinate(int dimension) const {
  Rank stride = 1;
  for (int d = 0; d < dimension; ++d) stride *= job_.dimensions[to_index(d)].size;
  return to_index(rank_ / stride % job_.dimensions[to_index(dimension)].size);
}

bool JobPlayer::calls(int group) const {
  return std::ranges::any_of(job_.roles,
                             [&](const Role& role) { return !collectives_of(role, group).empty(); });
}

/// The members of this rank's group, and their workers: ranks with this rank's coordinates in the other
/// dimensions.
std::unique_ptr<Team> JobPlayer::members(int group, const Communicator& world) const {
  int color = 0;
  for (int d = static_cast<int>(job_.dimensions.size()) - 1; d >= 0; --d)
    if (std::ranges::find(job_.groups[to_index(group)].dimensions, d) ==
        job_.groups[to_index(group)].dimensions.end())
      color = color * job_.dimensions[to_index(d)].size + static_cast<int>(coordinate(d));
  MPI_Comm comm, here;
  check(MPI_Comm_split(world.handle(), color, world.rank(), &comm), "MPI_Comm_split");
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here), "MPI_Comm_split_type");
  int processes = 0;
  check(MPI_Comm_size(here, &processes), "MPI_Comm_size");
  auto made = std::make_unique<Team>(Communicator(comm), workers_ ? processes / 2 : 0);
  check(MPI_Comm_free(&here), "MPI_Comm_free");
  check(MPI_Comm_free(&comm), "MPI_Comm_free");
  return made;
}

void JobPlayer::add(int index) {
  const JobActivity& a = role_->activities[to_index(index)];
  Stream& stream = streams_[to_index(a.stream)];
  stream.queue.push_back(index);
  operations_.push_back(a.kind == Kind::compute      ? computation(a)
                        : a.kind == Kind::collective ? collectives_.at(spec(a)).get()
                                                     : message(a, stream));
}

Operation* JobPlayer::computation(const JobActivity& a) {
  owned_.push_back(std::make_unique<Computation>(a.time.value, clock_));
  return owned_.back().get();
}

std::unique_ptr<CollectivePlay> JobPlayer::collective(const JobActivity& a) {
  const Algorithm& algorithm = collcast::algorithm(a.collective, a.algorithm);
  const Team& group = *groups_[to_index(a.group)];
  Call call;
  call.ranks = group.ranks();
  call.message = Bytes(std::round(a.bytes.value));
  if (algorithm.segmented)
    call.segments = std::max<Block>(1, static_cast<Block>(std::ceil(call.message / usual_segment)));
  const bool by_worker = workers_ && a.progress != workloads::Progress::host;
  if (!by_worker && team_.worker()) return nullptr;
  if (!by_worker) return std::make_unique<OwnPlay>(algorithm, call, group.peers());
  auto play = std::make_unique<OffloadedPlay>(algorithm, call, group,
                                              offloaded_.empty() ? nullptr : offloaded_.front());
  offloaded_.push_back(&play->offloaded());
  return play;
}

Operation* JobPlayer::message(const JobActivity& a, Stream& stream) {
  int stride = 1;
  for (int d = 0; d < job_.role_dimension; ++d) stride *= job_.dimensions[to_index(d)].size;
  const int here = rank_, there = here + (a.peer - role_index_) * stride;
  const bool send = a.kind == Kind::send;
  const int from = send ? here : there, to = send ? there : here;
  const auto bytes = static_cast<std::size_t>(std::llround(a.bytes.value));
  stream.buffer.resize(std::max(stream.buffer.size(), bytes));
  owned_.push_back(std::make_unique<MessagePlay>(
      MessagePlay::What{send, from, to, a.tag, numbers_[{from, to, a.tag}]++, bytes}, stream.buffer,
      team_.peers()->handle(), inspection_));
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
  wake_at(0);
}

/// Starts activities that are ready, collectives last, as each may wait within MPI for its first messages.
void JobPlayer::start_ready() {
  for (const bool collectives : {false, true})
    for (Stream& s : streams_) {
      if (s.under_way || s.next == s.queue.size()) continue;
      const JobActivity& a = role_->activities[to_index(s.queue[s.next])];
      if ((a.kind == Kind::collective) != collectives) continue;
      if (!std::ranges::all_of(a.after, [&](int before) { return done_[to_index(before)]; })) continue;
      intervals_[to_index(s.queue[s.next])].start = clock_.now() - begin_;
      operations_[to_index(s.queue[s.next])]->start();
      s.under_way = true;
    }
}

/// Whether a stream's collective makes no progress while this rank computes, as no worker plays it.
bool JobPlayer::stands_still(const Stream& stream) const {
  const auto progress = role_->activities[to_index(stream.queue[stream.next])].progress;
  return progress == workloads::Progress::host && std::ranges::any_of(streams_, [&](const Stream& s) {
           return s.under_way && operations_[to_index(s.queue[s.next])]->end();
         });
}

/// Tests activities in progress, computations first, up to the first that is done, so that others may start.
bool JobPlayer::finish_one() {
  for (const bool computation : {true, false})
    for (Stream& s : streams_) {
      if (!s.under_way) continue;
      const std::size_t index = to_index(s.queue[s.next]);
      Operation& operation = *operations_[index];
      if (operation.end().has_value() != computation || stands_still(s) || !operation.test()) continue;
      intervals_[index].end = clock_.now() - begin_;
      done_[index] = 1;
      s.under_way = false;
      ++s.next;
      --left_;
      return true;
    }
  return false;
}

/// If MPI operations are in progress, sets an alarm for the end of the next computation, as the next tests
/// may sleep within MPI. Otherwise sleeps until then, or until a worker is done.
void JobPlayer::rest() {
  constexpr double longest = 1, one_of_several = 500e-6;
  double first = std::numeric_limits<double>::infinity();
  const Operation* worker = nullptr;
  int workers = 0;
  bool in_mpi = false;
  for (const Stream& s : streams_) {
    if (!s.under_way || stands_still(s)) continue;
    const Operation* operation = operations_[to_index(s.queue[s.next])];
    if (const auto end = operation->end())
      first = std::min(first, *end);
    else if (operation->by_worker())
      worker = operation, ++workers;
    else
      in_mpi = true;
  }
  wake_at(in_mpi && !std::isinf(first) ? first : 0);
  if (in_mpi) return;
  if (!worker) return clock_.wait_until(first);
  worker->sleep(std::min(first - clock_.now(), workers == 1 ? longest : one_of_several));
}

/// Sets the alarm to a time; 0: no alarm.
void JobPlayer::wake_at(double time) {
  if (time == alarm_at_) return;
  alarm_at_ = time;
  alarm_.set(time == 0 ? 0 : std::max(1e-6, time - clock_.now()));
}

void JobPlayer::dismiss() {
  for (Offloaded* o : offloaded_) o->dismiss();
}

void JobPlayer::serve() {
  if (!offloaded_.empty()) Offloaded::serve(offloaded_);
}

std::string JobPlayer::wrong() {
  std::string words;
  for (const auto& [spec, play] : collectives_) {  // group by group, in the same order on all its ranks
    const std::string wrong = play->wrong();
    if (words.empty()) words = wrong;
  }
  inspection_ = {true, {}};
  run();
  if (words.empty()) words = inspection_.wrong;
  inspection_ = {};
  return first_text(words, team_.peers()->handle());
}

}  // namespace collcast::mpi
