// SPDX-License-Identifier: Apache-2.0
#include "platforms/exchange/export.hpp"

#include <pugixml.hpp>

#include <set>
#include <sstream>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr Rank most_ranks = 512;

void add_link(pugi::xml_node& zone, const std::string& name, double bandwidth, double latency, bool shared) {
  pugi::xml_node link = zone.append_child("link");
  link.append_attribute("id") = name.c_str();
  link.append_attribute("bandwidth") = (text::exact(bandwidth) + "Bps").c_str();
  link.append_attribute("latency") = (text::exact(latency) + "s").c_str();
  if (!shared) link.append_attribute("sharing_policy") = "FATPIPE";
}

std::string delay(Seconds latency) {
  return "latency " + text::exact(latency.value * 1e6) + " us";
}

struct Route {
  Rank from, to;
  std::vector<LinkId> links;
  Seconds latency;
};

std::vector<Route> routes(const Machine& machine) {
  std::vector<Route> all;
  for (Rank a = 0; a < machine.ranks(); ++a)
    for (Rank b = 0; b < machine.ranks(); ++b) {
      if (a == b) continue;
      Route r{a, b, {}, machine.wire(a, b, Bytes(0)).latency};
      machine.route(a, b, r.links);
      all.push_back(std::move(r));
    }
  return all;
}

}  // namespace

std::string simgrid_xml(const Description& description, Rank ranks) {
  if (ranks > most_ranks)
    throw InputError("SimGrid's XML has a route per pair of ranks: at most " + std::to_string(most_ranks) +
                     " ranks, not " + std::to_string(ranks));
  const Machine machine(description, ranks);
  const std::vector<Route> all = routes(machine);
  std::set<LinkId> used;
  std::set<Seconds> delays;
  for (const Route& r : all) used.insert(r.links.begin(), r.links.end()), delays.insert(r.latency);

  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  pugi::xml_node platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  pugi::xml_node zone = platform.append_child("zone");
  zone.append_attribute("id") = machine.platform().c_str();
  zone.append_attribute("routing") = "Full";
  pugi::xml_node property = zone.append_child("prop");
  property.append_attribute("id") = "collcast";
  property.append_attribute("value") = dump(description.json()).c_str();
  for (Rank r = 0; r < machine.ranks(); ++r) {
    pugi::xml_node host = zone.append_child("host");
    host.append_attribute("id") = ("rank-" + std::to_string(r)).c_str();
    host.append_attribute("speed") = "1Gf";
  }
  for (LinkId l : used) add_link(zone, machine.link_name(l), machine.links()[l].bandwidth.value, 0, true);
  for (Seconds d : delays) add_link(zone, delay(d), 1e15, d.value, false);
  for (const Route& r : all) {
    pugi::xml_node route = zone.append_child("route");
    route.append_attribute("src") = ("rank-" + std::to_string(r.from)).c_str();
    route.append_attribute("dst") = ("rank-" + std::to_string(r.to)).c_str();
    route.append_attribute("symmetrical") = "NO";
    for (LinkId l : r.links)
      route.append_child("link_ctn").append_attribute("id") = machine.link_name(l).c_str();
    route.append_child("link_ctn").append_attribute("id") = delay(r.latency).c_str();
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace collcast
