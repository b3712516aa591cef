// SPDX-License-Identifier: Apache-2.0
#include "forecast/predict.hpp"

#include <algorithm>
#include <map>

#include "engines/automatic.hpp"
#include "forecast/spread.hpp"
#include "forecast/transferred.hpp"
#include "forecast/without_bounds.hpp"
#include "libraries/chooser.hpp"
#include "model/bounds/cut_graphs.hpp"
#include "model/critical_path.hpp"
#include "model/load.hpp"
#include "model/lowering.hpp"
#include "model/repeats.hpp"
#include "support/error.hpp"
#include "support/meanwhile.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// The factor by which constants that were published for other machines may be off.
const double guessed = 1 + uncertainty(Stamp::guess);

void largest_first(Prediction& p) {
  if (p.explanation.empty()) return;
  largest_first(p.explanation);
  p.limited_by = p.explanation.front().name;
  p.limited_by_share = p.explanation.front().time / p.time;
}

/// Adds where the time goes, if the engine follows messages.
void explain(Prediction& p, const Fabric& fabric, const SizedSchedule& subject, const Reading& answer) {
  p.explanation = explanation(fabric, answer.chain, launch(fabric, subject.schedule), answer.time,
                              answer.limited_by, {}, answer.links);
  largest_first(p);
}

/// Adds the time that messages wait for each other beyond their own ports, as samples show.
void add_sharing(Prediction& p, Seconds waiting) {
  if (!(waiting > Seconds())) return;
  if (p.limited_by_share) *p.limited_by_share *= 1 - waiting / p.time;
  if (p.explanation.empty()) return;
  p.explanation.push_back({Cause::queue, "links that ranks share", waiting});
  largest_first(p);
}

constexpr std::string_view amplified =
    "long contention amplifies rounding: times are medians of three plays whose messages differ by 1e-9; low "
    "and high include all three";

}  // namespace

BytesPerSecond Prediction::algorithm_bandwidth() const {
  const bool moves = definition(algorithm->collective).whole(call.ranks) > 0;
  return moves && time.value > 0 ? call.message / time : BytesPerSecond();
}

BytesPerSecond Prediction::bus_bandwidth() const {
  return definition(algorithm->collective).bus_factor(call.ranks) * algorithm_bandwidth();
}

Prediction not_below_bound(Prediction p) {
  if (p.time < p.bound.time) {
    if (!p.explanation.empty()) p.explanation.push_back({Cause::queue, p.bound.cut, p.bound.time - p.time});
    p.time = p.bound.time, p.limited_by = p.bound.cut, p.limited_by_share = {};
    largest_first(p);
  }
  p.low = std::min(std::max(p.low, p.bound.least), p.time);
  p.high = std::max({p.high, p.bound.most, p.time});
  return p;
}

std::vector<Rank> served_by(int workers, const Machine& machine) {
  if (workers == 0) return {};
  const int cores = machine.dpu_cores();
  if (cores == 0) throw InputError(machine.platform() + " has no DPU; bluefield-2-cluster has one");
  if (workers < 0 || workers > cores)
    throw InputError("the DPU of a node of " + machine.platform() + " has 1 to " + std::to_string(cores) +
                     " cores for workers, not " + std::to_string(workers));
  std::map<int, std::vector<Rank>> on_node;
  std::vector<Rank> processors;
  for (Rank r = 0; r < machine.ranks(); ++r) {
    std::vector<Rank>& ranks = on_node[machine.node(r)];
    ranks.push_back(r);
    processors.push_back(ranks[(ranks.size() - 1) % static_cast<std::size_t>(workers)]);
  }
  return processors;
}

Forecaster::Platform::Platform(const Description& d, Rank ranks, const Placement& placement, Memory memory,
                               int workers, const Transport& transport,
                               const std::shared_ptr<SharedCutGraphs>& graphs, double stretch)
    : machine(beneath(transport, d), ranks, placement),
      sent(fabric_of(transport, machine, d, stretch)),
      fabric(sent ? *sent : static_cast<const Fabric&>(machine), memory, served_by(workers, machine)),
      description_(d),
      placement_(placement),
      home_(workers == 0 ? memory : Memory::dpu),
      graphs_(graphs),
      bounds_(machine, home_, graphs) {}

Forecaster::Platform::WithoutSoftware::WithoutSoftware(const Description& d, Rank ranks,
                                                       const Placement& placement, Memory home,
                                                       std::shared_ptr<SharedCutGraphs> graphs)
    : machine(beneath({Transport::Kind::links}, d), ranks, placement),
      bounds(machine, home, std::move(graphs)) {}

Bound Forecaster::Platform::bound(const Algorithm& a, const Call& c, Bounds::Of of) const {
  if (of == Bounds::Of::messages) return bounds_(a, c, of);
  std::call_once(made_without_software_, [&] {
    without_software_.emplace(description_, machine.ranks(), placement_, home_, graphs_);
  });
  return without_software_->bounds(a, c, of);
}

Forecaster::Forecaster(const Description& description, Rank ranks, const Placement& placement, Memory memory,
                       int workers, const std::optional<Transport>& transport,
                       std::shared_ptr<SharedCutGraphs> graphs)
    : transport_(transport.value_or(own_transport(description))),
      graphs_(graphs ? std::move(graphs) : std::make_shared<SharedCutGraphs>()),
      nominal_(description, ranks, placement, memory, workers, transport_, graphs_),
      fast_(optimistic(description), ranks, placement, memory, workers, transport_, graphs_, 1 / guessed),
      slow_(pessimistic(description), ranks, placement, memory, workers, transport_, graphs_, guessed),
      ranks_per_node_(nominal_.machine.consecutive_ranks()),
      calibrated_on_(calibrated_on(description)) {}

Capabilities Forecaster::serving(const Demands& needs) const {
  return needs.between_nodes ? nominal_.machine.capabilities() : nominal_.machine.node_capabilities();
}

namespace {

/// Whether all ranks sit on one node whose switches do both, multicast and reduction: NCCL asks for both even
/// where one would do. The textbook's switch counts as one.
bool has_nvls(const Machine& machine, Rank on_a_node) {
  const Capabilities& node = machine.node_capabilities();
  return (machine.ranks_per_node() == 1 || on_a_node >= machine.ranks()) && node.multicast && node.reduction;
}

/// What else NCCL lacks to play in switches: NVLS knows only one protocol, and nothing between nodes.
std::string lacks_for_nccl(const Transport& by, const Algorithm& a, const Machine& machine) {
  const Demands needs = demands(a);
  if (by.kind != Transport::Kind::nccl || !(needs.multicast || needs.reduction)) return {};
  if (by.protocol.protocol != nccl::Protocol::simple)
    return "nccl:Simple, the only protocol of NCCL's that uses what switches multicast or reduce";
  if (needs.between_nodes && occupancy(machine).nodes > 1)
    return "a transport that multicasts or reduces between nodes, which NCCL's does not";
  return {};
}

/// Shifts the messages of a kernel, which begin after its launch, for an observer.
class Launched final : public Observer {
 public:
  Launched(Observer& seen, Seconds launch) : seen_(seen), launch_(launch) {}
  void done(const Interval& i) override { seen_.done(later(i)); }
  void stepped(const Step& s) override { seen_.stepped(later(s)); }
  void used(const Use& u) override { seen_.used(later(u)); }
  void delivered(const Delivery& delivery) override {
    Delivery d = delivery;
    for (Seconds* t : {&d.posted, &d.left, &d.first, &d.arrived, &d.done}) *t += launch_;
    seen_.delivered(d);
  }

 private:
  template <class Event>
  Event later(Event e) const {
    e.begin += launch_, e.end += launch_;
    return e;
  }
  Observer& seen_;
  const Seconds launch_;
};

}  // namespace

std::string Forecaster::lacks(const Algorithm& a) const {
  if (a.name == "nvls" && !has_nvls(nominal_.machine, ranks_per_node_))
    return "a node whose switches multicast and reduce among all ranks (NVLS)";
  if (const std::string missing = lacks_for_nccl(transport_, a, nominal_.machine); !missing.empty())
    return missing;
  const Demands needs = demands(a);
  const Capabilities has = serving(needs);
  if (needs.reduction && !has.reduction) return "a network that reduces messages (in_network_reduction)";
  if (needs.multicast && !has.multicast) return "a network that multicasts (multicast)";
  return {};
}

std::string Forecaster::why_avoided(const Algorithm& a, Bytes message) const {
  const Demands needs = demands(a);
  if (!needs.reduction) return {};
  const Bytes window = serving(needs).reduction->window();
  if (message <= window) return {};
  return "libraries reduce no more than " + text::bytes(window.value) + " in these switches";
}

bool Forecaster::calibrated(const Algorithm& a) const {
  const Demands needs = demands(a);
  const Capabilities has = nominal_.machine.capabilities();
  return calibrated() && (!needs.multicast || has.multicast->stamp <= Stamp::calibrated) &&
         (!needs.reduction || has.reduction->stamp <= Stamp::calibrated);
}

Prediction Forecaster::predict(const Algorithm& a, const Call& c, const Engine& engine) const {
  check(a, c);
  if (const std::string missing = lacks(a); !missing.empty())
    throw InputError(
        a.name + " needs " + missing +
        (lacks_for_nccl(transport_, a, nominal_.machine).empty()
             ? ", which " + nominal_.machine.platform() + " does not have; `--platform flat` has all"
             : ""));
  const SizedSchedule subject(a, c);
  const ResolvedEngine resolved = resolve(engine, subject, nominal_.fabric);
  const Engine& by = *resolved.engine;
  auto bound = meanwhile(c.ranks, [&, without = WithoutBounds::here()] {
    return without ? Bound{}
                   : lower_bound(a, c, transport_.foreign() ? Bounds::Of::links : Bounds::Of::messages);
  });
  const Spread spread = read_spread(by, subject, nominal_.fabric);
  const Reading& answer = spread.reading;
  const Ends stretched = read_ends(by, subject, answer.time, nominal_.fabric, fast_.fabric, slow_.fabric);
  const Stretch sharing = resolved.sampled() ? stretched_by_sharing(subject, nominal_.fabric) : Stretch{};
  Prediction p{&a,
               c,
               sharing.mean * answer.time,
               stretched.least * spread.least,
               sharing.most * stretched.most * spread.most,
               bound.get(),
               answer.limited_by,
               answer.share,
               calibrated(a),
               {},
               transport_.name(),
               by.name,
               spread.chaotic ? amplified : resolved.note};
  if (transport_.kind == Transport::Kind::nccl)
    p.low = p.low / (1 + left_out_of_kernels), p.high = (1 + left_out_of_kernels) * p.high;
  explain(p, nominal_.fabric, subject, answer);
  add_sharing(p, p.time - answer.time);
  return not_below_bound(within(calibrated_on_, std::move(p)));
}

Seconds Forecaster::watch(const Algorithm& a, const Call& c, const Engine& engine,
                          const Watched& watched) const {
  constexpr std::uint64_t whole_call = ~std::uint64_t{0};
  const SizedSchedule subject(a, c);
  const ResolvedEngine resolved = resolve(engine, subject, nominal_.fabric);
  // Where `auto` takes the critical path, contention gives the same time and sees all links.
  const bool either = engine.chooses && resolved.note.empty();
  const Engine& by = either ? collcast::engine("contention") : *resolved.engine;
  require_messages(by);
  const std::string name = full_name(a);
  Observer* observer = watched(nominal_.fabric, [&](const Observer::Interval& i) {
    return i.kind == Op::Kind::start && i.tag == whole_call ? name : "";
  });
  const Seconds launch = collcast::launch(nominal_.fabric, subject.schedule);
  Launched launched(*observer, launch);
  PlayOptions options;
  options.observer = &launched;
  const Result run = by.play(*program(subject.schedule, subject.layout), nominal_.fabric, options);
  for (Rank r = 0; r < c.ranks; ++r) {
    const Seconds finish = launch + run.ranks[static_cast<std::size_t>(r)].finish;
    observer->done({r, Op::Kind::start, whole_call, Seconds(0), finish, 0, -1, c.message});
  }
  return launch + run.time;
}

Seconds Forecaster::mean_between_barriers(const Algorithm& a, const Call& c, const Algorithm& barrier) const {
  constexpr int calls = 5;  // the ranks' lags repeat by then
  const Call empty{.ranks = c.ranks};
  const Schedule call = a.schedule(c), pause = barrier.schedule(empty);
  const Layout sizes = layout(a, c, call), none = layout(barrier, empty, pause);
  LastSenders last(static_cast<std::size_t>(c.ranks));
  const auto finish = [&](const Schedule& schedule, const Layout& layout, const std::vector<Seconds>& at) {
    return CriticalPath(schedule, layout, nominal_.fabric).run(at, &last).finish;
  };
  std::vector<Seconds> entered(static_cast<std::size_t>(c.ranks)), left;
  for (int i = 0; i < calls; ++i) {
    if (i > 0) entered = finish(pause, none, left);
    const Seconds first = *std::ranges::min_element(entered);
    for (Seconds& t : entered) t = t - first;
    left = finish(call, sizes, entered);
  }
  Seconds own;
  for (std::size_t r = 0; r < left.size(); ++r) own += left[r] - entered[r];
  return own / static_cast<double>(c.ranks);
}

Bound Forecaster::lower_bound(const Algorithm& a, const Call& c, Bounds::Of of) const {
  if (WithoutBounds::here()) return {};
  Bound bound = nominal_.bound(a, c, of);
  bound.least = std::min(bound.time, fast_.bound(a, c, of).time);
  bound.most = std::max(bound.time, slow_.bound(a, c, of).time);
  return bound;
}

}  // namespace collcast
