// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/horovod.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Tensors of one fused operation begin within this of each other [us].
constexpr double fused_us = 50;

/// One tensor of an operation.
struct Piece {
  Bytes bytes;
  std::map<Rank, double> ready;  ///< [us]
  std::string type = {};         ///< type of its elements, as the timeline names it
};

/// One operation: some tensors, reduced together [us].
struct Operation {
  Collective collective;
  double begin, end = -1;
  Bytes message;
  bool sized = true;
  std::size_t open = 0;          ///< tensors under way
  std::map<Rank, double> ready;  ///< when the last of its tensors was ready
  std::vector<Piece> pieces = {};
  std::vector<std::pair<Collective, double>> moves = {};  ///< the phases of its first tensor, and when
};

/// A tensor's row of the timeline.
struct Tensor {
  std::map<Rank, double> ready;
  std::vector<std::string> open;  ///< names of its open events
  double began = 0;               ///< the first of them
  std::ptrdiff_t operation = -1;
  std::size_t piece = 0;  ///< index in the operation's pieces
  double left = -1;       ///< when its copy out of the fusion buffer began
};

/// The collective of an operation. Adasum counts as an allreduce: it scales what it adds, but moves the same
/// data.
std::optional<Collective> operation_of(std::string_view name) {
  return name == "ADASUM" ? Collective::allreduce : collective_of(name);
}

double elements(std::string_view shape) {
  const auto sizes = integers(shape);
  if (!sizes) return -1;
  double n = 1;
  for (int s : *sizes) n *= s;
  return n;
}

class Timeline {
 public:
  void event(const JsonValue& e) {
    const std::string_view phase = e["ph"].text(), name = e["name"].text();
    const auto pid = e["pid"].integer(), tid = e["tid"].integer();
    const auto at = e["ts"].number();
    if (!pid || !at) return;
    first_ = first_ < 0 ? *at : std::min(first_, *at);
    last_ = std::max(last_, *at);
    Tensor& tensor = tensors_[{*pid, tid.value_or(0)}];
    if (phase == "B") begin(tensor, name, *at);
    if (phase == "E") end(tensor, e["args"], *at);
    if (phase == "X") tick(tensor, name, *at);
  }

  std::vector<Operation> operations;
  bool by_mpi = false;    ///< some operations
  bool by_hosts = false;  ///< some operations, in host memory, by gloo or oneCCL (once MLSL)
  bool by_gpus = false;   ///< some operations
  std::int64_t adasums = 0;
  Rank ranks = 0;
  std::set<Rank> ticked;
  std::map<std::string, std::int64_t> unknown;  ///< operations that are no collective
  double first() const { return first_; }
  double last() const { return last_; }

 private:
  void tick(Tensor& tensor, std::string_view name, double at) {
    const auto rank = leading_or<Rank>(name, -1);
    if (rank < 0 || rank >= most_recorded_ranks || tensor.open.empty()) return;
    ranks = std::max(ranks, rank + 1);
    ticked.insert(rank);
    tensor.ready[rank] = at;
  }

  void begin(Tensor& tensor, std::string_view name, double at) {
    constexpr std::size_t deepest = 64;
    if (tensor.open.empty()) tensor.began = at;
    if (tensor.open.size() < deepest) tensor.open.emplace_back(name);
    if (tensor.open.size() == 1 && !name.starts_with("NEGOTIATE") && !operation_of(name))
      ++unknown[std::string(name)];
    if (name.starts_with("MEMCPY_OUT") && tensor.left < 0) tensor.left = at;
    const bool moves = name.find('_') != std::string_view::npos && !name.starts_with("NEGOTIATE") &&
                       !name.starts_with("MEMCPY") && !name.starts_with("WAIT") &&
                       !name.starts_with("INIT") && collective_of(name);
    if (!moves || tensor.open.size() < 2) return;
    if (tensor.operation >= 0) {
      if (tensor.piece == 0 && operation_at(tensor).moves.size() < most_moves)
        operation_at(tensor).moves.emplace_back(*collective_of(name), at);
      return;
    }
    const auto collective = operation_of(tensor.open[0]);
    if (!collective) return;
    const bool joins = !operations.empty() && at - last_begin_ <= fused_us && operations.back().end < 0 &&
                       operations.back().collective == *collective;
    if (!joins)
      operations.push_back({*collective, at, -1, {}, true, 0, {}, {}, {{*collective_of(name), at}}});
    adasums += !joins && tensor.open[0] == "ADASUM";
    last_begin_ = at;
    const bool on_hosts = name.starts_with("GLOO_") || name.starts_with("CCL_") || name.starts_with("MLSL_");
    by_mpi |= name.starts_with("MPI_"), by_hosts |= on_hosts, by_gpus |= !on_hosts;
    join(tensor);
  }

  /// The tensor becomes part of the last operation.
  void join(Tensor& tensor) {
    tensor.operation = static_cast<std::ptrdiff_t>(operations.size()) - 1;
    tensor.left = -1;
    Operation& op = operations.back();
    ++op.open;
    for (const auto& [rank, when] : tensor.ready) {
      double& ready = op.ready.emplace(rank, when).first->second;
      ready = std::max(ready, when);
    }
    tensor.piece = op.pieces.size();
    op.pieces.push_back({{}, std::move(tensor.ready)});
    tensor.ready.clear();
  }

  void end(Tensor& tensor, const JsonValue& args, double at) {
    if (tensor.open.empty()) return;
    const std::string name = std::move(tensor.open.back());
    tensor.open.pop_back();
    if (!tensor.open.empty()) return;
    if (tensor.operation < 0) {  // no event inside says how it moves: Horovod's own barrier
      const auto collective = name.starts_with("NEGOTIATE") ? std::nullopt : operation_of(name);
      if (!collective) return;
      operations.push_back({*collective, tensor.began, -1, {}, true, 0, {}});
      join(tensor);
    }
    Operation& op = operation_at(tensor);
    const double size = elements(args["shape"].text()) * element_bytes(args["dtype"].text());
    op.sized = op.collective == Collective::barrier || (op.sized && size > 0);
    op.message += Bytes(std::max(size, 0.0));
    op.pieces[tensor.piece].bytes = Bytes(std::max(size, 0.0));
    op.pieces[tensor.piece].type = args["dtype"].text();
    op.end = std::max(op.end, tensor.left >= 0 ? tensor.left : at);
    --op.open;
    tensor.operation = -1;
    tensor.left = -1;
  }

  static constexpr std::size_t most_moves = 16;
  Operation& operation_at(const Tensor& tensor) {
    return operations[static_cast<std::size_t>(tensor.operation)];
  }

  std::map<std::pair<std::int64_t, std::int64_t>, Tensor> tensors_;
  double first_ = -1, last_ = -1, last_begin_ = -1e18;
};

using Phases = std::shared_ptr<const std::vector<Phase>>;

/// The phases of an allreduce that went node by node: reduce-scatter, allreduce, allgather, or reduce,
/// allreduce, broadcast. In the first form, a reduce and a broadcast beside them move the rest that does not
/// divide. Null: other operations.
Phases phases(const Operation& op) {
  const auto has = [&](Collective c) {
    return std::ranges::any_of(op.moves, [&](const auto& move) { return move.first == c; });
  };
  using enum Collective;
  const bool in_shares = has(reduce_scatter) && has(allgather);
  if (op.collective != allreduce || !has(allreduce) || !(in_shares || (has(reduce) && has(broadcast))))
    return {};
  auto all = std::make_shared<std::vector<Phase>>();
  for (std::size_t i = 0; i < op.moves.size(); ++i) {
    const auto [collective, at] = op.moves[i];
    const double end = i + 1 < op.moves.size() ? op.moves[i + 1].second : op.end;
    const Seconds lasted(1e-6 * (end - at));
    const bool rest = in_shares && (collective == reduce || collective == broadcast);
    if (rest && !all->empty())
      all->back().duration += lasted;
    else if (!rest)
      all->push_back({collective, lasted});
  }
  return all;
}

/// The phases without times, for an operation that is formed anew.
Phases untimed(const Phases& phases) {
  if (!phases) return {};
  auto all = std::make_shared<std::vector<Phase>>();
  for (const Phase& phase : *phases) all->push_back({phase.collective});
  return all;
}

/// What becomes ready together: an operation, or if operations are formed anew, one tensor [us].
struct Item {
  const std::map<Rank, double>* ready;  ///< of the operation or the tensor, which outlives the item
  double begin, end;                    ///< of its operation
  Bytes bytes;
  std::size_t operation;
  std::string_view type = {};  ///< type of its elements; empty: several, or not said

  double ready_at(Rank rank) const {
    const auto mine = ready->find(rank);
    return mine == ready->end() ? begin : mine->second;
  }
  double all_ready() const {
    double last = ready->empty() ? begin : 0;
    for (const auto& [rank, at] : *ready) last = std::max(last, at);
    return last;
  }
};

/// What moves together.
struct Group {
  std::vector<std::size_t> items;
  Collective collective;
  Bytes message;
  bool sized;
  double begin, end;  ///< as recorded; if formed anew, the time of its round, and -1
  Phases phases;
};

struct Plan {
  std::vector<Item> items;
  std::vector<Group> groups;
  bool anew = false;  ///< the groups are not the recorded ones
};

Plan as_recorded(const std::vector<Operation>& operations) {
  Plan plan;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    plan.items.push_back({&op.ready, op.begin, op.end, op.message, i});
    plan.groups.push_back({{i}, op.collective, op.message, op.sized, op.begin, op.end, phases(op)});
  }
  return plan;
}

/// The items in the order in which the rank was ready for them, with the times.
std::vector<std::pair<double, std::size_t>> ticks_of(const std::vector<Item>& items, Rank rank) {
  std::vector<std::pair<double, std::size_t>> ticks;
  for (std::size_t i = 0; i < items.size(); ++i) ticks.emplace_back(items[i].ready_at(rank), i);
  std::ranges::stable_sort(ticks);
  return ticks;
}

/// A place where nothing of a rank was under way: before the item at `position` of its ticks, all items since
/// the last such place (the last one is `last`) had ended, at `end`.
struct Idle {
  std::size_t position, last;
  double end;
};
std::vector<Idle> idles(const std::vector<Item>& items,
                        const std::vector<std::pair<double, std::size_t>>& ticks) {
  std::vector<Idle> all;
  Idle next{0, 0, -1};
  for (std::size_t t = 1; t < ticks.size(); ++t) {
    const std::size_t given = ticks[t - 1].second;
    next = {t, std::max(next.last, given), std::max(next.end, items[given].end)};
    if (next.end > ticks[t].first) continue;
    all.push_back(next);
    next = {0, 0, -1};
  }
  return all;
}

/// Forms operations anew, by Horovod's rounds with another fusion buffer or another cycle. A round takes the
/// tensors that all ranks are ready for, in the order of readiness, up to the buffer's size. Tensors are not
/// fused across an instant at which some rank waited for all that it had submitted before. Without a `cycle`,
/// an operation begins as long after its tensors were ready as in the recording.
class Rounds {
 public:
  Rounds(const Timeline& timeline, const OpenOptions& options)
      : operations_(timeline.operations), first_(timeline.first()), cycle_(1e6 * options.cycle.value) {
    for (const Operation& op : operations_) largest_ = std::max(largest_, op.message);
    fusion_ = options.fusion.value >= 0 ? options.fusion : largest_;
    add_items();
    for (Rank r = 0; r < std::max(timeline.ranks, 1); ++r) add_bounds(r);
  }

  Plan plan() {
    std::vector<std::size_t> part;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      const std::size_t op = plan_.items[i].operation;
      if (i > 0 && op != plan_.items[i - 1].operation && bounds_.contains(op)) fuse(part), part.clear();
      part.push_back(i);
    }
    fuse(part);
    plan_.anew = true;
    return std::move(plan_);
  }
  Bytes fusion() const { return fusion_; }

 private:
  /// Adds the items; tensors of unknown size stay together.
  void add_items() {
    double free = first_;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& op = operations_[i];
      const Item whole{&op.ready, op.begin, op.end, op.message, i};
      delay_.push_back(std::max(0.0, op.begin - std::max(free, whole.all_ready())));
      free = std::max(free, op.end);
      if (!op.sized || op.collective != Collective::allreduce) {
        plan_.items.push_back(whole);
        continue;
      }
      for (const Piece& piece : op.pieces)
        plan_.items.push_back(
            {piece.ready.empty() ? &op.ready : &piece.ready, op.begin, op.end, piece.bytes, i, piece.type});
    }
  }

  /// Adds the operations before which the rank was idle.
  void add_bounds(Rank rank) {
    const auto ticks = ticks_of(plan_.items, rank);
    std::vector<std::size_t> least(ticks.size() + 1, operations_.size());
    for (std::size_t t = ticks.size(); t-- > 0;)
      least[t] = std::min(least[t + 1], plan_.items[ticks[t].second].operation);
    for (const Idle& idle : idles(plan_.items, ticks)) bounds_.insert(least[idle.position]);
  }

  double round(const Item& item) const {
    const double ready = item.all_ready();
    if (cycle_ <= 0) return ready + delay_[item.operation];
    return first_ + cycle_ * std::ceil((ready - first_) / cycle_ - 1e-9);
  }

  /// Fuses the tensors of a round that are ready and of one type, as far as they fit. Others are skipped as
  /// long as they would fit as well, and are fused afterwards (horovod/common/controller.cc).
  void fuse(std::vector<std::size_t> part) {
    std::ranges::stable_sort(part, {}, [&](std::size_t i) { return plan_.items[i].all_ready(); });
    std::vector<bool> taken(part.size());
    for (std::size_t at = 0; at < part.size(); ++at) {
      if (taken[at]) continue;
      const Item& head = plan_.items[part[at]];
      const Operation& of = operations_[head.operation];
      round_ = std::max(round_, round(head));
      Group group{{}, of.collective, {}, of.sized, round_, -1, untimed(phases(of))};
      const bool alone = !of.sized || of.collective != Collective::allreduce;
      Bytes passed;
      for (std::size_t next = at; next < part.size(); ++next) {
        const Item& item = plan_.items[part[next]];
        if (taken[next]) continue;
        if (next > at && (alone || item.all_ready() > group.begin)) break;
        if (next > at && (item.type != head.type || !joins(group, item))) {
          passed += item.bytes;
          if (group.message + passed > fusion_) break;
          continue;
        }
        taken[next] = true;
        group.message += item.bytes;
        group.items.push_back(part[next]);
      }
      plan_.groups.push_back(std::move(group));
    }
  }
  bool joins(const Group& group, const Item& next) const {
    const Operation& of = operations_[next.operation];
    return of.sized && of.collective == Collective::allreduce && group.message + next.bytes <= fusion_;
  }

  const std::vector<Operation>& operations_;
  double first_, cycle_, round_ = 0;  ///< [us]
  Bytes fusion_, largest_;
  std::vector<double>
      delay_;  ///< by operation: time from when it is ready and the one before has ended to its begin
  std::set<std::size_t> bounds_;
  Plan plan_;
};

/// One rank's streams. Stream 0 makes tensors ready; where no tensor of the rank was under way, it waits for
/// all that it submitted before. Stream 1 moves the tensors. Stream 2 waits for rounds, if these are formed
/// anew.
class HorovodRank {
 public:
  HorovodRank(RecordedSource& source, const Timeline& timeline, const Plan& plan, Rank rank)
      : plan_(plan),
        first_(timeline.first()),
        ready_(source.at(rank, 0)),
        moved_(source.at(rank, 1)),
        rank_(rank) {
    if (plan.anew) rounds_ = &source.at(rank, 2);
    for (const Item& item : plan.items) {
      whole_.resize(std::max(whole_.size(), item.operation + 1));
      whole_[item.operation] += item.bytes;
    }
  }

  void build() {
    const auto ticks = ticks_of(plan_.items, rank_);
    const std::vector<Idle> idle = idles(plan_.items, ticks);
    const std::vector<std::int64_t> until = groups_until();
    std::vector<std::int64_t> number(ticks.size());
    double now = first_;
    for (std::size_t t = 0, next = 0; t < ticks.size(); ++t) {
      const auto [at, i] = ticks[t];
      number[i] = static_cast<std::int64_t>(t) + 1;
      if (next < idle.size() && idle[next].position == t) {
        ready_.push_back(await_activity(1, until[idle[next].last]));
        now = std::max(now, idle[next++].end);
      }
      compute(now, at);
      now = std::max(now, at);
      ready_.emplace_back().kind = Activity::Kind::record;
    }
    double free = first_;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) free = move(g, number, free);
  }

 private:
  /// By item: the number of groups up to the last group that has this item or an earlier one.
  std::vector<std::int64_t> groups_until() const {
    std::vector<std::int64_t> until(plan_.items.size());
    for (std::size_t g = 0; g < plan_.groups.size(); ++g)
      for (const std::size_t i : plan_.groups[g].items) until[i] = static_cast<std::int64_t>(g) + 1;
    for (std::size_t i = 1; i < until.size(); ++i) until[i] = std::max(until[i], until[i - 1]);
    return until;
  }

  static void pause(RecordedSource::Stream& stream, double us) {
    if (us <= 0) return;
    Activity& a = stream.emplace_back();
    a.kind = Activity::Kind::pause;
    a.operation = a.call = waiting_for_ranks;
    a.time = Seconds(1e-6 * us);
  }

  /// How long the group's tensors took in the recording: of each recorded operation, the share of these
  /// tensors by size.
  double recorded_us(const Group& group) const {
    double us = 0;
    for (const std::size_t i : group.items) {
      const Item& item = plan_.items[i];
      const Bytes whole = whole_[item.operation];
      us += (item.end - item.begin) * (whole > Bytes() ? item.bytes / whole : 1);
    }
    return us;
  }

  void compute(double from, double to) {
    if (to <= from) return;
    Activity& a = ready_.emplace_back();
    a.time = a.duration = Seconds(1e-6 * (to - from));
    a.begin = Seconds(1e-6 * (from - first_));
  }

  double move(std::size_t g, const std::vector<std::int64_t>& number, double free) {
    const Group& group = plan_.groups[g];
    std::int64_t last = 0;
    double mine = first_, all = first_;
    for (const std::size_t i : group.items) {
      last = std::max(last, number[i]);
      mine = std::max(mine, plan_.items[i].ready_at(rank_));
      all = std::max({all, mine, plan_.items[i].all_ready()});
    }
    if (rounds_) {
      rounds_->push_back(await_activity(0, last));
      pause(*rounds_, group.begin - std::max(round_, mine));
      round_ = std::max({round_, mine, group.begin});
      rounds_->emplace_back().kind = Activity::Kind::record;
      moved_.push_back(await_activity(2, static_cast<std::int64_t>(g) + 1));
    } else {
      moved_.push_back(await_activity(0, last));
      pause(moved_, group.begin - std::max(free, all));
    }
    Activity a = collective_activity(group.collective, 0, group.message);
    a.sized = group.sized;
    if (group.sized) a.phases = group.phases;
    a.begin = Seconds(1e-6 * (group.begin - first_));
    const Item& item = plan_.items[group.items[0]];
    a.duration = Seconds(1e-6 * recorded_us(group));
    if (!rounds_) a.time = a.duration;
    if (rounds_ && !group.sized) a.time = Seconds(1e-6 * (item.end - item.begin));
    moved_.push_back(std::move(a));
    moved_.emplace_back().kind = Activity::Kind::record;
    return std::max(free, group.end);
  }

  const Plan& plan_;
  double first_, round_ = 0;  ///< [us]
  RecordedSource::Stream& ready_;
  RecordedSource::Stream& moved_;
  RecordedSource::Stream* rounds_ = nullptr;
  Rank rank_;
  std::vector<Bytes> whole_;  ///< by operation
};

/// Shapes are of results; in reduce-scatters each rank has a share of the result.
void whole_results(Timeline& timeline) {
  for (Operation& op : timeline.operations)
    if (op.collective == Collective::reduce_scatter) {
      op.message = std::max(timeline.ranks, 1) * op.message;
      for (Piece& piece : op.pieces) piece.bytes = std::max(timeline.ranks, 1) * piece.bytes;
    }
}

/// Says what the timeline is of, and what of it is lost or assumed.
void tell(SourceInfo& info, const Timeline& timeline, const JsonEnd& end, std::int64_t unfinished) {
  info.by_mpi = timeline.by_mpi || timeline.by_hosts;
  info.memory = timeline.by_gpus ? Memory::device : Memory::host;
  if (timeline.by_hosts)
    info.notes.push_back(
        timeline.by_gpus
            ? "some operations are gloo's or oneCCL's, in host memory: played as in the GPUs'"
            : "the operations are gloo's or oneCCL's: played in host memory, as an MPI library would");
  if (timeline.adasums)
    info.notes.push_back(std::to_string(timeline.adasums) +
                         " operations of Adasum are played as allreduces, without its scalar products");
  info.waits_recorded = false;  // an operation begins when all ranks are ready
  info.recorded = Seconds(1e-6 * (timeline.last() - timeline.first()));
  info.unknown = {"what ranks compute (the time until a tensor is ready)",
                  "when an allgather or broadcast is used",
                  "the operations of ranks beyond their readiness: the timeline is rank 0's"};
  if (timeline.ranks == 0) info.notes.push_back("no rank was ever said to be ready: one rank is assumed");
  if (!end.closed)
    info.notes.push_back("the array is not closed, as Horovod leaves it; read as far as it goes");
  info.lose("operation", unfinished, "begun and not ended in the file");
  for (const auto& [operation, count] : timeline.unknown)
    info.losses.push_back({operation, count, "an operation that is not known"});
  info.lose("event", end.damaged, "damaged");
}

}  // namespace

bool is_horovod(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  const auto has = [&](std::string_view words) { return head.find(words) != std::string_view::npos; };
  if (first == std::string_view::npos || !has("\"ph\"") || has("\"cat\"")) return false;
  // Tools that show a timeline put the object of a Chrome trace around it.
  return head[first] == '[' ? has("NEGOTIATE") || has("\"process_name\"")
                            : head[first] == '{' && has("\"traceEvents\"") && has("\"NEGOTIATE_");
}

std::unique_ptr<Source> open_horovod(const std::vector<std::string>& files, const OpenOptions& options) {
  require_one(files, "a Horovod timeline is one file for all ranks");
  Timeline timeline;
  const JsonEnd end = read_elements(files[0], "traceEvents", [&](const JsonValue& e) { timeline.event(e); });
  const auto unfinished = static_cast<std::int64_t>(
      std::erase_if(timeline.operations, [](const Operation& op) { return op.end < 0 || op.open > 0; }));
  if (timeline.operations.empty())
    throw InputError(files[0] +
                     ": has no operation of Horovod between its begin and its end, as in ALLREDUCE");
  if (static_cast<std::size_t>(timeline.ranks) > 4 * timeline.ticked.size() + 16)
    throw InputError(files[0] + ": rank " + std::to_string(timeline.ranks - 1) +
                     " is ready, and most before it never are");
  std::ranges::stable_sort(timeline.operations, {}, &Operation::begin);
  whole_results(timeline);
  auto source = std::make_unique<RecordedSource>(std::max(timeline.ranks, 1));
  SourceInfo& info = source->info();
  tell(info, timeline, end, unfinished);
  Plan plan;
  if (options.fuses_anew()) {
    Rounds rounds(timeline, options);
    plan = rounds.plan();
    info.notes.push_back("fused anew into " + std::to_string(plan.groups.size()) + " operations of up to " +
                         text::bytes(rounds.fusion().value) + ", " +
                         std::to_string(timeline.operations.size()) + " were recorded");
  } else {
    plan = as_recorded(timeline.operations);
  }
  info.by_node = std::ranges::count_if(
      plan.groups, [](const Group& group) { return group.sized && group.phases != nullptr; });
  if (info.by_node) info.unknown.push_back("which ranks share a node, by which some allreduces went");
  for (Rank r = 0; r < source->ranks(); ++r) {
    HorovodRank(*source, timeline, plan, r).build();
    source->pack(r);
  }
  return source;
}

}  // namespace collcast
