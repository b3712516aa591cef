// SPDX-License-Identifier: Apache-2.0
#include "replay/simgrid/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "model/error.hpp"
#include "replay/simgrid/physics.hpp"

namespace collcast {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;

/// Every flow runs between the same two hosts; its route is whatever was put here before it starts. So no
/// table of routes is needed, and no hosts for ranks.
class RouteZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  explicit RouteZone(const std::string& name) : NetZoneImpl(name) {}
  void get_local_route(const NetPoint*, const NetPoint*, simgrid::kernel::routing::Route* into,
                       double*) override {
    into->link_list_ = route;
  }
  std::vector<StandardLinkImpl*> route;
};

/// SimGrid counts whole bytes; ours are real numbers. In these units a message of up to 1 TB fits its 64
/// bits.
constexpr double units_per_byte = 1 << 24;

void configure() {
  for (const char* quiet : {"root.thres:critical", "root.app:stderr"}) xbt_log_control_set(quiet);
  for (const Physics& p : physics()) s4u::Engine::set_config(p.key + ":" + p.value);
}

s4u::Engine& engine() {
  static s4u::Engine* only = [] {
    auto* fresh = new s4u::Engine("collcast");  // SimGrid takes it apart at exit
    configure();
    return fresh;
  }();
  return *only;
}

}  // namespace

struct Kernel::Simulation {
  RouteZone* zone = nullptr;
  s4u::Host* from = nullptr;
  s4u::Host* to = nullptr;
  std::vector<StandardLinkImpl*> links;
  std::vector<s4u::CommPtr> flows;  ///< SimGrid needs a reference until a flow ends
  std::vector<Index> ended;
  std::set<s4u::Activity*> stop;  ///< SimGrid leaves its loop when this is not empty

  /// A link that each flow has for itself: SimGrid 3.32 ignores the rate of a flow between hosts.
  StandardLinkImpl* throttle(BytesPerSecond cap);
  std::vector<s4u::Link*> spare_throttles;
  std::map<BytesPerSecond, StandardLinkImpl*> throttles;
};

StandardLinkImpl* Kernel::Simulation::throttle(BytesPerSecond cap) {
  const auto known = throttles.find(cap);
  if (known != throttles.end()) return known->second;
  if (spare_throttles.empty())
    throw SubstrateError("SimGrid player: more than 256 kinds of messages that are slower than their links");
  s4u::Link* link = spare_throttles.back();
  spare_throttles.pop_back();
  link->set_bandwidth(cap.value * units_per_byte);
  return throttles[cap] = link->get_impl();
}

Kernel::Kernel(const std::vector<Link>& links) : simulation_(std::make_unique<Simulation>()) {
  static bool used = false;
  if (used) throw SubstrateError("SimGrid simulates one platform per process");
  used = true;
  engine();
  Simulation& s = *simulation_;
  s.zone = new RouteZone("platform");  // belongs to the engine
  s4u::NetZone* zone = s.zone->get_iface();
  s.from = zone->create_host("from", 1.0);
  s.to = zone->create_host("to", 1.0);
  for (std::size_t i = 0; i < links.size(); ++i)
    s.links.push_back(
        zone->create_link(std::to_string(i), links[i].bandwidth.value * units_per_byte)->get_impl());
  for (int i = 0; i < 256; ++i) {
    s.spare_throttles.push_back(zone->create_link("throttle " + std::to_string(i), 1.0));
    s.spare_throttles.back()->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  }
  zone->seal();
  s4u::Activity::on_completion_cb([&s](const s4u::Activity& flow) {
    s.ended.push_back(static_cast<Index>(reinterpret_cast<std::uintptr_t>(flow.get_data<void>()) - 1));
    if (s.stop.empty()) s.stop.insert(nullptr);
  });
}

Kernel::~Kernel() = default;

Seconds Kernel::now() const {
  return Seconds(s4u::Engine::get_clock());
}

void Kernel::start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) {
  Simulation& s = *simulation_;
  s.zone->route.clear();
  for (const LinkId link : route) s.zone->route.push_back(s.links[link]);
  if (std::isfinite(cap.value)) s.zone->route.push_back(s.throttle(cap));
  if (id >= s.flows.size()) s.flows.resize(std::max<std::size_t>(id + 1, 2 * s.flows.size()));
  s4u::CommPtr& flow = s.flows[id];
  flow = s4u::Comm::sendto_init();
  flow->set_payload_size(
      std::max(std::uint64_t{1}, static_cast<std::uint64_t>(bytes.value * units_per_byte)));
  flow->set_data(reinterpret_cast<void*>(std::uintptr_t{id} + 1));
  flow->set_source(s.from)->set_destination(s.to);  // the second starts it
  ++running_;
}

std::span<const Index> Kernel::advance(Seconds limit) {
  Simulation& s = *simulation_;
  s.ended.clear();
  for (int attempts = 0; s.ended.empty() && now() < limit; ++attempts) {
    if (attempts == 1000) throw SubstrateError("SimGrid stalled at " + std::to_string(now().value) + " s");
    s.stop.clear();
    s4u::Activity::set_vetoed_activities(&s.stop);
    engine().run_until(std::isfinite(limit.value) ? limit.value : -1);
    s4u::Activity::set_vetoed_activities(nullptr);
  }
  for (const Index id : s.ended) s.flows[id].reset();
  // SimGrid orders flows that end together by address.
  std::sort(s.ended.begin(), s.ended.end());
  running_ -= s.ended.size();
  return s.ended;
}

}  // namespace collcast
