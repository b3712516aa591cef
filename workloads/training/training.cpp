// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "workloads/training/order.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// Writes what the ranks of a stage do.
class StageWriter {
 public:
  StageWriter(const Plan& plan, int stage, Role& role, int ring_stream, int tensor_stream)
      : plan_(plan),
        stage_(stage),
        role_(role),
        reducer_(make_reducer(plan, stage, role)),
        ring_stream_(ring_stream),
        tensor_stream_(tensor_stream) {
    if (overlap() == Overlap::none) return;
    entry_.resize(plan.layers().size(), none);
    for (std::size_t i = 0; i < entry_.size(); ++i)
      if (plan.layers()[i].cut == Layer::Cut::enter && plan.layers()[i].experts == 0)
        std::fill_n(entry_.begin() + static_cast<std::ptrdiff_t>(i), plan.end_of_entry(i) - i, i);
  }

  void write() {
    if (plan_.training.framework.next_forward) return write_from_backward();
    const std::vector<Pass> passes = order(plan_.training.framework, stage_);
    for (const Pass& pass : passes) pass.backward ? backward(pass) : forward(pass);
    part_ = "optimizer";
    exchange_tied();
    if (mirrored()) add_replica();
    reducer_->settle();
    if (mirrored()) swap_replica("reduced gradients of the replica", -4, stage_, plan_.mirror(stage_));
    compute(plan_.optimizer(reducer_->updates() + (mirrored() ? plan_.parameters(plan_.mirror(stage_)) : 0)),
            "optimizer");
    reducer_->after_optimizer();
  }

 private:
  /// Writes a step from one backward pass to the next, as layers of the next step's forward pass wait for
  /// their own parameters.
  void write_from_backward() {
    backward({0, 0, true});
    part_ = "optimizer";
    const Seconds update = plan_.optimizer(reducer_->updates());
    forward({0, 0, false});
    part_ = "optimizer";
    compute(update, "optimizer");
    reducer_->settle();
  }

  int add(JobActivity a) { return append(role_, std::move(a)); }
  int compute(Seconds time, const std::string& name, std::vector<int> after = {}) {
    return add({.kind = Kind::compute, .name = name, .time = time, .after = std::move(after), .part = part_});
  }

  std::size_t index(const Pass& pass) const { return plan_.index(stage_, pass); }
  const Part& part(const Pass& pass) const { return plan_.parts[index(pass)]; }
  int stage_of(const Pass& pass, std::size_t index) const {
    const int stage = static_cast<int>(index) % plan_.pipeline;
    return pass.mirrored ? plan_.mirror(stage) : stage;
  }

  /// Activations go from a hop's first part to its second, gradients go back. Neighbours have four streams,
  /// and each longer hop has one each way, so that none waits for another.
  void message(Kind kind, const Pass& pass, int hop, std::vector<int> after) {
    const Plan::Hop& h = plan_.hops[static_cast<std::size_t>(hop)];
    const std::size_t other = h.from == index(pass) ? h.to : h.from;
    const int back = pass.backward ? 1 : 0, hops = static_cast<int>(plan_.hops.size());
    const int stream = h.skips() ? 4 + 2 * hop + back : (kind == Kind::send ? 0 : 2) + 1 - back;
    add({.kind = kind,
         .name = (pass.backward ? "gradient of " : "activation of ") + std::to_string(pass.micro),
         .stream = first_message_stream + stream,
         .bytes = plan_.bytes(h),
         .peer = stage_of(pass, other),
         .tag = (pass.micro * hops + hop) * 2 + back,
         .after = std::move(after),
         .part = pass.backward ? "gradients between stages" : "activations between stages"});
  }
  void messages(Kind kind, const Pass& pass, const std::vector<int>& after) {
    const auto mine = pass.backward == (kind == Kind::send) ? &Plan::Hop::to : &Plan::Hop::from;
    for (std::size_t h = 0; h < plan_.hops.size(); ++h)
      if (plan_.hops[h].*mine == index(pass)) message(kind, pass, static_cast<int>(h), after);
  }
  /// Receives what the pass needs; returns the activities that it has to wait for.
  std::vector<int> receive(const Pass& pass) {
    const std::size_t before = role_.activities.size();
    messages(Kind::receive, pass, {});
    std::vector<int> received(role_.activities.size() - before);
    std::iota(received.begin(), received.end(), static_cast<int>(before));
    return received;
  }
  void send(const Pass& pass) { messages(Kind::send, pass, {last_compute_}); }
  /// Receives what the pass waits for. If each tensor-parallel rank got a part, they gather (Narayanan et al.
  /// 2021, section 4.1).
  void take_in(const Pass& pass) {
    waiting_ = receive(pass);
    if (waiting_.empty()) return;
    flush_pass(pass);
    if (!plan_.training.framework.scattered) return;
    double elements = 0;
    for (const Plan::Hop& h : plan_.hops)
      if ((pass.backward ? h.from : h.to) == index(pass)) elements += h.elements;
    exchange("gather what came", Collective::allgather, tensor_group, elements * plan_.micro);
  }

  using Overlap = Framework::TensorOverlap;
  Overlap overlap() const { return plan_.training.framework.tensor_overlap; }
  bool sequence_parallel() const { return plan_.training.framework.sequence_parallel; }
  bool is_first(const Layer& l) const { return plan_.tensor > 1 && l.cut == Layer::Cut::enter; }
  bool is_last(const Layer& l) const { return plan_.tensor > 1 && l.cut == Layer::Cut::leave; }

  /// A collective of the tensor group that the rank waits for.
  void share(Collective what, double elements) {
    exchange("tensor " + std::string(definition(what).name), what, tensor_group, elements * plan_.micro);
  }
  /// The same beside the computation to come.
  int start(Collective what, double elements) {
    return add({.kind = Kind::collective,
                .name = "tensor " + std::string(definition(what).name),
                .stream = tensor_stream_,
                .bytes = elements * plan_.micro * element(plan_.training.precision),
                .collective = what,
                .group = tensor_group,
                .after = role_.activities.empty() ? std::vector<int>() : std::vector{last_compute_}});
  }
  /// What sums up over the tensor group. With sequence parallelism each rank gets its part, which is gathered
  /// before the next stretch of split layers.
  Collective sum() const { return sequence_parallel() ? Collective::reduce_scatter : Collective::allreduce; }

  /// Whether a layer's collectives go in pieces beside its product (Transformer Engine's userbuffers).
  bool in_pieces(const Layer& l) const { return overlap() == Overlap::all && l.block >= 0 && l.experts == 0; }
  /// All pieces of a product but one, which its collective has to be ahead of, or behind.
  Seconds beside(Seconds product) const { return (1 - 1.0 / plan_.tensor) * product; }

  /// Gathers what a layer reads, forwards or backwards.
  void gather(const Layer& l, double elements, const char* name) {
    if (!sequence_parallel()) return;
    flush(name);
    if (!in_pieces(l)) return share(Collective::allgather, elements);
    gathering_ = start(Collective::allgather, elements);
  }
  /// Computes the product beside the gather that was started for it.
  void follow(Seconds product, const char* name) {
    last_compute_ = compute(beside(product), name);
    pending_ = pending_ - beside(product);
    waiting_.push_back(*std::exchange(gathering_, {}));
  }
  /// The last product of a stretch, and the sum of its results.
  void leave(const Layer& l, Seconds product, const char* name) {
    pending_ += product;
    if (!in_pieces(l)) return flush(name), share(sum(), l.out);
    pending_ = pending_ - beside(product);
    flush(name);
    const int summed = start(sum(), l.out);
    last_compute_ = compute(beside(product), name);
    waiting_.push_back(summed);
  }

  /// Moves tokens, or their gradients, between the ranks that divide the experts: `elements` per sample.
  void route(double elements, const std::string& what) {
    if (plan_.expert_parallel == 1) return;
    exchange(what, Collective::alltoall, local_group,
             elements * plan_.micro * plan_.training.framework.imbalance * plan_.share_between());
  }
  /// Fetches the rows at the edge of each part of an image from both neighbours.
  void fetch_halo(const Layer& l) {
    if (plan_.spatial == 1 || l.halo == 0) return;
    const bool pair = plan_.spatial == 2;  // each of two ranks has one neighbour
    exchange("halo", pair ? Collective::sendrecv : Collective::halo_1d, tensor_group,
             (pair ? 1 : 2) * l.halo * plan_.micro);
  }
  /// Whether a layer is the first one that works on whole images, before which all parts are gathered.
  bool joins(std::size_t i) const {
    return plan_.spatial > 1 && i > 0 && plan_.layers()[i - 1].image && !plan_.layers()[i].image;
  }
  void join(const Layer& l) {
    exchange("gather parts", Collective::allgather, tensor_group, l.in * plan_.micro);
  }
  void exchange(const std::string& name, Collective what, int group, double elements) {
    flush("before " + name);
    last_compute_ = add({.kind = Kind::collective,
                         .name = name,
                         .bytes = elements * element(plan_.training.precision),
                         .collective = what,
                         .group = group});
  }
  /// Passes on to the next rank of the ring what came from the one before, while the rank computes.
  int pass_on(const std::string& what, Bytes bytes) {
    return add({.kind = Kind::collective,
                .name = what,
                .stream = ring_stream_,
                .bytes = bytes,
                .collective = Collective::sendrecv,
                .group = context_group,
                .after = {last_compute_}});
  }
  /// Attention of a rank's tokens to all tokens, in as many steps as ranks share a sequence. While it works
  /// on some keys and values, these are passed on and the next ones arrive (Liu et al. 2023). In the backward
  /// pass keys and values travel back, and their gradients follow a step behind; in the last step they are at
  /// home (TransformerEngine's context_parallel.py).
  void look_around(const Layer& l, Seconds time, bool backward) {
    last_compute_ = compute(std::exchange(pending_, {}), "before " + l.name, std::exchange(waiting_, {}));
    const Bytes own = plan_.keys_and_values(l);
    const int steps = plan_.context;
    for (int step = 0; step < steps; ++step) {
      const bool goes_on = step + 1 < steps, follows = backward && step > 0;
      const int came = passed_;
      if (goes_on || follows)
        passed_ = pass_on(!follows  ? "keys and values"
                          : goes_on ? "keys, values and gradients"
                                    : "gradients of keys and values",
                          ((goes_on ? 1 : 0) + (follows ? 1 : 0)) * own);
      last_compute_ = compute(time / steps, l.name, step > 0 ? std::vector<int>{came} : std::vector<int>());
    }
    if (backward) waiting_.push_back(passed_);
  }
  void work(const Layer& l, Seconds time, bool backward) {
    plan_.uses_ring_attention(l) ? look_around(l, time, backward) : void(pending_ += time);
  }
  /// Plays a layer forwards, for the first time or for recomputation, in which tokens travel again.
  void play(std::size_t i, bool again) {
    const Layer& l = plan_.layers()[i];
    if (l.route == Layer::Route::dispatch) route(l.in, "words to experts");
    if (l.image) fetch_halo(l);
    if (!again && joins(i)) join(l);
    const char* name = again ? "recompute" : "forward";
    if (is_first(l)) gather(l, l.in, name);
    if (is_last(l) && l.route == Layer::Route::stay) return leave(l, plan_.times[i].forward, name);
    work(l, plan_.times[i].forward, false);
    if (gathering_ && (again || i + 1 == plan_.end_of_entry(entry_[i]))) follow(pending_, name);
    if (l.route == Layer::Route::combine) route(l.out, "words from experts");
    if (is_last(l)) flush(name), share(sum(), l.out);
  }

  /// Offers gradients that are complete, and waits for the sum that those of weights were computed beside.
  void complete(const Layer& l, bool last) {
    if (!later_.empty() || summing_) flush("backward of " + l.name);
    for (const std::size_t of : std::exchange(later_, {})) ready(plan_.layers()[of], last);
    if (summing_) waiting_.push_back(*std::exchange(summing_, {}));
  }

  /// Layer i backwards, which is among those that read what a stretch of split layers reads: first the
  /// gradients of what they read, then, while these are summed up, those of the weights. With sequence
  /// parallelism what they read is gathered again meanwhile (Korthikanti et al. 2022, 4.2.2).
  void work_beside(std::size_t i, std::size_t end) {
    const Layer& l = plan_.layers()[i];
    const Seconds half = 0.5 * plan_.times[i].backward;
    if (i + 1 == std::min(end, plan_.end_of_entry(entry_[i]))) {
      flush("backward");
      if (sequence_parallel()) regathered_ = start(Collective::allgather, l.in);
    }
    pending_ += half, of_weights_ += half;
    if (entry_[i] != i) return;
    flush("backward");
    summing_ = start(sum(), l.in);
    pending_ = std::exchange(of_weights_, {});
    if (regathered_) waiting_.push_back(*std::exchange(regathered_, {}));
  }

  /// Waits for what layer i needs; what comes before it doesn't.
  void wait_for_parameters(std::size_t i, const Pass& pass) {
    std::vector<int> needed;
    reducer_->before(i, needed, pass.backward);
    if (needed.empty()) return;
    flush_pass(pass);
    waiting_ = std::move(needed);
    flush_pass(pass);
  }
  void flush_pass(const Pass& pass) {
    flush((pass.backward ? "backward " : "forward ") + std::to_string(pass.micro));
  }

  void forward(const Pass& pass) {
    const Part& here = part(pass);
    part_ = "forward";
    take_in(pass);
    for (std::size_t i = here.first; i < here.last; ++i) {
      const Layer& l = plan_.layers()[i];
      wait_for_parameters(i, pass);
      play(i, false);
      if (reducer_->watches(i)) flush("forward of " + l.name), reducer_->passed(i, last_compute_, false);
    }
    if (gathering_) follow(pending_, "forward");
    flush_pass(pass);
    send(pass);
  }

  void backward(const Pass& pass) {
    const Part& here = part(pass);
    const Framework& f = plan_.training.framework;
    const int last_back = f.one_forward_one_backward ? f.micro_batches - 1 : 0;
    const bool repeats = plan_.repeats_micro_batch(pass.micro);
    const bool early = repeats && plan_.repeats_early();
    part_ = "recomputation";
    for (std::size_t i = here.first; early && i < here.last; ++i)
      if (plan_.repeats(plan_.layers()[i])) play(i, true);
    if (early) flush("recompute " + std::to_string(pass.micro));
    part_ = repeats && !early ? "recomputation and backward" : "backward";
    take_in(pass);
    for (std::size_t i = here.last; i-- > here.first;) {
      const Layer& l = plan_.layers()[i];
      wait_for_parameters(i, pass);
      if (repeats && !early && plan_.repeats(l)) play(i, true);
      if (l.route == Layer::Route::combine) route(l.out, "gradients to experts");
      if (l.image) fetch_halo(l);
      if (is_last(l)) gather(l, l.out, "backward");
      const bool in_entry = !entry_.empty() && entry_[i] != none && entry_[i] >= here.first;
      in_entry ? work_beside(i, here.last) : work(l, plan_.times[i].backward, true);
      if (gathering_) follow(0.5 * plan_.times[i].backward, "backward");
      if (l.route == Layer::Route::dispatch) route(l.in, "gradients from experts");
      if (is_first(l) && !in_entry) flush("backward"), share(sum(), l.in);
      // sharded gradients are not kept until the last micro-batch (DeepSpeed's partition_gradients; FSDP)
      const bool last = pass.micro == last_back;
      if ((last || f.stage >= 2) && !mirrored() && !l.tensors.empty()) later_.push_back(i);
      if (!in_entry || entry_[i] == i) complete(l, last);
      if (reducer_->watches(i)) flush("backward of " + l.name), reducer_->passed(i, last_compute_, true);
    }
    flush_pass(pass);
    reducer_->passed_micro_batch();
    send(pass);
  }

  /// Writes the computation since the last activity as one, which waits for what had to come in first.
  void flush(const std::string& name) {
    if (pending_ == Seconds() && waiting_.empty()) return;
    last_compute_ = compute(std::exchange(pending_, {}), name, std::exchange(waiting_, {}));
  }

  void ready(const Layer& l, bool last) {
    for (const double elements : plan_.tensors(l)) reducer_->ready(l, elements, last_compute_, last);
  }

  /// Whether a second replica has on this stage what the first has on the mirrored one.
  bool mirrored() const { return plan_.training.framework.replicas > 1; }

  /// Adds up the gradients of both replicas where the first one has its parameters.
  void add_replica() {
    swap_replica("gradients of the replica", -3, plan_.mirror(stage_), stage_);
    const Part& own = plan_.part(stage_, 0);
    for (std::size_t i = own.last; i-- > own.first;) ready(plan_.layers()[i], true);
  }
  /// Sends the gradients of part `out` to the mirrored stage, and receives those of part `in` from there.
  void swap_replica(const std::string& name, int tag, int out, int in) {
    const int peer = plan_.mirror(stage_);
    if (peer == stage_) return;
    const auto exchange = [&](Kind kind, int stream, int part, std::vector<int> after) {
      return add({.kind = kind,
                  .name = name,
                  .stream = first_message_stream + stream,
                  .bytes = plan_.parameters(part) * plan_.gradient(),
                  .peer = peer,
                  .tag = tag,
                  .after = std::move(after)});
    };
    const int before = compute({}, "before " + name);
    const int sent = exchange(Kind::send, 0, out, {before}), received = exchange(Kind::receive, 2, in, {});
    last_compute_ = compute({}, name, {sent, received});
  }

  /// Word embedding and output share parameters, so the first and the last stage add up their gradients.
  void exchange_tied() {
    const int last = plan_.pipeline - 1;
    if (plan_.pipeline == 1 || plan_.training.model.tied == 0 || (stage_ != 0 && stage_ != last)) return;
    const Bytes bytes = plan_.training.model.tied / plan_.tensor * plan_.gradient();
    const int peer = stage_ == 0 ? last : 0;
    const auto exchange = [&](Kind kind, int stream, int tag) {
      return add({.kind = kind,
                  .name = "tied embedding",
                  .stream = first_message_stream + stream,
                  .bytes = bytes,
                  .peer = peer,
                  .tag = -1 - tag,
                  .after = {last_compute_}});
    };
    const int out = exchange(Kind::send, 0, stage_ == 0 ? 0 : 1);
    const int in = exchange(Kind::receive, 2, stage_ == 0 ? 1 : 0);
    compute({}, "tied embedding", {out, in});
  }

  const Plan& plan_;
  int stage_;
  Role& role_;
  std::unique_ptr<Reducer> reducer_;
  Seconds pending_;
  int ring_stream_;
  std::vector<int> waiting_;
  int last_compute_ = 0;
  int passed_ = 0;  ///< the last step of a ring
  static constexpr std::size_t none = -1;
  std::vector<std::size_t> entry_;  ///< by layer: the `enter` layer that reads the same; none
  int tensor_stream_;
  std::optional<int> gathering_;    ///< a gather that the next product follows piece by piece
  std::optional<int> summing_;      ///< a sum that gradients of weights are computed beside
  std::optional<int> regathered_;   ///< what these need, gathered
  Seconds of_weights_;              ///< their time
  std::vector<std::size_t> later_;  ///< layers whose gradients are ready after the computation to come
  std::string part_;                ///< the part that summaries add activities to at present
};

/// Elements that a stage reads, per sample.
double sum_read(const Plan& plan, int stage) {
  double read = stage == 0 ? plan.layers()[0].in : 0;
  for (const Plan::Hop& h : plan.hops)
    if (static_cast<int>(h.to) % plan.pipeline == stage) read += h.elements;
  return read;
}

/// The number of micro-batches whose activations a stage keeps at a time.
double under_way(const Plan& plan, int stage) {
  const Framework& f = plan.training.framework;
  if (f.replicas > 1) return static_cast<double>(f.micro_batches) / f.replicas;
  if (!f.one_forward_one_backward) return f.micro_batches;
  if (plan.pipeline == 1) return 1;
  const double extra =
      f.interleave > 1 ? static_cast<double>(plan.pipeline - 1) / (plan.pipeline * f.interleave) : 0;
  return std::min<double>(f.micro_batches, (plan.pipeline - stage) * (1 + extra));
}

/// The activations that a stage keeps for the micro-batches under way. Of repeated layers these are the input
/// of each block (without blocks: of the stage) and, for one micro-batch, what is recomputed at a time: the
/// block that keeps most, or all. The loss keeps the logits and their gradient in 32 bits. Activations for
/// experts are kept where they arrive.
Bytes activations(const Plan& plan, int stage) {
  using enum Framework::Recompute;
  const Framework::Recompute which = plan.training.framework.recompute;
  const bool blocks = plan.training.model.blocks > 0, all_of_it = which == all || which == except_last;
  const bool at_once = which == except_last || plan.repeats_early();  // the last micro-batch keeps all
  const std::vector<Layer>& layers = plan.layers();
  double inputs = all_of_it && !blocks ? sum_read(plan, stage) : 0;
  double kept = 0, again = 0, most = 0, logits = 0;
  for (int c = 0; c < plan.chunks; ++c) {
    const Part& part = plan.part(stage, c);
    for (std::size_t i = part.first; i < part.last; ++i) {
      const Layer& l = layers[i];
      const bool begins = i == part.first || l.block != layers[i - 1].block;
      if (begins && !at_once) again = 0;
      if (begins && all_of_it && l.block >= 0) inputs += l.in * plan.share_between();
      const Layer* next = i + 1 < layers.size() ? &layers[i + 1] : nullptr;
      // the output of attention's core is read by a layer that is not repeated
      const bool repeated = plan.repeats(l) && (all_of_it || (next && next->core));
      const bool leaves = next && next->route == Layer::Route::dispatch;
      (repeated ? again : kept) += l.kept * plan.share(l) * plan.fullness(leaves ? *next : l);
      most = std::max(most, again);
      if (l.logits) logits += l.out * plan.share(l);
    }
  }
  const double times = under_way(plan, stage);
  kept += inputs;
  if (which == except_last) most -= inputs;  // the micro-batch that keeps all has its inputs only once
  return plan.micro * ((kept * times + most) * element(plan.training.precision) + logits * times * Bytes(8));
}

/// Memory of gathered units: in the backward pass of a unit, its parameters and the next unit's are gathered,
/// and its gradients are whole.
Bytes gathered(const Plan& plan) {
  Bytes most;
  double before = 0;
  for (const Plan::Unit& u : plan.units()) {
    most = std::max(most,
                    (before + u.elements) * element(plan.training.precision) + u.elements * plan.gradient());
    before = u.elements;
  }
  return most;
}

MemoryNeed memory_of(const Plan& plan, int stage) {
  const Training& t = plan.training;
  const bool mirrored =
      t.framework.replicas > 1;  // holds the parameters of two stages, and activations of one at a time
  const auto both = [&](double one, double other) { return mirrored ? one + other : one; };
  const double n = both(plan.parameters(stage), plan.parameters(plan.mirror(stage)));
  const double shard = both(plan.sharded_parameters(stage), plan.sharded_parameters(plan.mirror(stage)));
  const bool amp = stores_halves(t.precision);
  const int sharded = t.framework.reduction == Framework::Reduction::sharded ? t.framework.stage : 0;
  MemoryNeed need;
  need.parameters = (sharded >= 3 ? shard : n) * Bytes(amp ? 2 : 4);
  need.gradients = (sharded >= 2 ? shard : n) * plan.gradient();
  // a 32-bit copy beside the 16 bits, and one or two moments
  need.optimizer = (sharded >= 1 ? shard : n) * Bytes((amp ? 4 : 0) + (plan.adam() ? 8 : 4));
  need.activations = activations(plan, stage);
  if (mirrored) need.activations = std::max(need.activations, activations(plan, plan.mirror(stage)));
  need.other = Bytes(1073741824);
  const bool in_place = t.framework.reduction == Framework::Reduction::buckets && !t.framework.copies;
  if (plan.summing_ranks() * t.framework.processes_per_gpu > 1 && !in_place)
    need.other +=
        sharded >= 3
            ? gathered(plan)
            : std::min(std::max(t.framework.fusion, plan.bucket(false) / plan.gradient() * plan.on_wire()),
                       n * plan.on_wire());
  for (Bytes* part : {&need.parameters, &need.gradients, &need.optimizer, &need.activations, &need.other})
    *part = t.framework.processes_per_gpu * *part;
  return need;
}

}  // namespace

int ranks_of_replica(const Framework& f) {
  return f.tensor * f.spatial * f.context * f.pipeline;
}

int replicas(const Training& t) {
  return std::max(1, t.ranks / ranks_of_replica(t.framework)) * t.framework.processes_per_gpu;
}

int batch(const Training& t) {
  return t.whole_batch > 0 ? t.whole_batch / replicas(t) : t.batch;
}

double global_batch(const Training& t) {
  const Framework& f = t.framework;
  return static_cast<double>(batch(t)) * f.processes_per_gpu * t.ranks / ranks_of_replica(f);
}

Job training_job(const Training& training) {
  const Plan plan(training);
  Job job;
  job.name = training.model.name + " under " + training.framework.name;
  job.slowdown = training.slowdown;
  name_groups(plan, job);
  job.streams = {"compute", "communication", "send before", "send after", "receive after", "receive before"};
  if (training.framework.shard > 0) job.streams[replica_stream] = "between replicas";
  if (training.framework.servers > 0)
    job.streams[push_stream] = "push", job.streams[pull_stream] = "pull", job.streams[fetch_stream] = "fetch";
  if (std::ranges::any_of(plan.hops, &Plan::Hop::skips))
    for (const Plan::Hop& h : plan.hops)
      for (const char* what : {"activations ", "gradients "})
        job.streams.push_back(what + std::to_string(h.from) + " to " + std::to_string(h.to));
  const int ring_stream = static_cast<int>(job.streams.size());
  if (plan.context > 1) job.streams.push_back("context");
  const int tensor_stream = static_cast<int>(job.streams.size());
  if (training.framework.tensor_overlap != Framework::TensorOverlap::none) job.streams.push_back("tensor");
  for (int stage = 0; stage < plan.pipeline; ++stage) {
    job.roles.push_back({plan.pipeline > 1 ? "stage " + std::to_string(stage) : "rank", {}});
    StageWriter(plan, stage, job.roles.back(), ring_stream, tensor_stream).write();
    for (JobActivity& a : job.roles.back().activities)
      if (a.kind == Kind::collective) a.part = job.collective_of(a.group, a.collective);
  }
  return job;
}

MemoryNeed memory_need(const Training& training) {
  const Plan plan(training);
  MemoryNeed most;
  for (int stage = 0; stage < plan.pipeline; ++stage)
    if (const MemoryNeed need = memory_of(plan, stage); need.sum() > most.sum()) most = need;
  return most;
}

}  // namespace collcast::workloads
