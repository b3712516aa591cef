// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/player.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "support/error.hpp"
#include "support/index.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"
#include "workloads/job/job_prices.hpp"
#include "workloads/job/role_state.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

Seconds Price::*price_at(End end) {
  return end == End::low ? &Price::low : end == End::high ? &Price::high : &Price::time;
}

/// An activity, by its role and its place there.
struct Ref {
  int role, activity;
};

/// A message that has left, and when it is there.
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

class Player {
 public:
  Player(const Job& job, const PriceOf& price, Seconds Price::*end) : job_(job), prices_(job, price, end) {
    for (const Role& role : job.roles) add(role);
    if (!job.coordinator) return;
    int tensors = 0;
    for (const RoleState& s : roles_) tensors = std::max(tensors, s.rounds.offers);
    round_ =
        round_time(*job.coordinator, job.members(job.groups[to_index(job.coordinator->group)].dimensions),
                   tensors, price, end);
  }

  Played run() {
    start_all();
    while (!tasks_.empty() || next_wake() < never) step();
    check_finished();
    result_.time = now_;
    for (std::size_t r = 0; r < roles_.size(); ++r) {
      const RoleState& s = roles_[r];
      result_.agreement = std::max(result_.agreement, s.rounds.agreement);
      const Seconds compute = computation(job_.roles[r]);
      if (r > 0 && compute <= result_.compute) continue;
      result_.compute = compute, result_.communication = s.communication, result_.hidden = s.hidden;
      result_.waiting = s.waiting > 1e-12 * now_ ? s.waiting : Seconds();
    }
    result_.limited_by = prices_.limited_by();
    return std::move(result_);
  }

  /// The job as it was played, without its coordinator, with the activities of each role in the order in
  /// which they ended. To be called after `run`.
  Job played_job() const {
    Job job = job_;
    job.coordinator.reset();
    job.streams.emplace_back("agreement");
    for (std::size_t r = 0; r < roles_.size(); ++r) job.roles[r].activities = as_ended(roles_[r]);
    return job;
  }

 private:
  void add(const Role& role) {
    RoleState s;
    const std::size_t agreements = job_.coordinator ? 1 : 0;  // agreements have a stream of their own
    s.queue.resize(job_.streams.size() + agreements);
    s.next.resize(s.queue.size());
    for (const JobActivity& a : role.activities) {
      s.rounds.offers += a.kind == Kind::offer;
      s.append(a);
    }
    if (job_.coordinator) s.rounds.last = job_.coordinator->phase - job_.coordinator->cycle;
    roles_.push_back(std::move(s));
  }

  RoleState& state(int role) { return roles_[to_index(role)]; }
  const JobActivity& activity(Ref r) { return state(r.role).activities[to_index(r.activity)]; }

  void start_all() {
    for (int r = 0; r < static_cast<int>(roles_.size()); ++r)
      for (std::size_t s = 0; s < state(r).queue.size(); ++s)
        while (advance(r, s)) continue;
  }

  bool ready(const RoleState& s, const JobActivity& a) const {
    const auto done = [&](int i) { return s.done[to_index(i)] != 0; };  // the last is mostly done last
    if (!std::all_of(a.after.rbegin(), a.after.rend(), done)) return false;
    return a.kind != Kind::settle || (s.rounds.unreduced == 0 && s.rounds.pending.empty());
  }

  /// Moves the most needed push or pull to the front of its stream.
  void put_needed_first(RoleState& s, std::size_t stream) const {
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
    RoleState& s = state(role);
    if (s.next[stream] == s.queue[stream].size()) return false;
    if (job_.servers && job_.servers->by_need) put_needed_first(s, stream);
    const int index = s.queue[stream][s.next[stream]];
    const JobActivity& a = s.activities[to_index(index)];
    if (s.announced[to_index(index)] || !ready(s, a)) return false;
    s.announced[to_index(index)] = 1;
    s.begun[to_index(index)] = s.moving_since[to_index(index)] = now_;
    if (a.kind == Kind::offer) offer(s, index, *job_.coordinator, round_, now_);
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
      if (const auto departure = prices_.departure(ref.role, a)) return leave(ref, key, *departure);
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
    const Price p = prices_.paid(parts[0].role, a);
    begin(Task{std::move(parts), p.time, true, by_host, p.load, p.between_nodes});
  }
  void begin(Task task) {
    count(task, 1);
    tasks_.push_back(std::move(task));
  }

  /// Counts a task that begins (1) or ends (-1) in its roles.
  void count(const Task& task, int change) {
    for (const Ref r : task.parts) {
      RoleState& s = state(r.role);
      if (!task.communication) s.computing += change;
      if (!task.communication && s.activities[to_index(r.activity)].stream == 0) s.working += change;
      if (task.communication && !task.by_host) s.communicating += change;
      if (change > 0) s.moving_since[to_index(r.activity)] = now_;
    }
  }

  /// Sends a message that does not wait for its receiver; it follows the messages that sender and receiver
  /// have under way.
  void leave(Ref ref, const Key& key, const Departure& departure) {
    RoleState &from = state(ref.role), &to = state(activity(ref).peer);
    const Seconds start = std::max(now_, from.free_out);
    from.free_out = start + departure.occupies;
    to.free_in =
        std::max(start + prices_.paid(ref.role, activity(ref)).time, to.free_in + departure.occupies);
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
    for (RoleState& s : roles_) s.load = {};
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
    for (const RoleState& s : roles_) first = std::min(first, s.rounds.wake);
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
    for (RoleState& s : roles_) {
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
    for (RoleState& s : roles_)
      if (s.rounds.wake <= now_) prices_.add("the coordinator's rounds", begin_round(s, job_, round_, now_));
    start_all();
  }

  void finish(Ref ref) {
    RoleState& s = state(ref.role);
    const JobActivity& a = activity(ref);
    s.done[to_index(ref.activity)] = 1;
    s.order.push_back(ref.activity);
    ++s.next[to_index(a.stream)];
    result_.spans.push_back({ref.role, a.stream, a.kind, a.name, a.part.empty() ? a.name : a.part, a.bytes,
                             s.begun[to_index(ref.activity)], s.moving_since[to_index(ref.activity)], now_});
    if (const auto buffer = s.rounds.carried.find(ref.activity); buffer != s.rounds.carried.end())
      s.rounds.unreduced -= buffer->second;
  }

  void check_finished() {
    for (std::size_t r = 0; r < roles_.size(); ++r)
      for (std::size_t s = 0; s < roles_[r].queue.size(); ++s)
        if (const RoleState& role = roles_[r]; role.next[s] < role.queue[s].size())
          throw InputError(
              "job " + job_.name + ": '" + role.activities[to_index(role.queue[s][role.next[s]])].name +
              "' of " + job_.roles[r].name +
              " waits for ever: its counterpart never comes, or what it comes after waits for it");
  }

  const Job& job_;
  JobPrices prices_;
  std::vector<RoleState> roles_;
  std::vector<Task> tasks_;
  std::map<Key, std::vector<Ref>> waiting_;
  std::map<Key, std::deque<Arrival>> arrivals_;  ///< messages that no receiver waits for yet
  RoundTime round_;
  Seconds now_;
  Played result_;
};

}  // namespace

Played play(const Job& job, const PriceOf& price, End end) {
  job.check();
  return Player(job, price, price_at(end)).run();
}

Job without_coordinator(const Job& job, const PriceOf& price, End end) {
  if (!job.coordinator) return job;
  job.check();
  Player player(job, price, price_at(end));
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
