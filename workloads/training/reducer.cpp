// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/reducer.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;
using How = Framework::Reduction;

/// The time to read and write a byte of a buffer; 0 if the memory's bandwidth is not known.
SecondsPerByte copying(const Plan& plan) {
  const Processor& p = plan.training.processor;
  if (!plan.training.framework.copies || p.bandwidth.value == 0) return {};
  return 2.0 / (p.bandwidth * p.efficiency.bandwidth);
}

/// The time per byte in which processes that share a GPU add up in its memory, one by one (two reads, one
/// write), and fetch the sum (a read, a write): half of it before and half after what the GPU does with
/// others.
SecondsPerByte sharing(const Plan& plan) {
  const Processor& p = plan.training.processor;
  if (p.bandwidth.value == 0) return {};
  return 2.5 * (plan.training.framework.processes_per_gpu - 1) / (p.bandwidth * p.efficiency.bandwidth);
}

/// The phases of an allreduce of all ranks, level by level.
std::vector<Coordinator::Phase> by_levels(const Plan& plan) {
  return {{Collective::reduce_scatter, local_group, 1},
          {Collective::allreduce, cross_group, 1.0 / plan.local()},
          {Collective::allgather, local_group, 1}};
}

/// The ranks that add up gradients.
struct Adders {
  int group;
  int ranks;
};

class Base : public Reducer {
 public:
  Base(const Plan& plan, Role& role, Adders adders) : plan_(plan), role_(role), adders_(adders) {}

  void ready(const Layer& layer, double elements, int made, bool last) final {
    if (last) elements_ += elements;
    take(layer.name, elements, made);
  }
  double updates() const override { return elements_; }

  /// The optimizer waits for all that was sent.
  void settle() override {
    append(role_, {.kind = Kind::compute, .name = "reduced", .after = std::exchange(sent_, {})});
  }

 protected:
  virtual void take(const std::string& layer, double elements, int made) = 0;
  int communicate(Collective what, Bytes bytes, const std::string& name, std::vector<int> after) {
    if (what == Collective::allreduce && plan_.training.framework.hierarchical) {
      for (const Coordinator::Phase& p : by_levels(plan_))
        put(p.collective, p.group, p.share * bytes, name, std::exchange(after, {}));
      return sent_.back();
    }
    return put(what, adders_.group, bytes, name, std::move(after));
  }
  int put(Collective what, int group, Bytes bytes, const std::string& name, std::vector<int> after,
          int stream = communication_stream) {
    sent_.push_back(append(role_, {.kind = Kind::collective,
                                   .name = name,
                                   .stream = stream,
                                   .bytes = bytes,
                                   .collective = what,
                                   .group = group,
                                   .after = std::move(after)}));
    return sent_.back();
  }
  void copy(Bytes bytes, const std::string& what, const std::string& bucket, std::vector<int> after) {
    const Seconds time = bytes * (copying(plan_) + sharing(plan_));
    if (time == Seconds()) return;
    sent_.push_back(append(role_, {.kind = Kind::compute,
                                   .name = what + " " + bucket,
                                   .stream = communication_stream,
                                   .time = time,
                                   .after = std::move(after),
                                   .part = what + " buckets"}));
  }

  const Plan& plan_;
  Role& role_;
  Adders adders_;
  double elements_ = 0;
  std::vector<int> sent_;
};

/// For one rank, which has nothing to add up.
class Alone final : public Base {
 public:
  using Base::Base;

 private:
  void take(const std::string&, double, int) override {}
};

class Offers final : public Base {
 public:
  using Base::Base;
  void settle() override { append(role_, {.kind = Kind::settle, .name = "reduced"}); }

 private:
  void take(const std::string& layer, double elements, int made) override {
    append(role_, {.kind = Kind::offer, .name = layer, .bytes = elements * plan_.on_wire(), .after = {made}});
  }
};

/// Reduces in buckets, in order. A bucket is closed by the tensor that reaches the limit.
class Buckets : public Base {
 public:
  Buckets(const Plan& plan, Role& role, Adders adders, Collective what)
      : Base(plan, role, adders), what_(what) {}

  /// Sharded gradients are not kept for the next micro-batch (DeepSpeed's partition_gradients).
  void passed_micro_batch() override {
    if (plan_.training.framework.stage < 2) return;
    overlap() ? close() : settle();
  }
  void settle() override {
    if (!overlap())  // sends as many buckets as with overlap, at the end
      for (const Bytes bucket = plan_.bucket(false); bytes_ > bucket; bytes_ -= bucket) send(bucket);
    close();
    Base::settle();
  }

 private:
  bool overlap() const { return plan_.training.framework.overlap; }
  void take(const std::string&, double elements, int made) override {
    filled_ += elements * plan_.gradient();
    bytes_ += elements * plan_.on_wire();
    last_ = made;
    if (overlap() && filled_ >= plan_.bucket(count_ == 0)) close();
  }
  void close() {
    if (bytes_ > Bytes()) send(bytes_);
    filled_ = bytes_ = Bytes();
  }
  void send(Bytes bytes) {
    const std::string name = "bucket " + std::to_string(count_++);
    copy(bytes, "copy into", name, {last_});
    communicate(what_, bytes, name, {last_});
    copy(bytes, "copy out of", name, {});
  }

  Collective what_;
  Bytes filled_, bytes_;
  int count_ = 0, last_ = 0;
};

class OfEach final : public Base {
 public:
  using Base::Base;

 private:
  void take(const std::string& layer, double elements, int made) override {
    communicate(Collective::allreduce, elements * plan_.on_wire(), layer, {made});
  }
};

/// Gradients go to one rank, and parameters come from it. A rank's gradients are its share of the gathered
/// array.
class Server final : public Base {
 public:
  using Base::Base;
  void after_optimizer() override {
    append(role_, {.kind = Kind::collective,
                   .name = "fetch",
                   .bytes = adders_.ranks * elements_ * plan_.gradient(),  // not compressed
                   .collective = Collective::scatter,
                   .group = adders_.group});
  }

 private:
  void take(const std::string& layer, double elements, int made) override {
    communicate(Collective::gather, adders_.ranks * elements * plan_.on_wire(), layer, {made});
  }
};

/// Parameter servers. Piece by piece, the ranks of a node add up gradients, push the sum to one server after
/// the other, pull the result, and distribute it on the node. If more nodes push than there are servers, a
/// server gets several pieces in a row, and a push takes as long as all of them. A single node needs no
/// server (BytePS).
class Served final : public Base {
 public:
  Served(const Plan& plan, Role& role, Adders adders) : Base(plan, role, adders) {
    for (std::size_t i = plan.layers().size(); i-- > 0;) index_[plan.layers()[i].name] = static_cast<int>(i);
  }

  /// Lets a layer of the next step wait for its own parameters.
  void before(std::size_t index, std::vector<int>& waiting, bool backward) override {
    if (backward || !plan_.training.framework.next_forward) return;
    if (bytes_ > Bytes()) send();
    const auto fetched = fetched_.find(plan_.layers()[index].name);
    if (fetched != fetched_.end()) waiting.push_back(fetched->second);
  }
  bool watches(std::size_t) const override { return plan_.training.framework.next_forward; }
  void settle() override {
    if (bytes_ > Bytes()) send();
    Base::settle();
  }

 private:
  void take(const std::string& layer, double elements, int made) override {
    const Framework& f = plan_.training.framework;
    bytes_ += elements * plan_.on_wire();
    layers_.push_back(layer), last_ = made;
    layer_ = index_.at(layer);
    if (f.overlap && bytes_ >= f.bucket) send();
  }
  void send() {
    const Bytes bytes = std::exchange(bytes_, {});
    const std::string name = layers_.size() == 1 ? layers_[0] : "bucket of " + layers_.back();
    const double pieces = pieces_of(bytes);
    int done = last_;
    for (double p = 0; p < pieces; ++p) done = serve(bytes / pieces, name);
    for (const std::string& layer : std::exchange(layers_, {})) fetched_[layer] = done;
  }
  int serve(Bytes piece, const std::string& name) {
    int done = last_;
    if (plan_.local() > 1) done = put(Collective::reduce_scatter, local_group, piece, name, {done});
    if (nodes() > 1) {
      done = message(Kind::push, push_stream, piece, name, done);
      done = message(Kind::pull, pull_stream, piece, name, done);
    }
    return plan_.local() > 1 ? put(Collective::allgather, local_group, piece, name, {done}, fetch_stream)
                             : done;
  }
  double nodes() const { return 1.0 * plan_.training.ranks / plan_.local(); }
  double pieces_of(Bytes bytes) const {
    const Bytes most = plan_.training.framework.partition;
    return most > Bytes() ? std::max(1.0, std::ceil(bytes / most)) : 1;
  }
  int message(Kind kind, int stream, Bytes piece, const std::string& name, int after) {
    sent_.push_back(append(role_, {.kind = kind,
                                   .name = name,
                                   .stream = stream,
                                   .bytes = piece * in_a_row() / plan_.training.ranks_per_node,
                                   .tag = layer_,
                                   .after = {after},
                                   .part = kind == Kind::push ? "push to servers" : "pull from servers"}));
    return sent_.back();
  }
  /// How often a server's link carries a piece while each node pushes one.
  double in_a_row() const {
    const Framework& f = plan_.training.framework;
    return f.beside ? (nodes() - 1) / f.servers : std::max(1.0, nodes() / f.servers);
  }

  Bytes bytes_;
  int last_ = 0, layer_ = 0;
  std::map<std::string, int> index_;    ///< by layer: its tag; the next forward pass needs the least first
  std::vector<std::string> layers_;     ///< layers whose gradients are in `bytes_`
  std::map<std::string, int> fetched_;  ///< by layer: the activity that it waits for
};

/// ZeRO-1 and 2: each rank updates its share of the parameters, then all gather them.
/// Megatron-LM's --overlap-param-gather gathers them in the next forward pass instead, bucket by bucket: the
/// first micro-batch waits for the bucket of each layer.
class Sharded final : public Buckets {
 public:
  Sharded(const Plan& plan, int stage, Role& role, Adders adders)
      : Buckets(plan, role, adders, Collective::reduce_scatter) {
    if (plan.training.framework.gathers_ahead) gather_ahead(stage);
  }
  double updates() const override { return elements_ / adders_.ranks; }
  void before(std::size_t index, std::vector<int>& waiting, bool) override {
    if (const auto gather = gather_of_.extract(index)) waiting.push_back(gather.mapped());
  }
  void after_optimizer() override {
    if (plan_.training.framework.gathers_ahead) return;
    const Bytes bucket = bucket_of_parameters();
    for (Bytes left = elements_ * element(plan_.training.precision); left > Bytes(); left -= bucket)
      gather(std::min(left, bucket), 0);
  }

 private:
  Bytes bucket_of_parameters() const {
    return plan_.bucket(false) / plan_.gradient() * element(plan_.training.precision);
  }
  int gather(Bytes bytes, int stream) {
    return append(role_, {.kind = Kind::collective,
                          .name = "gather parameters",
                          .stream = stream,
                          .bytes = bytes,
                          .collective = Collective::allgather,
                          .group = adders_.group});
  }
  void gather_ahead(int stage) {
    Bytes filled;
    std::vector<std::size_t> layers;
    const auto close = [&] {
      if (filled == Bytes()) return;
      const int gathered = gather(std::exchange(filled, {}), communication_stream);
      for (const std::size_t layer : std::exchange(layers, {})) gather_of_[layer] = gathered;
    };
    for (int c = 0; c < plan_.chunks; ++c)
      for (std::size_t i = plan_.part(stage, c).first; i < plan_.part(stage, c).last; ++i) {
        const Layer& l = plan_.layers()[i];
        if (l.tensors.empty() || !is_mine(l)) continue;
        for (const double n : plan_.tensors(l)) filled += n * element(plan_.training.precision);
        layers.push_back(i);
        if (filled >= bucket_of_parameters()) close();
      }
    close();
  }
  /// Whether these ranks add up the layer's gradients, where experts are apart.
  bool is_mine(const Layer& l) const {
    return plan_.expert_parallel == 1 || plan_.owned(l) == (adders_.group == cross_group);
  }

  std::map<std::size_t, int> gather_of_;  ///< by layer: the gather that its first forward pass waits for
};

/// ZeRO-3 and FSDP: the parameters of a unit are gathered before it computes, forward and backward, at most
/// two units ahead. Gradients are scattered unit by unit. In the backward pass, the next unit's gather is
/// called before this unit computes, and so before this unit's scatter (PyTorch's BACKWARD_PRE). If not all
/// ranks share parameters, ranks with the same ones then allreduce the gradients, on a stream of their own
/// (FSDP's all_reduce_stream).
class FullySharded final : public Base {
 public:
  FullySharded(const Plan& plan, Role& role, Adders adders)
      : Base(plan, role, adders), units_(plan.units()), gathered_(units_.size()) {
    for (std::size_t u = 0; u < units_.size(); ++u) unit_of_.resize(units_[u].last, u);
  }

  double updates() const override { return elements_ / adders_.ranks; }

  void before(std::size_t index, std::vector<int>& waiting, bool backward) override {
    const std::size_t unit = unit_of_[index];
    const bool first = backward ? index + 1 == units_[unit].last : index == units_[unit].first;
    if (!first) return;
    gather(unit);
    if (backward && unit > 0) gather(unit - 1);
    if (gathered_[unit]) waiting.push_back(*std::exchange(gathered_[unit], {}));
  }
  bool watches(std::size_t index) const override {
    const Plan::Unit& u = units_[unit_of_[index]];
    return index == u.first || index + 1 == u.last;
  }
  void passed(std::size_t index, int computed, bool backward) override {
    const Plan::Unit& u = units_[unit_of_[index]];
    if (index != (backward ? u.first : u.last - 1)) return;
    computed_.push_back(computed);
    if (backward) scatter(computed);
  }
  void settle() override {
    scatter(computed_.empty() ? 0 : computed_.back());
    Base::settle();
  }

 private:
  void take(const std::string&, double elements, int) override { scattered_ += elements * plan_.on_wire(); }
  /// Gathers a unit. Two gathers may be under way: this one waits until the unit before the last is computed.
  void gather(std::size_t index) {
    const Plan::Unit& unit = units_[index];
    if (gathered_[index] || unit.elements == 0) return;
    std::vector<int> after;
    if (computed_.size() >= 2) after.push_back(computed_[computed_.size() - 2]);
    const Bytes bytes = unit.elements * element(plan_.training.precision);
    gathered_[index] = communicate(Collective::allgather, bytes, "gather parameters", after);
  }
  void scatter(int computed) {
    if (scattered_ == Bytes()) return;
    const Bytes all = std::exchange(scattered_, {});
    const int scattered = communicate(Collective::reduce_scatter, all, "scatter gradients", {computed});
    if (plan_.training.framework.shard > 0 && plan_.data > adders_.ranks)
      put(Collective::allreduce, cross_group, all / adders_.ranks, "add up replicas", {scattered},
          replica_stream);
  }

  std::vector<Plan::Unit> units_;
  std::vector<std::optional<int>> gathered_;  ///< by unit: the gather for the computation to come
  std::vector<std::size_t> unit_of_;
  std::vector<int> computed_;
  Bytes scattered_;
};

/// Adds up the gradients of a rank's own experts apart, as fewer ranks do that than for all others.
class Apart final : public Reducer {
 public:
  Apart(const Plan& plan, std::unique_ptr<Reducer> shared, std::unique_ptr<Reducer> owned)
      : plan_(plan), shared_(std::move(shared)), owned_(std::move(owned)) {}

  void ready(const Layer& layer, double elements, int made, bool last) override {
    (plan_.owned(layer) ? owned_ : shared_)->ready(layer, elements, made, last);
  }
  void before(std::size_t index, std::vector<int>& waiting, bool backward) override {
    (plan_.owned(plan_.layers()[index]) ? owned_ : shared_)->before(index, waiting, backward);
  }
  void passed_micro_batch() override { shared_->passed_micro_batch(), owned_->passed_micro_batch(); }
  void settle() override { shared_->settle(), owned_->settle(); }
  double updates() const override { return shared_->updates() + owned_->updates(); }
  void after_optimizer() override { shared_->after_optimizer(), owned_->after_optimizer(); }

 private:
  const Plan& plan_;
  std::unique_ptr<Reducer> shared_, owned_;
};

Coordinator coordinator(const Plan& plan) {
  const Framework& f = plan.training.framework;
  Coordinator c;
  c.cycle = f.cycle;
  const double unit = 8.0 * 64 * plan.training.ranks_per_node;  // the threshold is rounded up to a multiple
  c.threshold = Bytes(std::ceil(f.fusion.value / unit) * unit);
  c.cache = f.cache;
  c.group = data_group;
  c.stream = communication_stream;
  c.groups = f.groups;
  c.request = f.request;
  c.copy = copying(plan);
  c.shared = sharing(plan);
  c.phases = {{Collective::allreduce, data_group, 1}};
  if (f.hierarchical) c.phases = by_levels(plan);
  return c;
}

/// Adds the ranks that divide sequences, after those that divide heads. They add up gradients as replicas do
/// (Megatron-Core's tp-cp-ep-dp-pp).
void share_sequences(const Plan& plan, Job& job) {
  job.dimensions.insert(job.dimensions.begin() + 1, {"context", plan.context});
  for (Job::Group& g : job.groups)
    for (int& d : g.dimensions) d += d > 0 ? 1 : 0;
  std::vector<int>& adders = job.groups[data_group].dimensions;
  adders.insert(adders.begin(), 1);
  job.groups.push_back({"context", {1}});
}

std::unique_ptr<Reducer> reducer_of(const Plan& plan, int stage, Role& role, Adders adders) {
  const Framework& f = plan.training.framework;
  if (adders.ranks == 1) return std::make_unique<Alone>(plan, role, adders);
  switch (f.reduction) {
    case How::coordinator:
      return std::make_unique<Offers>(plan, role, adders);
    case How::each:
      return std::make_unique<OfEach>(plan, role, adders);
    case How::server:
      if (f.servers > 0) return std::make_unique<Served>(plan, role, adders);
      return std::make_unique<Server>(plan, role, adders);
    case How::sharded:
      if (f.stage == 3) return std::make_unique<FullySharded>(plan, role, adders);
      return std::make_unique<Sharded>(plan, stage, role, adders);
    default:
      return std::make_unique<Buckets>(plan, role, adders, Collective::allreduce);
  }
}

}  // namespace

int append(Role& role, JobActivity activity) {
  constexpr std::size_t most = 2'000'000;
  if (role.activities.size() == most)
    throw InputError(
        "training: a rank's step has more than two million activities; take larger buckets, or "
        "fewer micro-batches");
  role.activities.push_back(std::move(activity));
  return static_cast<int>(role.activities.size()) - 1;
}

void name_groups(const Plan& plan, Job& job) {
  const int local = plan.local();
  const bool images = plan.spatial > 1;
  job.dimensions = {{images ? "spatial" : "tensor", plan.tensor * plan.spatial},
                    {plan.expert_parallel > 1            ? "experts"
                     : plan.training.framework.shard > 0 ? "shard"
                                                         : "local",
                     local},
                    {"data", plan.data / local}};
  const std::vector<int> adders = images ? std::vector<int>{0, 1, 2} : std::vector<int>{1, 2};
  job.groups = {{"data", adders}};
  for (int d = 0; d < 3; ++d) job.groups.push_back({job.dimensions[static_cast<std::size_t>(d)].name, {d}});
  job.groups[cross_group].name = plan.training.framework.shard > 0 ? "replicas" : "cross";
  if (plan.context > 1) share_sequences(plan, job);
  if (plan.pipeline > 1 && plan.training.framework.stages_together) {
    job.dimensions.insert(job.dimensions.begin(), {"pipeline", plan.pipeline});
    job.role_dimension = 0;
    for (Job::Group& g : job.groups)
      for (int& d : g.dimensions) ++d;
  } else if (plan.pipeline > 1) {
    job.dimensions.push_back({"pipeline", plan.pipeline});
    job.role_dimension = static_cast<int>(job.dimensions.size()) - 1;
  }
  if (plan.training.framework.reduction == How::coordinator &&
      plan.summing_ranks() * plan.training.framework.processes_per_gpu > 1)
    job.coordinator = coordinator(plan);
  if (plan.training.framework.servers > 0)
    job.servers = Servers{plan.training.ranks_per_node, plan.training.framework.beside,
                          plan.training.framework.next_forward};
}

std::unique_ptr<Reducer> make_reducer(const Plan& plan, int stage, Role& role) {
  const Adders all{data_group, plan.summing_ranks() * plan.training.framework.processes_per_gpu};
  if (const int shard = plan.training.framework.shard; shard > 0)
    return reducer_of(plan, stage, role, {local_group, shard});
  if (plan.expert_parallel == 1) return reducer_of(plan, stage, role, all);
  const Adders alike{cross_group, plan.data / plan.expert_parallel};
  return std::make_unique<Apart>(plan, reducer_of(plan, stage, role, all),
                                 reducer_of(plan, stage, role, alike));
}

}  // namespace collcast::workloads
