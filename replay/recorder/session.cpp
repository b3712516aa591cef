// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::recorder {
namespace {

/// Per thread: when its computation began [ns of CPU time; the thread's start, until its first call], the
/// computation that is not written yet, how deep it is in calls, its number, and how many calls of this
/// number have ended.
struct ThreadClock {
  std::int64_t since_ns = 0;
  std::int64_t pending_ns = 0;
  int depth = 0;
  int number = trace::none;
  std::int64_t ended = 0;
};
thread_local ThreadClock thread_clock;

/// Frees the thread's number when it ends.
struct Leaving {
  ~Leaving() { Session::instance().leave(); }
};

/// What a pair of clock readings measures around nothing [ns]; it is subtracted from every measurement.
std::int64_t reading_cost_ns = 0;

std::int64_t measure_reading_cost() {
  std::int64_t least = 1'000'000;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t before = cpu_ns();
    least = std::min(least, cpu_ns() - before);
  }
  return std::max<std::int64_t>(least, 0);
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\0', ' ');
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string all = text.data();
  return all.substr(0, all.find(','));
}

std::string host_name() {
  std::array<char, 256> text{};
  gethostname(text.data(), text.size() - 1);
  return text.data();
}

std::string metadata(int rank, int ranks, const std::string& window) {
  const Json json = {{"rank", rank},
                     {"ranks", ranks},
                     {"command", command_line()},
                     {"mpi", mpi_library()},
                     {"recorded_at", utc_now()},
                     {"host", host_name()},
                     {"window", window},
                     {"clocks", "compute: CLOCK_THREAD_CPUTIME_ID; duration: CLOCK_MONOTONIC"}};
  return dump(json);
}

Seconds seconds(std::int64_t ns) {
  return Seconds(static_cast<double>(ns) * 1e-9);
}

__attribute__((destructor)) void at_exit() {
  Session::instance().abandon();
}

}  // namespace

Session& Session::instance() {
  // Never destroyed, as the application may communicate while static objects are destroyed.
  static Session& session = *new Session;
  return session;
}

void Session::start() {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* directory = std::getenv("COLLCAST_RECORD_DIR");
  const char* window = std::getenv(window_variable);
  if (window && !set_window(window)) return;
  sink_.open(directory ? directory : "collcast-recording", rank, metadata(rank, ranks, window ? window : ""));
  if (!sink_.is_open()) return;
  sink_.define(comms.add(MPI_COMM_WORLD));
  sink_.define(comms.add(MPI_COMM_SELF));
  reading_cost_ns = measure_reading_cost();
  recording_ = true;
  process_ = getpid();
  previous_ns_ = wall_ns();
  enter();
  put(caller(), blank(trace::Op::init), 0, previous_ns_);
  sink_.flush(previous_ns_, 0, false);  // even a run that dies at once leaves a readable file
  thread_clock.since_ns = cpu_ns();
}

bool Session::set_window(const char* text) try {
  window_ = Window(text);
  return true;
} catch (const InputError& error) {
  std::fprintf(stderr, "collcast: nothing is recorded: %s\n", error.what());
  return false;
}

void Session::finish() {
  if (thread_clock.number == trace::none) enter();
  const std::int64_t cpu = cpu_ns();
  const std::lock_guard lock(mutex);
  const std::int64_t compute_ns =
      window_.contains(place_) ? cpu - thread_clock.since_ns + thread_clock.pending_ns : 0;
  const std::int64_t now = wall_ns();
  for (Thread& thread : threads_)
    if (&thread != &caller()) put_polls(thread, now);
  commit(blank(trace::Op::finalize), {compute_ns, 0, now, others_ended()});
  sink_.flush(now, wall_ns_, true);
  recording_ = false;
}

void Session::abandon() {
  // A forked child has our buffers, and must not write them a second time.
  if (!recording_ || getpid() != process_) return;
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return;
  sink_.flush(wall_ns(), wall_ns_, false);
  recording_ = false;
}

trace::Event& Session::blank(trace::Op op) {
  clear(event_);
  event_.op = op;
  return event_;
}

bool Session::set_communicator(trace::Event& event, MPI_Comm comm) {
  auto id = comms.find(comm);
  if (!id) {
    auto members = comms.add(comm);
    if (!members.empty()) sink_.define(std::move(members));
    id = comms.find(comm);
  }
  event.comm = *id;
  if (event.comm != trace::none) return true;
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  lose(trace::mpi_name(event.op, event.nonblocking()).c_str(),
       between_groups ? "on an intercommunicator" : beyond_world);
  return false;
}

void Session::number_new_communicator(trace::Event& event, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  comms.remove(comm);
  auto members = comms.add(comm);
  if (members.empty()) return;
  sink_.define(std::move(members));
  event.new_comm = *comms.find(comm);
}

void Session::number_new_communicator_like(trace::Event& event, MPI_Comm comm, MPI_Comm parent) {
  sink_.define(world_ranks(parent));
  event.new_comm = comms.add_like(comm);
}

void Session::number(trace::Event& event) {
  if (window_.whole() || trace::class_of(event.op) == trace::OpClass::probe) return;
  if (event.dest >= 0) event.send_number = numbers_.next_sent(event.comm, event.dest, event.send_tag);
  if (event.source >= 0 && event.recv_tag >= 0)
    event.recv_number = numbers_.next_received(event.comm, event.source, event.recv_tag);
}

std::int64_t Session::number_of(const trace::Completion& done, trace::CommId comm) {
  return window_.whole() || done.source < 0 ? trace::none
                                            : numbers_.next_received(comm, done.source, done.tag);
}

void Session::begin(trace::Event& event, MPI_Request handle, bool persistent) {
  number(event);
  requests.begin(handle, event, persistent, !window_.contains(place_));
}

void Session::lose(const char* operation, const char* reason) {
  if (window_.contains(place_)) sink_.lose(operation, reason);
}

void Session::enter() {
  const std::lock_guard lock(mutex);
  if (free_.empty()) free_.insert(static_cast<int>(threads_.size())), threads_.emplace_back();
  thread_clock.number = free_.extract(free_.begin()).value();
  thread_clock.ended = caller().ended;
  static thread_local const Leaving at_its_end;
  static_cast<void>(&at_its_end);
}

void Session::leave() {
  const std::unique_lock lock(mutex,
                              std::try_to_lock);  // at the process's end a thread may hold it for ever
  if (!lock) return;
  if (recording_ && getpid() == process_) put_polls(caller(), wall_ns());
  free_.insert(std::exchange(thread_clock.number, trace::none));
}

std::int64_t Session::others_ended() const {
  return ended_.load(std::memory_order_relaxed) - thread_clock.ended;
}

Session::Thread& Session::caller() {
  return threads_[static_cast<std::size_t>(thread_clock.number)];
}

void Session::put(Thread& thread, trace::Event& event, std::int64_t ended_before, std::int64_t now_ns) {
  const std::int64_t ended = ended_.load(std::memory_order_relaxed);
  event.thread = static_cast<int>(&thread - threads_.data());
  event.overlapped = ended - thread.ended - ended_before;
  sink_.put(event, now_ns, wall_ns_);
  ended_.store(ended + 1, std::memory_order_relaxed);
  ++thread.ended;
  if (&thread == &caller()) thread_clock.ended = thread.ended;
}

void Session::put_polls(Thread& thread, std::int64_t now_ns) {
  if (thread.polls.polls > 0) put(thread, thread.polls, thread.ended_before, now_ns);
  thread.polls.polls = 0;
}

void Session::fold_polls(Thread& thread, trace::Event& event, std::int64_t& ended_before,
                         std::int64_t now_ns) {
  trace::Event& polls = thread.polls;
  if (polls.polls == 0 || event.op != polls.op) return put_polls(thread, now_ns);
  event.polls = std::exchange(polls.polls, 0);
  event.polling = polls.polling + event.compute;
  event.compute = polls.compute;
  event.duration += polls.duration;
  ended_before = thread.ended_before;
}

bool Session::pass(const trace::Event& event, std::int64_t now_ns) {
  const bool inside = window_.contains(place_);
  if (inside) wall_ns_ += now_ns - previous_ns_;
  previous_ns_ = now_ns;
  if (event.comm == trace::world && trace::class_of(event.op) == trace::OpClass::collective) move_on(now_ns);
  return inside || event.op == trace::Op::finalize;
}

/// Moves on to the next place. Messages under way when the window opens are recorded as if they began there.
void Session::move_on(std::int64_t now_ns) {
  const bool inside = window_.contains(place_);
  sink_.reach(++place_);
  if (inside || !window_.contains(place_)) return;
  for (const auto& event : requests.take_in()) put(caller(), *event, others_ended(), now_ns);
}

void Session::commit(trace::Event& event, const Timing& timing) {
  if (!event.nonblocking()) number(event);
  if (!pass(event, timing.end)) return;
  event.compute = seconds(timing.compute);
  event.duration = seconds(timing.duration);
  Thread& thread = caller();
  std::int64_t ended_before = timing.ended;
  fold_polls(thread, event, ended_before, timing.end);
  put(thread, event, ended_before, timing.end);
  if (!sink_.is_open()) recording_ = false;
}

void Session::poll(trace::Op op, const Timing& timing) {
  if (!window_.contains(place_)) return;
  Thread& thread = caller();
  trace::Event& polls = thread.polls;
  if (polls.polls > 0 && polls.op == op) {
    ++polls.polls;
    polls.polling += seconds(timing.compute);
    polls.duration += seconds(timing.duration);
    return;
  }
  put_polls(thread, timing.end);
  clear(polls);
  polls.op = op;
  polls.polls = 1;
  polls.compute = seconds(timing.compute);
  polls.duration = seconds(timing.duration);
  thread.ended_before = timing.ended;
}

bool inside_call() {
  return thread_clock.depth > 0;
}

Call::Call() : outermost_(thread_clock.depth++ == 0) {
  if (!outermost_) return;
  const std::int64_t cpu = cpu_ns();
  thread_clock.pending_ns += std::max<std::int64_t>(cpu - thread_clock.since_ns - reading_cost_ns, 0);
  if (thread_clock.number == trace::none) Session::instance().enter();
  ended_before_ = Session::instance().others_ended();
  begin_ns_ = wall_ns();
}

void Call::returned() {
  end_ns_ = wall_ns();
}

Timing Call::timing() const {
  return {std::exchange(thread_clock.pending_ns, 0), used_ ? 0 : end_ns_ - begin_ns_, end_ns_, ended_before_};
}

void Call::commit(trace::Event& event) {
  Session::instance().commit(event, timing());
  used_ = true;
}

void Call::poll(trace::Op op) {
  Session::instance().poll(op, timing());
}

Call::~Call() {
  --thread_clock.depth;
  if (outermost_) thread_clock.since_ns = cpu_ns();
}

}  // namespace collcast::recorder
