// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/player.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "support/error.hpp"
#include "support/index.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;
constexpr Seconds never = Seconds(std::numeric_limits<double>::infinity());
constexpr std::array<Seconds Price::*, 3> price_ends = {&Price::low, &Price::time, &Price::high};

/// An activity, by its role and its place there.
struct Ref {
  int role, activity;
};

/// The price of a message.
struct Arrival {
  Seconds time;
  Ref sent;
};

/// A task under way: one activity, or those of several roles that are one operation.
struct Task {
  std::vector<Ref> parts;
  Seconds left;
  bool communication;
  bool by_host = false;  ///< a collective that waits for computation
  double load = 0;       ///< as its price says
  bool between_nodes = false;
};

/// A role as it is played. The coordinator's activities are appended as they come.
struct State {
  std::vector<JobActivity> activities;
  std::vector<char> announced, done;
  std::vector<Seconds> begun, moving_since;
  std::vector<int> order;                ///< activities in the order in which they are done
  std::vector<std::vector<int>> queue;   ///< activities per stream, in order
  std::vector<std::size_t> next;         ///< next activity in each queue
  int computing = 0, communicating = 0;  ///< tasks under way, without collectives that wait for computation
  int working = 0;                       ///< computing tasks on the first stream
  bool moving = false;                   ///< some communication of the role advances
  std::array<std::array<double, 2>, 2> load = {};  ///< of moving tasks: within and between nodes, out and in
  Seconds communication, hidden, waiting, agreement;
  Seconds free_out, free_in;  ///< when the messages under way have left, and have come in

  // of the coordinator
  std::vector<int> pending;  ///< offers that are in no buffer yet
  int offers = 0, offered = 0, taken = 0, unreduced = 0;
  Seconds wake = never, last;  ///< the next round with something to do, and the one before
  std::map<int, int> carried;  ///< tensors of a buffer, by the buffer's last activity
  struct Round {
    Seconds begin;
    std::vector<int> tensors;
  };
  std::map<int, Round> rounds;  ///< by the activity of their agreement

  int append(const JobActivity& a) {
    const int index = static_cast<int>(activities.size());
    activities.push_back(a);
    announced.push_back(0), done.push_back(0), begun.emplace_back(), moving_since.emplace_back();
    queue[to_index(a.stream)].push_back(index);
    return index;
  }
};

class Player {
 public:
  Player(const Job& job, const PriceOf& price, End end)
      : job_(job), price_(price), end_(price_ends[static_cast<std::size_t>(end)]) {
    for (const Role& role : job.roles) add(role);
    if (!job.coordinator) return;
    int tensors = 0;
    for (const State& s : roles_) tensors = std::max(tensors, s.offers);
    round_ =
        round_time(*job.coordinator, job.members(job.groups[to_index(job.coordinator->group)].dimensions),
                   tensors, price, end_);
  }

  Played run() {
    start_all();
    while (!tasks_.empty() || next_wake() < never) step();
    check_finished();
    result_.time = now_;
    for (std::size_t r = 0; r < roles_.size(); ++r) {
      const State& s = roles_[r];
      result_.agreement = std::max(result_.agreement, s.agreement);
      const Seconds compute = computation(job_.roles[r]);
      if (r > 0 && compute <= result_.compute) continue;
      result_.compute = compute, result_.communication = s.communication, result_.hidden = s.hidden;
      result_.waiting = s.waiting > 1e-12 * now_ ? s.waiting : Seconds();
    }
    Seconds most;
    for (const auto& [limit, time] : limits_)
      if (time > most) result_.limited_by = limit, most = time;
    return std::move(result_);
  }

  /// The job as it was played, without its coordinator, with the activities of each role in the order in
  /// which they ended. To be called after `run`.
  Job played_job() const {
    Job job = job_;
    job.coordinator.reset();
    job.streams.emplace_back("agreement");
    for (std::size_t r = 0; r < roles_.size(); ++r) job.roles[r].activities = activities_of(roles_[r]);
    return job;
  }

 private:
  void add(const Role& role) {
    State s;
    const std::size_t agreements = job_.coordinator ? 1 : 0;  // agreements have a stream of their own
    s.queue.resize(job_.streams.size() + agreements);
    s.next.resize(s.queue.size());
    for (const JobActivity& a : role.activities) {
      s.offers += a.kind == Kind::offer;
      s.append(a);
    }
    if (job_.coordinator) s.last = job_.coordinator->phase - job_.coordinator->cycle;
    roles_.push_back(std::move(s));
  }

  State& state(int role) { return roles_[to_index(role)]; }
  const JobActivity& activity(Ref r) { return state(r.role).activities[to_index(r.activity)]; }

  void start_all() {
    for (int r = 0; r < static_cast<int>(roles_.size()); ++r)
      for (std::size_t s = 0; s < state(r).queue.size(); ++s)
        while (advance(r, s)) continue;
  }

  bool ready(const State& s, const JobActivity& a) const {
    const auto done = [&](int i) { return s.done[to_index(i)] != 0; };  // the last is mostly done last
    if (!std::all_of(a.after.rbegin(), a.after.rend(), done)) return false;
    return a.kind != Kind::settle || (s.unreduced == 0 && s.pending.empty());
  }

  /// Moves the most needed push or pull to the front of its stream.
  void put_needed_first(State& s, std::size_t stream) const {
    const auto first = s.queue[stream].begin() + static_cast<std::ptrdiff_t>(s.next[stream]);
    const Kind kind = s.activities[to_index(*first)].kind;
    if ((kind != Kind::push && kind != Kind::pull) || s.announced[to_index(*first)]) return;
    auto needed = s.queue[stream].end();
    for (auto i = first; i != s.queue[stream].end(); ++i) {
      const JobActivity& a = s.activities[to_index(*i)];
      const bool sooner = needed == s.queue[stream].end() || a.tag < s.activities[to_index(*needed)].tag;
      if (sooner && ready(s, a)) needed = i;
    }
    if (needed != s.queue[stream].end()) std::rotate(first, needed, needed + 1);
  }

  /// Starts the next activity of a stream if it can start; true if it ends at once.
  bool advance(int role, std::size_t stream) {
    State& s = state(role);
    if (s.next[stream] == s.queue[stream].size()) return false;
    if (job_.servers && job_.servers->by_need) put_needed_first(s, stream);
    const int index = s.queue[stream][s.next[stream]];
    const JobActivity& a = s.activities[to_index(index)];
    if (s.announced[to_index(index)] || !ready(s, a)) return false;
    s.announced[to_index(index)] = 1;
    s.begun[to_index(index)] = s.moving_since[to_index(index)] = now_;
    if (a.kind == Kind::offer) offer(s, index);
    if (a.kind != Kind::offer && a.kind != Kind::settle) {
      announce({role, index});
      return false;
    }
    finish({role, index});
    return true;
  }

  /// What counterparts have in common.
  struct Key {
    Kind kind;
    int group, from, to, tag;
    auto operator<=>(const Key&) const = default;
  };

  /// How many roles an activity is part of.
  std::size_t roles_of(const JobActivity& a) const {
    if (a.kind == Kind::send || a.kind == Kind::receive) return 2;
    if (a.kind != Kind::collective || job_.role_dimension < 0) return 1;
    const auto& dimensions = job_.groups[to_index(a.group)].dimensions;
    return std::ranges::find(dimensions, job_.role_dimension) == dimensions.end() ? 1 : roles_.size();
  }

  /// Announces a part of an operation. As streams are ordered, the parts of an operation meet under their key
  /// in order.
  void announce(Ref ref) {
    const JobActivity& a = activity(ref);
    const std::size_t needed = roles_of(a);
    if (needed == 1) return begin(std::vector{ref});
    const Key key = a.kind == Kind::collective ? Key{a.kind, a.group, 0, 0, 0}
                    : a.kind == Kind::send     ? Key{Kind::send, 0, ref.role, a.peer, a.tag}
                                               : Key{Kind::send, 0, a.peer, ref.role, a.tag};
    if (a.kind == Kind::receive && !arrivals_[key].empty()) return take(ref, arrivals_[key]);
    std::vector<Ref>& waiting = waiting_[key];
    if (!waiting.empty()) require_alike(waiting[0], ref);
    if (a.kind == Kind::send)
      if (const auto departure = price_(call(ref)).departure) return leave(ref, key, *departure);
    waiting.push_back(ref);
    if (waiting.size() == needed) begin(std::exchange(waiting, {}));
  }

  /// Throws InputError unless both can be parts of one operation.
  void require_alike(Ref one, Ref other) {
    const JobActivity &a = activity(one), &b = activity(other);
    const bool collective = a.kind == Kind::collective;
    if (a.bytes == b.bytes && (!collective || (a.collective == b.collective && a.algorithm == b.algorithm &&
                                               a.progress == b.progress)))
      return;
    const auto told = [&](const JobActivity& part, Ref ref) {
      const std::string what = collective                ? std::string(definition(part.collective).name)
                               : part.kind == Kind::send ? "send"
                                                         : "receive";
      return "'" + part.name + "' of " + job_.roles[to_index(ref.role)].name + " (" + what + ", " +
             text::plain(part.bytes.value) + " B" + (part.algorithm.empty() ? "" : ", " + part.algorithm) +
             (part.progress == Progress::host  ? ", brought on by the host"
              : part.progress == Progress::dpu ? ", played by DPUs"
                                               : "") +
             ")";
    };
    throw InputError("job " + job_.name + ": " + told(a, one) + " and " + told(b, other) +
                     " meet, and have to be alike");
  }

  void begin(std::vector<Ref> parts) {
    const JobActivity& a = activity(parts[0]);
    const bool communication = a.kind != Kind::compute;
    const bool by_host = a.kind == Kind::collective && a.progress == Progress::host;
    if (!communication) return begin(Task{std::move(parts), a.time, false});
    const Price p = paid(call(parts[0]));
    begin(Task{std::move(parts), p.*end_, true, by_host, p.load, p.between_nodes});
  }
  void begin(Task task) {
    count(task, 1);
    tasks_.push_back(std::move(task));
  }

  /// Counts a task that begins (1) or ends (-1) in its roles.
  void count(const Task& task, int change) {
    for (const Ref r : task.parts) {
      State& s = state(r.role);
      if (!task.communication) s.computing += change;
      if (!task.communication && s.activities[to_index(r.activity)].stream == 0) s.working += change;
      if (task.communication && !task.by_host) s.communicating += change;
      if (change > 0) s.moving_since[to_index(r.activity)] = now_;
    }
  }

  /// Sends a message that does not wait for its receiver; it follows the messages that sender and receiver
  /// have under way.
  void leave(Ref ref, const Key& key, const Departure& departure) {
    State &from = state(ref.role), &to = state(activity(ref).peer);
    const Seconds start = std::max(now_, from.free_out);
    from.free_out = start + departure.occupies;
    to.free_in = std::max(start + paid(call(ref)).*end_, to.free_in + departure.occupies);
    begin(Task{{ref}, departure.overhead, true});
    if (waiting_[key].empty())
      arrivals_[key].push_back({to.free_in, ref});
    else
      begin(Task{std::exchange(waiting_[key], {}), to.free_in - now_, true});
  }
  void take(Ref ref, std::deque<Arrival>& arrivals) {
    require_alike(arrivals.front().sent, ref);
    begin(Task{{ref}, std::max(Seconds(), arrivals.front().time - now_), true});
    arrivals.pop_front();
  }

  Price paid(const GroupCall& call) {
    Price p = price_(call);
    limits_[p.limited_by] += p.*end_;
    return p;
  }

  GroupCall call(Ref ref) {
    const JobActivity& a = activity(ref);
    if (a.kind == Kind::collective)
      return {a.collective, job_.members(job_.groups[to_index(a.group)].dimensions),
              a.bytes,      false,
              false,        a.progress == Progress::dpu,
              a.algorithm};
    if (a.kind == Kind::push || a.kind == Kind::pull) {
      const Rank distance = job_.servers->distance;
      return {.collective = Collective::sendrecv,
              .group = {{{2, distance}}, std::max(job_.ranks(), 2 * distance)},
              .bytes = a.bytes,
              .served = true};
    }
    GroupCall& message = messages_[{std::minmax(ref.role, a.peer), a.bytes}];
    if (message.group.dimensions.empty()) message = slowest(ref.role, a.peer, a.bytes);
    return message;
  }

  /// The slowest message between two roles: of the many pairs of ranks, some lie on one node and some on two.
  GroupCall slowest(int role, int peer, Bytes bytes) {
    Rank within = 1;  // consecutive ranks of a role
    for (int d = 0; d < job_.role_dimension; ++d) within *= job_.dimensions[to_index(d)].size;
    const Rank period = within * static_cast<Rank>(roles_.size());
    GroupCall call{Collective::sendrecv, {{{2, std::abs(role - peer) * within}}, job_.ranks()}, bytes};
    GroupCall slowest;
    Seconds most(-1);
    for (Rank replica = 0; replica < job_.ranks(); replica += period)
      for (Rank r = 0; r < within; ++r) {
        call.group.first = replica + std::min(role, peer) * within + r;
        if (const Seconds time = price_(call).*end_; time > most) most = time, slowest = call;
      }
    return slowest;
  }

  bool stands(const Task& task) {
    return task.by_host &&
           std::ranges::any_of(task.parts, [&](Ref r) { return state(r.role).computing > 0; });
  }
  /// The loads that a part of a task adds to: those of its rank's links.
  std::vector<double*> loads(const Task& task, Ref part) {
    auto& [out, in] = state(part.role).load[task.between_nodes ? 1 : 0];
    const Kind kind = activity(part).kind;
    const bool serves = kind == Kind::push || kind == Kind::pull;
    if (kind == Kind::collective || (serves && job_.servers->beside)) return {&out, &in};
    return {kind == Kind::send || kind == Kind::push ? &out : &in};
  }
  /// Adds up the loads on the links of each role by all tasks under way.
  void load() {
    for (State& s : roles_) s.load = {};
    for (const Task& t : tasks_)
      for (const Ref r : t.parts)
        if (t.load > 0 && !stands(t))
          for (double* of : loads(t, r)) *of += t.load;
  }

  /// How fast a task advances: more slowly by as much as its links are overloaded.
  double rate(const Task& task) {
    if (!task.communication) return state(task.parts[0].role).communicating > 0 ? 1 / (1 + job_.slowdown) : 1;
    if (stands(task)) return 0;
    double most = 1;
    if (task.load > 0)
      for (const Ref r : task.parts)
        for (const double* of : loads(task, r)) most = std::max(most, *of);
    return 1 / most;
  }
  /// The time until a task ends; for ever if it stands still, unless nothing of it is left.
  Seconds remaining(const Task& task) {
    const double pace = rate(task);
    return pace > 0 ? task.left / pace : task.left > Seconds() ? never : Seconds();
  }

  Seconds next_wake() const {
    Seconds first = never;
    for (const State& s : roles_) first = std::min(first, s.wake);
    return first;
  }

  /// Goes on to the next end of a task, or the next round of a coordinator.
  void step() {
    end_if_interrupted();
    load();
    Seconds ahead = next_wake() - now_;
    for (const Task& t : tasks_) ahead = std::min(ahead, remaining(t));
    if (!(now_ + ahead < never))
      throw InputError("job " + job_.name + ": its times add up to more than a number can say");
    std::vector<Task> over;
    std::erase_if(tasks_, [&](Task& t) {
      const bool ends = remaining(t) <= ahead;
      t.left -= ahead * rate(t);
      for (const Ref r : t.parts) state(r.role).moving |= t.communication && rate(t) > 0;
      if (ends) over.push_back(std::move(t));
      return ends;
    });
    for (State& s : roles_) {
      const bool moving = std::exchange(s.moving, false);
      if (moving) s.communication += ahead;
      if (moving && s.working > 0) s.hidden += ahead;
      if (!moving && s.computing == 0) s.waiting += ahead;
    }
    now_ += ahead;
    for (const Task& t : over) {
      count(t, -1);
      for (const Ref r : t.parts) finish(r);
    }
    for (State& s : roles_)
      if (s.wake <= now_) wake(s);
    start_all();
  }

  void finish(Ref ref) {
    State& s = state(ref.role);
    const JobActivity& a = activity(ref);
    s.done[to_index(ref.activity)] = 1;
    s.order.push_back(ref.activity);
    ++s.next[to_index(a.stream)];
    result_.spans.push_back({ref.role, a.stream, a.kind, a.name, a.part.empty() ? a.name : a.part, a.bytes,
                             s.begun[to_index(ref.activity)], s.moving_since[to_index(ref.activity)], now_});
    if (const auto buffer = s.carried.find(ref.activity); buffer != s.carried.end())
      s.unreduced -= buffer->second;
  }

  void check_finished() {
    for (std::size_t r = 0; r < roles_.size(); ++r)
      for (std::size_t s = 0; s < roles_[r].queue.size(); ++s)
        if (const State& role = roles_[r]; role.next[s] < role.queue[s].size())
          throw InputError(
              "job " + job_.name + ": '" + role.activities[to_index(role.queue[s][role.next[s]])].name +
              "' of " + job_.roles[r].name +
              " waits for ever: its counterpart never comes, or what it comes after waits for it");
  }

  /// Takes an offer and sets the next round. Rounds follow each other all the time; those with nothing to do
  /// are skipped.
  void offer(State& s, int index) {
    const Coordinator& c = *job_.coordinator;
    s.pending.push_back(index);
    ++s.offered;
    if (s.wake < never || grouped(s.offered, s.offers, c.groups) == s.taken) return;
    const Seconds period = std::max(c.cycle, round_.empty);
    const double rounds = period.value > 0 && now_ > s.last ? std::ceil((now_ - s.last) / period) : 0;
    s.wake = std::max(now_, s.last + rounds * period);
  }

  /// A round of the coordinator: agrees, then sends the buffers.
  void wake(State& s) {
    const Coordinator& c = *job_.coordinator;
    std::vector<Bytes> sizes;
    const int agreeable = grouped(s.offered, s.offers, c.groups) - s.taken;
    for (int k = 0; k < agreeable; ++k) sizes.push_back(s.activities[to_index(s.pending[to_index(k)])].bytes);
    const Seconds agreement = round_.with(sizes.size());
    s.agreement += agreement;
    limits_["the coordinator's rounds"] += agreement;
    const int agreed = s.append({.kind = Kind::compute,
                                 .name = "agree",
                                 .stream = static_cast<int>(job_.streams.size()),
                                 .time = agreement});
    for (const std::vector<int>& buffer : fuse(sizes, c.threshold)) {
      Bytes bytes;
      for (const int t : buffer) bytes += sizes[to_index(t)];
      enqueue(s, bytes, static_cast<int>(buffer.size()), agreed);
    }
    s.rounds[agreed] = {now_, {s.pending.begin(), s.pending.begin() + agreeable}};
    s.pending.erase(s.pending.begin(), s.pending.begin() + agreeable);
    s.taken += agreeable;
    s.last = now_ + std::max(c.cycle, agreement);
    s.wake = never;
  }

  void enqueue(State& s, Bytes bytes, int tensors, int agreed) {
    const Coordinator& c = *job_.coordinator;
    const Seconds copy = (tensors > 1 ? bytes * c.copy : Seconds()) + bytes * c.shared;
    const std::string name = std::to_string(tensors) + (tensors == 1 ? " tensor" : " tensors");
    s.append({.kind = Kind::compute, .name = "copy in", .stream = c.stream, .time = copy, .after = {agreed}});
    for (const Coordinator::Phase& p : c.phases)
      s.append({.kind = Kind::collective,
                .name = name,
                .stream = c.stream,
                .bytes = bytes * p.share,
                .collective = p.collective,
                .group = p.group,
                .part = job_.collective_of(p.group, p.collective)});
    const int last = s.append({.kind = Kind::compute, .name = "copy out", .stream = c.stream, .time = copy});
    s.unreduced += tensors;
    s.carried[last] = tensors;
  }

  /// The activities in the order in which they ended, so that each follows those in its `after`.
  std::vector<JobActivity> activities_of(const State& s) const {
    std::vector<JobActivity> all;
    std::vector<int> place(s.activities.size()), last;
    const auto places = [&](const std::vector<int>& of) {
      std::vector<int> result;
      for (const int i : of) result.push_back(place[to_index(i)]);
      return result;
    };
    Seconds agreed;  // end of the rounds before
    for (const int index : s.order) {
      JobActivity a = s.activities[to_index(index)];
      a.after = places(a.after);
      if (a.kind == Kind::settle) a.after = places(last);
      if (a.kind == Kind::offer || a.kind == Kind::settle) a.kind = Kind::compute, a.bytes = Bytes();
      if (s.carried.contains(index)) last.push_back(index);
      if (const auto round = s.rounds.find(index); round != s.rounds.end()) {
        const auto& [begin, tensors] = round->second;
        Seconds ready = agreed;
        for (const int t : tensors) ready = std::max(ready, s.begun[to_index(t)]);
        all.push_back({.name = "until the round",
                       .stream = a.stream,
                       .time = std::max(Seconds(), begin - ready),
                       .after = places(tensors),
                       .is_wait = true});
        agreed = begin + a.time;
      }
      place[to_index(index)] = static_cast<int>(all.size());
      all.push_back(std::move(a));
    }
    return all;
  }

  const Job& job_;
  const PriceOf& price_;
  Seconds Price::*end_;
  std::vector<State> roles_;
  std::vector<Task> tasks_;
  std::map<Key, std::vector<Ref>> waiting_;
  std::map<Key, std::deque<Arrival>> arrivals_;  ///< messages that no receiver waits for yet
  std::map<std::pair<std::pair<int, int>, Bytes>, GroupCall> messages_;
  std::map<std::string, Seconds> limits_;
  RoundTime round_;
  Seconds now_;
  Played result_;
};

}  // namespace

Played play(const Job& job, const PriceOf& price, End end) {
  job.check();
  return Player(job, price, end).run();
}

Job without_coordinator(const Job& job, const PriceOf& price, End end) {
  if (!job.coordinator) return job;
  job.check();
  Player player(job, price, end);
  player.run();
  return player.played_job();
}

Seconds computation(const Role& role) {
  Seconds sum;
  for (const JobActivity& a : role.activities)
    if (a.kind == Kind::compute && a.stream == 0) sum += a.time;
  return sum;
}

Seconds computation(const Job& job) {
  Seconds most;
  for (const Role& role : job.roles) most = std::max(most, computation(role));
  return most;
}

}  // namespace collcast::workloads
