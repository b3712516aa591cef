// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::recorder {
namespace {

/// Per thread: when its computation began [ns of CPU; its own start, until it calls], what computation is not
/// written yet, and how deep it is in calls.
struct ThreadClock {
  std::int64_t since_ns = 0;
  std::int64_t pending_ns = 0;
  int depth = 0;
};
thread_local ThreadClock thread_clock;

/// What a pair of readings measures around nothing [ns]; taken off every measurement.
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
  // Never destroyed: the application may communicate while the program's statics are torn down.
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
  sink_.put(blank(trace::Op::init), previous_ns_, 0);
  sink_.flush(previous_ns_, 0, false);  // a run that dies at once leaves a readable file, too
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
  const std::int64_t cpu = cpu_ns();
  const std::lock_guard lock(mutex);
  const std::int64_t compute_ns =
      window_.contains(place_) ? cpu - thread_clock.since_ns + thread_clock.pending_ns : 0;
  const std::int64_t now = wall_ns();
  commit(blank(trace::Op::finalize), compute_ns, 0, now);
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

bool Session::on(trace::Event& event, MPI_Comm comm) {
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

void Session::made(trace::Event& event, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  comms.remove(comm);
  auto members = comms.add(comm);
  if (members.empty()) return;
  sink_.define(std::move(members));
  event.new_comm = *comms.find(comm);
}

void Session::made_like(trace::Event& event, MPI_Comm comm, MPI_Comm parent) {
  sink_.define(world_ranks(parent));
  event.new_comm = comms.add_like(comm);
}

void Session::lose(const char* operation, const char* reason) {
  if (window_.contains(place_)) sink_.lose(operation, reason);
}

void Session::fold_polls(trace::Event& event) {
  if (polls_.polls == 0) return;
  if (event.op == polls_.op) {
    event.polls = polls_.polls;
    event.polling = polls_.polling + event.compute;
    event.compute = polls_.compute;
    event.duration += polls_.duration;
  } else {
    sink_.put(polls_, 0, wall_ns_);
  }
  polls_.polls = 0;
}

bool Session::pass(const trace::Event& event, std::int64_t now_ns) {
  const bool inside = window_.contains(place_);
  if (inside) wall_ns_ += now_ns - previous_ns_;
  previous_ns_ = now_ns;
  if (event.comm == trace::world && trace::class_of(event.op) == trace::OpClass::collective) ++place_;
  return inside || event.op == trace::Op::finalize;
}

void Session::commit(trace::Event& event, std::int64_t compute_ns, std::int64_t duration_ns,
                     std::int64_t now_ns) {
  if (!pass(event, now_ns)) return;
  if (event.op != trace::Op::finalize && !pthread_equal(caller_.value_or(pthread_self()), pthread_self()))
    sink_.lose("calls of other threads", "played as if one thread made all calls in turn");
  caller_ = caller_.value_or(pthread_self());
  event.compute = seconds(compute_ns);
  event.duration = seconds(duration_ns);
  fold_polls(event);
  sink_.put(event, now_ns, wall_ns_);
  if (!sink_.is_open()) recording_ = false;
}

void Session::poll(trace::Op op, std::int64_t compute_ns, std::int64_t duration_ns, std::int64_t now_ns) {
  if (!window_.contains(place_)) return;
  if (polls_.polls > 0 && polls_.op == op) {
    ++polls_.polls;
    polls_.polling += seconds(compute_ns);
    polls_.duration += seconds(duration_ns);
    return;
  }
  if (polls_.polls > 0) sink_.put(polls_, now_ns, wall_ns_);
  clear(polls_);
  polls_.op = op;
  polls_.polls = 1;
  polls_.compute = seconds(compute_ns);
  polls_.duration = seconds(duration_ns);
}

bool inside_call() {
  return thread_clock.depth > 0;
}

Call::Call() : outermost_(thread_clock.depth++ == 0) {
  if (!outermost_) return;
  const std::int64_t cpu = cpu_ns();
  thread_clock.pending_ns += std::max<std::int64_t>(cpu - thread_clock.since_ns - reading_cost_ns, 0);
  begin_ns_ = wall_ns();
}

void Call::returned() {
  end_ns_ = wall_ns();
}

void Call::commit(trace::Event& event) {
  Session::instance().commit(event, std::exchange(thread_clock.pending_ns, 0),
                             used_ ? 0 : end_ns_ - begin_ns_, end_ns_);
  used_ = true;
}

void Call::poll(trace::Op op) {
  Session::instance().poll(op, std::exchange(thread_clock.pending_ns, 0), end_ns_ - begin_ns_, end_ns_);
}

Call::~Call() {
  --thread_clock.depth;
  if (outermost_) thread_clock.since_ns = cpu_ns();
}

}  // namespace collcast::recorder
