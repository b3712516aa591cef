// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <set>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
//
#include <simgrid/version.h>  // does not compile before another header of SimGrid

#include "engines/simgrid/physics.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;

/// A zone of two hosts between which every flow runs. The route of a flow is set here just before it starts,
/// so SimGrid needs neither a table of routes nor a host for each rank.
class RouteZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  explicit RouteZone(const std::string& name) : NetZoneImpl(name) {}
  void get_local_route(const NetPoint*, const NetPoint*, simgrid::kernel::routing::Route* into,
                       double*) override {
    into->link_list_ = route;
  }
  std::vector<StandardLinkImpl*> route;
};

/// SimGrid counts whole bytes, while sizes here are real numbers. It gets sizes in these units.
constexpr double units_per_byte = 1 << 24;
constexpr Bytes too_many(0x1p64 / units_per_byte);  ///< units to count in 64 bits: 1 TiB

/// The only engine of this process, its two hosts, and as many links as any platform has needed so far.
/// SimGrid cannot remove anything before the process ends.
class Everlasting {
 public:
  static Everlasting& get() {
    static auto* only = new Everlasting;  // must outlive SimGrid's own exit handlers
    return *only;
  }
  s4u::Engine& engine() { return *engine_; }
  RouteZone& zone() { return *zone_; }
  s4u::Link* link(std::size_t i) {
    while (i >= links_.size()) more_links(std::max<std::size_t>(256, links_.size()));
    return links_[i];
  }
  s4u::Link* throttle(std::size_t i) {
    while (i >= throttles_.size()) {
      throttles_.push_back(link_zone().create_link("throttle" + std::to_string(i), 1.0));
      throttles_.back()->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->seal();
    }
    return throttles_[i];
  }

  s4u::Host *from = nullptr, *to = nullptr;
  std::vector<Index> ended;
  std::set<s4u::Activity*> stop;  ///< SimGrid leaves its loop when this is not empty

 private:
  Everlasting() {
    // SimGrid installs its own handlers for these signals.
    auto* interrupt = std::signal(SIGINT, SIG_DFL);
    auto* fault = std::signal(SIGSEGV, SIG_DFL);
    engine_ = new s4u::Engine("collcast");
    std::signal(SIGINT, interrupt);
    std::signal(SIGSEGV, fault);
    xbt_log_control_set("root.thres:critical");
    for (const Physics& p : physics()) s4u::Engine::set_config(p.key + ":" + p.value);
    zone_ = new RouteZone("platform");
    from = zone_->get_iface()->create_host("from", 1.0);
    to = zone_->get_iface()->create_host("to", 1.0);
    zone_->get_iface()->seal();
    s4u::Activity::on_completion_cb([this](const s4u::Activity& flow) {
      ended.push_back(static_cast<Index>(reinterpret_cast<std::uintptr_t>(flow.get_data<void>()) - 1));
      if (stop.empty()) stop.insert(nullptr);
    });
  }
  void more_links(std::size_t count) {
    s4u::NetZone& zone = link_zone();
    for (const std::size_t end = links_.size() + count; links_.size() < end;)
      links_.push_back(zone.create_link(std::to_string(links_.size()), 1.0)->seal());
  }
  /// SimGrid seals zones when it runs, so new links need a new zone.
  s4u::NetZone& link_zone() {
    auto* zone = new RouteZone("links" + std::to_string(zones_++));
    zone->set_network_model(zone_->get_network_model());
    return *zone->get_iface();
  }

  s4u::Engine* engine_ = nullptr;
  RouteZone* zone_ = nullptr;
  int zones_ = 0;
  std::vector<s4u::Link*> links_, throttles_;
};

class SimgridKernel : public Kernel {
 public:
  explicit SimgridKernel(const std::vector<Link>& links);
  ~SimgridKernel() override;
  SimgridKernel(const SimgridKernel&) = delete;
  SimgridKernel& operator=(const SimgridKernel&) = delete;

  Seconds now() const override { return Seconds(s4u::Engine::get_clock() - began_); }
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) override;
  std::span<const Index> advance(Seconds limit) override;
  std::size_t running() const override { return running_; }

 private:
  /// A link of its own for each flow with a cap, as SimGrid 3.32 ignores the rate of a flow between hosts.
  StandardLinkImpl* throttle(BytesPerSecond cap);

  const double began_ = s4u::Engine::get_clock();  ///< s
  std::vector<StandardLinkImpl*> links_;
  std::map<BytesPerSecond, StandardLinkImpl*> throttles_;
  std::vector<s4u::CommPtr> flows_;  ///< SimGrid needs a reference until a flow ends
  std::size_t running_ = 0;
};

StandardLinkImpl* SimgridKernel::throttle(BytesPerSecond cap) {
  const auto known = throttles_.find(cap);
  if (known != throttles_.end()) return known->second;
  s4u::Link* link = Everlasting::get().throttle(throttles_.size());
  link->set_bandwidth(cap.value * units_per_byte);
  return throttles_[cap] = link->get_impl();
}

SimgridKernel::SimgridKernel(const std::vector<Link>& links) {
  Everlasting& all = Everlasting::get();
  for (std::size_t i = 0; i < links.size(); ++i) {
    s4u::Link* link = all.link(i);
    link->set_bandwidth(links[i].bandwidth.value * units_per_byte);
    links_.push_back(link->get_impl());
  }
}

SimgridKernel::~SimgridKernel() {
  for (s4u::CommPtr& flow : flows_)
    if (flow) flow->cancel();
}

void SimgridKernel::start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) {
  if (!(bytes < too_many))
    throw InputError(
        "SimGrid counts messages of less than 1 TiB only; --engine contention plays larger ones");
  Everlasting& all = Everlasting::get();
  all.zone().route.clear();
  for (const LinkId link : route) all.zone().route.push_back(links_[link]);
  if (std::isfinite(cap.value)) all.zone().route.push_back(throttle(cap));
  if (id >= flows_.size()) flows_.resize(std::max<std::size_t>(id + 1, 2 * flows_.size()));
  s4u::CommPtr& flow = flows_[id];
  flow = s4u::Comm::sendto_init();
  flow->set_payload_size(
      std::max(std::uint64_t{1}, static_cast<std::uint64_t>(bytes.value * units_per_byte)));
  flow->set_data(reinterpret_cast<void*>(std::uintptr_t{id} + 1));
  flow->set_source(all.from)->set_destination(all.to);  // setting both ends starts it
  ++running_;
}

std::span<const Index> SimgridKernel::advance(Seconds limit) {
  Everlasting& all = Everlasting::get();
  const double until = began_ + limit.value;
  all.ended.clear();
  for (int attempts = 0; all.ended.empty() && s4u::Engine::get_clock() < until; ++attempts) {
    if (attempts == 1000) throw SubstrateError("SimGrid stalled at " + std::to_string(now().value) + " s");
    all.stop.clear();
    s4u::Activity::set_vetoed_activities(&all.stop);
    all.engine().run_until(std::isfinite(until) ? until : -1);
    s4u::Activity::set_vetoed_activities(nullptr);
  }
  for (const Index id : all.ended) flows_[id].reset();
  // SimGrid orders flows that end together by address.
  std::sort(all.ended.begin(), all.ended.end());
  running_ -= all.ended.size();
  return all.ended;
}

std::unique_ptr<Kernel> kernel(const std::vector<Link>& links) {
  return std::make_unique<SimgridKernel>(links);
}

std::string version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace
}  // namespace collcast

extern "C" {
extern const collcast::SimgridModule collcast_simgrid_module;
const collcast::SimgridModule collcast_simgrid_module = {collcast::kernel, collcast::version};
}
