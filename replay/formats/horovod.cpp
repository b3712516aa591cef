// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/horovod.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Tensors of one fused operation begin within this of each other [us].
constexpr double fused_us = 50;

/// One operation: some tensors, reduced together [us].
struct Operation {
  Collective collective;
  double begin, end = -1;
  Bytes message;
  bool sized = true;
  std::size_t open = 0;          ///< tensors under way
  std::map<Rank, double> ready;  ///< when the last of its tensors was ready
};

/// A tensor's row of the timeline.
struct Tensor {
  std::map<Rank, double> ready;
  std::vector<std::string> open;  ///< names of what has begun
  std::ptrdiff_t operation = -1;
  double left = -1;  ///< when it began to be copied out of the fusion buffer
};

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
  Rank ranks = 0;
  std::set<Rank> ticked;
  std::int64_t unfinished = 0;
  double first() const { return first_; }
  double last() const { return last_; }

 private:
  void tick(Tensor& tensor, std::string_view name, double at) {
    Rank rank = -1;
    std::from_chars(name.data(), name.data() + name.size(), rank);
    if (rank < 0 || rank >= most_recorded_ranks || tensor.open.empty()) return;
    ranks = std::max(ranks, rank + 1);
    ticked.insert(rank);
    tensor.ready[rank] = at;
  }

  void begin(Tensor& tensor, std::string_view name, double at) {
    constexpr std::size_t deepest = 64;
    if (tensor.open.size() < deepest) tensor.open.emplace_back(name);
    if (name.starts_with("MEMCPY_OUT") && tensor.left < 0) tensor.left = at;
    const bool moves = name.find('_') != std::string_view::npos && !name.starts_with("NEGOTIATE") &&
                       !name.starts_with("MEMCPY") && !name.starts_with("WAIT") &&
                       !name.starts_with("INIT") && collective_of(name);
    if (!moves || tensor.operation >= 0 || tensor.open.size() < 2) return;
    const auto collective = collective_of(tensor.open[0]);
    if (!collective) return;
    const bool joins = !operations.empty() && at - last_begin_ <= fused_us && operations.back().end < 0 &&
                       operations.back().collective == *collective;
    if (!joins) operations.push_back({*collective, at, -1, {}, true, 0, {}});
    last_begin_ = at;
    tensor.operation = static_cast<std::ptrdiff_t>(operations.size()) - 1;
    tensor.left = -1;
    Operation& op = operations.back();
    ++op.open;
    for (const auto& [rank, when] : tensor.ready) {
      double& ready = op.ready.emplace(rank, when).first->second;
      ready = std::max(ready, when);
    }
    tensor.ready.clear();
  }

  void end(Tensor& tensor, const JsonValue& args, double at) {
    if (tensor.open.empty()) return;
    tensor.open.pop_back();
    if (!tensor.open.empty() || tensor.operation < 0) return;
    Operation& op = operations[static_cast<std::size_t>(tensor.operation)];
    const double size = elements(args["shape"].text()) * element_bytes(args["dtype"].text());
    op.sized = op.sized && size > 0;
    op.message += Bytes(std::max(size, 0.0));
    op.end = std::max(op.end, tensor.left >= 0 ? tensor.left : at);
    --op.open;
    tensor.operation = -1;
    tensor.left = -1;
  }

  std::map<std::pair<std::int64_t, std::int64_t>, Tensor> tensors_;
  double first_ = -1, last_ = -1, last_begin_ = -1e18;
};

/// One rank's two streams. Stream 0 waits for the operations before where none of its tensors was under way.
class HorovodRank {
 public:
  HorovodRank(RecordedSource& source, const Timeline& timeline, Rank rank)
      : timeline_(timeline), ready_(source.at(rank, 0)), reduced_(source.at(rank, 1)), rank_(rank) {}

  void build() {
    // Operations in the order in which this rank was ready for them.
    std::vector<std::pair<double, std::size_t>> ticks;
    for (std::size_t i = 0; i < timeline_.operations.size(); ++i) ticks.emplace_back(ready(i), i);
    std::ranges::stable_sort(ticks);
    std::vector<std::int64_t> number(ticks.size());
    std::size_t done = 0;
    double now = timeline_.first();
    for (std::size_t t = 0; t < ticks.size(); ++t) {
      const auto [at, i] = ticks[t];
      number[i] = static_cast<std::int64_t>(t) + 1;
      now = idle_until(at, ticks, t, done, now);
      compute(now, at);
      now = std::max(now, at);
      ready_.emplace_back().kind = Activity::Kind::record;
    }
    double free = timeline_.first();
    for (std::size_t i = 0; i < timeline_.operations.size(); ++i) free = operation(i, number[i], free);
  }

 private:
  double ready(std::size_t i) const {
    const Operation& op = timeline_.operations[i];
    const auto mine = op.ready.find(rank_);
    return mine == op.ready.end() ? op.begin : mine->second;
  }

  /// If all that this rank was ready for before had ended by `at`, the stream awaits it.
  double idle_until(double at, const std::vector<std::pair<double, std::size_t>>& ticks, std::size_t t,
                    std::size_t& done, double now) {
    double end = -1;
    std::size_t last = 0;
    for (std::size_t k = std::max(done, t < 1024 ? 0 : t - 1024); k < t; ++k) {
      end = std::max(end, timeline_.operations[ticks[k].second].end);
      last = std::max(last, ticks[k].second);
    }
    if (t == done || end > at) return now;
    done = t;
    Activity& a = ready_.emplace_back();
    a.kind = Activity::Kind::await;
    a.stream = 1;
    a.count = static_cast<std::int64_t>(last) + 1;
    return std::max(now, end);
  }

  void compute(double from, double to) {
    if (to <= from) return;
    Activity& a = ready_.emplace_back();
    a.time = a.duration = Seconds(1e-6 * (to - from));
    a.begin = Seconds(1e-6 * (from - timeline_.first()));
  }

  double operation(std::size_t i, std::int64_t record, double free) {
    const Operation& op = timeline_.operations[i];
    Activity& await = reduced_.emplace_back();
    await.kind = Activity::Kind::await;
    await.count = record;
    double all_ready = ready(i);
    for (const auto& [rank, at] : op.ready) all_ready = std::max(all_ready, at);
    if (const double from = std::max(free, all_ready); op.begin > from) {
      Activity& a = reduced_.emplace_back();
      a.kind = Activity::Kind::pause;
      a.time = Seconds(1e-6 * (op.begin - from));
    }
    Activity a = collective_activity(op.collective, 0, op.message);
    a.sized = op.sized;
    a.begin = Seconds(1e-6 * (op.begin - timeline_.first()));
    a.duration = a.time = Seconds(1e-6 * (op.end - op.begin));
    reduced_.push_back(std::move(a));
    reduced_.emplace_back().kind = Activity::Kind::record;
    return std::max(free, op.end);
  }

  const Timeline& timeline_;
  RecordedSource::Stream& ready_;
  RecordedSource::Stream& reduced_;
  Rank rank_;
};

}  // namespace

bool is_horovod(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '[' &&
         head.find("\"ph\"") != std::string_view::npos;
}

std::unique_ptr<Source> open_horovod(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "a Horovod timeline is one file for all ranks");
  Timeline timeline;
  const JsonEnd end = read_elements(files[0], "traceEvents", [&](const JsonValue& e) { timeline.event(e); });
  const auto unfinished =
      std::erase_if(timeline.operations, [](const Operation& op) { return op.end < 0 || op.open > 0; });
  if (timeline.operations.empty())
    throw InputError(files[0] +
                     ": has no operation of Horovod between its begin and its end, as in ALLREDUCE");
  if (static_cast<std::size_t>(timeline.ranks) > 4 * timeline.ticked.size() + 16)
    throw InputError(files[0] + ": rank " + std::to_string(timeline.ranks - 1) +
                     " is ready, and most before it never are");
  auto source = std::make_unique<RecordedSource>(std::max(timeline.ranks, 1));
  SourceInfo& info = source->info();
  info.recorded = Seconds(1e-6 * (timeline.last() - timeline.first()));
  info.unknown = {"what ranks compute (the time until a tensor is ready)",
                  "when an allgather or broadcast is used",
                  "the operations of ranks beyond their readiness: the timeline is rank 0's"};
  if (timeline.ranks == 0) info.notes.push_back("no rank was ever said to be ready: one rank is assumed");
  if (!end.closed)
    info.notes.push_back("the array is not closed, as Horovod leaves it; read as far as it goes");
  if (unfinished)
    info.losses.push_back(
        {"operation", static_cast<std::int64_t>(unfinished), "begun and not ended in the file"});
  if (end.damaged) info.losses.push_back({"event", end.damaged, "damaged"});
  for (Rank r = 0; r < source->ranks(); ++r) HorovodRank(*source, timeline, r).build();
  return source;
}

}  // namespace collcast
