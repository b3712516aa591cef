// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/reducer.hpp"

#include <cmath>
#include <utility>

namespace collcast::workloads {
namespace {

using Kind = Activity::Kind;
using How = Framework::Reduction;

/// What a tensor of `elements` puts on the wire.
Bytes wire(const Plan& plan, double elements) {
  return elements * (plan.training.framework.compressed ? Bytes(2) : plan.gradient());
}

/// Reads and writes a byte of a buffer; none where memory's bandwidth is not known.
SecondsPerByte copying(const Plan& plan) {
  const Processor& p = plan.training.processor;
  if (!plan.training.framework.copies || p.bandwidth.value == 0) return {};
  return 2.0 / (p.bandwidth * p.efficiency.bandwidth);
}

class Base : public Reducer {
 public:
  Base(const Plan& plan, Role& role) : plan_(plan), role_(role) {}

  /// The optimizer waits for all that was sent.
  void settle() override {
    append(role_, {.kind = Kind::compute, .name = "reduced", .after = std::exchange(sent_, {})});
  }

 protected:
  int communicate(Collective what, Bytes bytes, const std::string& name, std::vector<int> after) {
    const int a = append(role_, {.kind = Kind::collective,
                                 .name = name,
                                 .stream = communication_stream,
                                 .bytes = bytes,
                                 .collective = what,
                                 .group = data_group,
                                 .after = std::move(after)});
    sent_.push_back(a);
    return a;
  }
  void copy(Bytes bytes, const std::string& name, std::vector<int> after) {
    const Seconds time = bytes * copying(plan_);
    if (time == Seconds()) return;
    sent_.push_back(append(role_, {.kind = Kind::compute,
                                   .name = name,
                                   .stream = communication_stream,
                                   .time = time,
                                   .after = std::move(after)}));
  }

  const Plan& plan_;
  Role& role_;
  std::vector<int> sent_;
};

/// One rank: nothing to add up.
class Alone final : public Base {
 public:
  using Base::Base;
  void ready(const std::string&, double, int) override {}
};

class Offers final : public Base {
 public:
  using Base::Base;
  void ready(const std::string& layer, double elements, int made) override {
    append(role_, {.kind = Kind::offer, .name = layer, .bytes = wire(plan_, elements), .after = {made}});
  }
  void settle() override { append(role_, {.kind = Kind::settle, .name = "reduced"}); }
};

/// In buckets, each closed by the tensor that reaches its limit, reduced in order.
class Buckets : public Base {
 public:
  Buckets(const Plan& plan, Role& role, Collective what) : Base(plan, role), what_(what) {}

  void ready(const std::string&, double elements, int made) override {
    filled_ += elements * plan_.gradient();
    bytes_ += wire(plan_, elements);
    last_ = made;
    const Framework& f = plan_.training.framework;
    if (f.overlap && filled_ >= (count_ == 0 ? f.first_bucket : f.bucket)) close();
  }
  void settle() override {
    const Framework& f = plan_.training.framework;
    if (!f.overlap)  // as many as there would have been, at the end
      while (bytes_ > f.bucket) send(f.bucket), bytes_ -= f.bucket;
    if (bytes_ > Bytes()) close();
    Base::settle();
  }

 private:
  void close() {
    send(bytes_);
    filled_ = bytes_ = Bytes();
  }
  void send(Bytes bytes) {
    const std::string name = "bucket " + std::to_string(count_++);
    copy(bytes, "copy into " + name, {last_});
    communicate(what_, bytes, name, {last_});
    copy(bytes, "copy out of " + name, {});
  }

  Collective what_;
  Bytes filled_, bytes_;
  int count_ = 0, last_ = 0;
};

class OfEach final : public Base {
 public:
  using Base::Base;
  void ready(const std::string& layer, double elements, int made) override {
    communicate(Collective::allreduce, wire(plan_, elements), layer, {made});
  }
};

/// Gradients go to one rank, parameters come from it; what one rank sends is a share of the gathered array.
class Server final : public Base {
 public:
  using Base::Base;
  void ready(const std::string& layer, double elements, int made) override {
    communicate(Collective::gather, plan_.data * wire(plan_, elements), layer, {made});
    total_ += elements;
  }
  double optimizer_share() const override { return 1; }
  void after_optimizer() override {
    append(role_, {.kind = Kind::collective,
                   .name = "fetch",
                   .bytes = wire(plan_, plan_.data * total_),
                   .collective = Collective::scatter,
                   .group = data_group});
  }

 private:
  double total_ = 0;
};

/// ZeRO-1 and 2: each rank updates its share of the parameters, then all gather them.
class Sharded final : public Buckets {
 public:
  Sharded(const Plan& plan, Role& role) : Buckets(plan, role, Collective::reduce_scatter) {}
  void ready(const std::string& layer, double elements, int made) override {
    total_ += elements * element(plan_.training.precision);
    Buckets::ready(layer, elements, made);
  }
  double optimizer_share() const override { return 1.0 / plan_.data; }
  void after_optimizer() override {
    for (const Bytes bucket = plan_.training.framework.bucket; total_ > Bytes(); total_ -= bucket)
      append(role_, {.kind = Kind::collective,
                     .name = "gather parameters",
                     .bytes = std::min(total_, bucket),
                     .collective = Collective::allgather,
                     .group = data_group});
  }

 private:
  Bytes total_;
};

/// ZeRO-3 and FSDP: the layers of a unit are gathered before they compute, forward and backward, at most two
/// units ahead; gradients are scattered unit by unit.
class FullySharded final : public Base {
 public:
  FullySharded(const Plan& plan, Role& role) : Base(plan, role) { find_units(); }

  void ready(const std::string&, double elements, int) override { scattered_ += wire(plan_, elements); }
  double optimizer_share() const override { return 1.0 / plan_.data; }

  void before(std::size_t index, std::vector<int>& waiting, bool backward) override {
    const std::size_t unit = unit_of_[index];
    const bool first = backward ? index + 1 == units_[unit].last : index == units_[unit].first;
    if (!first || units_[unit].elements == 0) return;
    // two all-gathers may be under way: this one waits for the unit before the last to be computed
    std::vector<int> after;
    if (computed_.size() >= 2) after.push_back(computed_[computed_.size() - 2]);
    const Bytes bytes = units_[unit].elements * element(plan_.training.precision);
    const int gathered = communicate(Collective::allgather, bytes, "gather parameters", after);
    waiting.push_back(gathered);
  }
  bool watches(std::size_t index) const override {
    const Unit& u = units_[unit_of_[index]];
    return index == u.first || index + 1 == u.last;
  }
  void passed(std::size_t index, int computed, bool backward) override {
    const Unit& u = units_[unit_of_[index]];
    if (index != (backward ? u.first : u.last - 1)) return;
    computed_.push_back(computed);
    if (backward) scatter(computed);
  }
  void settle() override {
    scatter(computed_.empty() ? 0 : computed_.back());
    Base::settle();
  }

 private:
  struct Unit {
    std::size_t first, last;
    double elements = 0;
  };
  void scatter(int computed) {
    if (scattered_ > Bytes())
      communicate(Collective::reduce_scatter, std::exchange(scattered_, {}), "scatter gradients", {computed});
  }
  /// Blocks of a transformer; of others as many layers as hold 25 MiB.
  void find_units() {
    const auto& layers = plan_.layers();
    constexpr double enough = 25 * 1048576 / 4.0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const bool joins = !units_.empty() && layers[i].block == layers[i - 1].block &&
                         (layers[i].block >= 0 || units_.back().elements < enough);
      if (!joins) units_.push_back({i, i});
      units_.back().last = i + 1;
      units_.back().elements += layers[i].parameters();
      unit_of_.push_back(units_.size() - 1);
    }
  }

  std::vector<Unit> units_;
  std::vector<std::size_t> unit_of_;
  std::vector<int> computed_;
  Bytes scattered_;
};

Coordinator coordinator(const Plan& plan) {
  const Framework& f = plan.training.framework;
  Coordinator c;
  c.cycle = f.cycle;
  const double unit = 8.0 * 64 * plan.training.ranks_per_node;  // the threshold is rounded up to it
  c.threshold = Bytes(std::ceil(f.fusion.value / unit) * unit);
  c.cache = f.cache;
  c.group = data_group;
  c.stream = communication_stream;
  c.together = f.grouped;
  c.copy = copying(plan);
  c.way = {{Collective::allreduce, data_group, 1}};
  if (!f.hierarchical) return c;
  const double local = plan.training.ranks_per_node;
  c.way = {{Collective::reduce_scatter, local_group, 1},
           {Collective::allreduce, cross_group, 1 / local},
           {Collective::allgather, local_group, 1}};
  return c;
}

}  // namespace

int append(Role& role, Activity activity) {
  role.activities.push_back(std::move(activity));
  return static_cast<int>(role.activities.size()) - 1;
}

void name_groups(const Plan& plan, Job& job) {
  const int local = plan.training.framework.hierarchical ? plan.training.ranks_per_node : 1;
  job.dimensions = {{"tensor", plan.tensor}, {"local", local}, {"data", plan.data / local}};
  job.groups = {{"data", {1, 2}}, {"tensor", {0}}, {"local", {1}}, {"cross", {2}}};
  if (plan.pipeline > 1) job.dimensions.push_back({"pipeline", plan.pipeline});
  if (plan.training.framework.reduction == How::coordinator && plan.data > 1)
    job.coordinator = coordinator(plan);
}

std::unique_ptr<Reducer> make_reducer(const Plan& plan, Role& role) {
  const Framework& f = plan.training.framework;
  if (plan.data == 1) return std::make_unique<Alone>(plan, role);
  switch (f.reduction) {
    case How::coordinator:
      return std::make_unique<Offers>(plan, role);
    case How::each:
      return std::make_unique<OfEach>(plan, role);
    case How::server:
      return std::make_unique<Server>(plan, role);
    case How::sharded:
      if (f.stage == 3) return std::make_unique<FullySharded>(plan, role);
      return std::make_unique<Sharded>(plan, role);
    default:
      return std::make_unique<Buckets>(plan, role, Collective::allreduce);
  }
}

}  // namespace collcast::workloads
