// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <set>

#include "cli/options.hpp"
#include "cli/platform_files.hpp"
#include "cli/platform_summary.hpp"
#include "cli/verbs.hpp"
#include "forecast/group.hpp"
#include "libraries/nccl/constants.hpp"
#include "libraries/nccl/nccl.hpp"
#include "libraries/situation.hpp"
#include "platforms/description/json_schema.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/listing.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

struct PlatformsOptions {
  std::string platform;
  std::vector<std::string> set;
  bool all = false, rings = false, schema = false;
  std::string graph, exported, imported, output;
  std::int64_t ranks = 0;
  Format format = Format::table;
};

Json summary_row(const PlatformSummary& p) {
  return {{"platform", p.name},
          {"description", p.description},
          {"max_ranks", p.max_ranks},
          {"gpus_per_node", p.gpus_per_node},
          {"stamp", to_string(p.stamp)}};
}

void list(const PlatformsOptions& options) {
  Json rows = Json::array();
  for (const PlatformSummary& p : list_platforms()) rows.push_back(summary_row(p));
  print_rows(rows,
             {report::text_of("platform", "platform"), report::count_of("ranks", "max_ranks"),
              report::count_of("GPUs/node", "gpus_per_node"), report::text_of("description", "description"),
              report::text_of("weakest number", "stamp")},
             options.format);
}

Description edited(const PlatformsOptions& options) {
  Description d = load_platform(options.platform);
  set_all(d, options.set);
  for (const std::string& words : implausible(d)) note(words);
  return d;
}

/// The default pace of a reduction, if the file does not state it.
std::vector<Parameter> defaults(const Description& d) {
  const Blueprint b = read_blueprint(d);
  std::vector<Parameter> all;
  std::set<int> seen;
  using Kind = Blueprint::Vertex::Kind;
  for (const Blueprint::Vertex& v : b.vertices) {
    const bool reduces = v.kind == Kind::gpu || v.kind == Kind::cpu || v.kind == Kind::dpu;
    if (!reduces || v.device < 0 || !seen.insert(v.device).second) continue;
    const Blueprint::Device& device = b.devices[static_cast<std::size_t>(v.device)];
    if (device.reduce || !device.memory_bandwidth) continue;
    const std::string& path = device.memory_bandwidth->path;
    for (const Parameter& p : d.parameters())
      if (p.path == path)
        all.push_back({path.substr(0, path.find_last_of('.')) + ".reduce_GBps", p.value / 3, p.unit,
                       "default: a third of memory_bandwidth_GBps", std::max(p.stamp, Stamp::derived),
                       p.low / 3, p.high / 3});
  }
  return all;
}

/// The release of NCCL or RCCL by which the platform's users send; empty if they send by neither.
std::optional<nccl::Release> release_on(const Description& d) {
  const auto policy = supported_gpu(d) ? nccl::parse(usual_policy(d)) : std::nullopt;
  return policy ? std::optional(policy->release) : std::nullopt;
}

/// The release's own numbers on several nodes, for parameters that the file does not state.
std::vector<Parameter> of_release(const nccl::Release& release, const Description& d) {
  const Blueprint b = read_blueprint(d);
  const auto nodes = static_cast<Rank>(std::min<std::int64_t>(2, b.max_nodes));
  const Situation s = situation(d, nodes * b.ranks_per_node, release.text());
  const nccl::Software software = nccl::published_software(release, s);
  const std::vector<Parameter> stated = d.parameters();
  const double most = 1 + uncertainty(Stamp::guess);
  std::vector<Parameter> all;
  for (const nccl::Constant& c : nccl::constants()) {
    const auto value = nccl::value_of(c, software);
    const std::string key = nccl::key_of(c);
    if (!value || std::ranges::find(stated, key, &Parameter::path) != stated.end()) continue;
    all.push_back({key, *value, "us", "default: " + release.text() + "'s own", Stamp::guess, *value / most,
                   *value * most});
  }
  return all;
}

void show(const PlatformsOptions& options) {
  const Description d = edited(options);
  std::set<std::string> unused;
  for (const Parameter& p : unused_parameters(d))
    if (!p.path.starts_with("software.nccl.")) unused.insert(p.path);  // policies use these
  Json rows = Json::array();
  const bool people = options.format == Format::table && !options.all;
  std::vector<Parameter> parameters = people ? folded(d.parameters()) : d.parameters();
  for (Parameter& p : defaults(d)) parameters.push_back(std::move(p));
  if (const auto release = release_on(d); release && options.all)
    for (Parameter& p : of_release(*release, d)) parameters.push_back(std::move(p));
  for (const Parameter& p : parameters)
    rows.push_back({{"parameter", p.path},
                    {"value", p.value},
                    {"low", p.low},
                    {"high", p.high},
                    {"unit", p.unit},
                    {"stamp", to_string(p.stamp)},
                    {"source", p.source},
                    {"used", !unused.contains(p.path)}});
  if (options.format == Format::json) {
    Json answer = summary_row(summary(d));
    if (d.json().contains("library")) answer["library"] = d.json()["library"];
    answer["parameters"] = rows;
    print_json(answer);
  } else if (options.format == Format::csv) {
    print_csv(rows);
  } else {
    print_text(platform_summary(d) + "\n");
    std::vector<std::vector<std::string>> table{{"parameter", "value", "unit", "stamp", "source"}};
    for (const Json& r : rows)
      table.push_back({r["parameter"], compact(r["value"]), r["unit"], r["stamp"],
                       r["source"].get<std::string>() + (r["used"] ? "" : " [moves no message]")});
    print_table(table);
    for (const Json& note : d.json().value("notes", Json::array()))
      print_text("\n" + note.get<std::string>() + "\n");
  }
}

/// The names of a channel's vertices in order. A ring that crosses the network begins and ends at its NIC.
Json stops(const Blueprint& b, const Channels::Channel& c) {
  Json names = Json::array();
  auto add = [&](int vertex) { names.push_back(b.vertices[static_cast<std::size_t>(vertex)].name); };
  for (int gpu : c.gpus) add(b.ranks_on[static_cast<std::size_t>(gpu)]);
  if (c.nic >= 0) {
    const int nic = b.of_kind(Blueprint::Vertex::Kind::nic)[static_cast<std::size_t>(c.nic)];
    names.insert(names.begin(), b.vertices[static_cast<std::size_t>(nic)].name);
  }
  return names;
}

void show_rings(const PlatformsOptions& options) {
  const Description d = edited(options);
  const auto release = release_on(d);
  if (!release)
    throw InputError("--rings are those of NCCL and RCCL, and " + d.name() + " sends by " + usual_policy(d));
  const Blueprint b = read_blueprint(d);
  Json rows = Json::array();
  for (const auto& [reach, where] :
       {std::pair(ChannelReach::node, "one node"), {ChannelReach::network, "several nodes"}})
    for (const auto& [shape, name] : {std::pair(ChannelShape::ring, "ring"), {ChannelShape::tree, "tree"}}) {
      if (reach == ChannelReach::network && b.max_nodes < 2) continue;
      const Channels found =
          channels(d, reach == ChannelReach::node ? 1 : 2, b.ranks_per_node, release->text(), shape);
      for (const Channels::Channel& c : found.channels)
        rows.push_back({{"ranks_on", where},
                        {"shape", name},
                        {"bandwidth_GBps", found.bandwidth.value / 1e9},
                        {"order", stops(b, c)}});
    }
  if (options.format == Format::json) {
    print_json(rows);
    return;
  }
  if (options.format == Format::csv) return print_csv(rows);
  std::vector<std::vector<std::string>> table{{"ranks on", "shape", "bandwidth", "order"}};
  for (const Json& r : rows) {
    std::string order;
    for (const Json& stop : r["order"]) order += (order.empty() ? "" : " ") + stop.get<std::string>();
    table.push_back({r["ranks_on"], r["shape"], gbps(r["bandwidth_GBps"]), order});
  }
  print_table(table);
}

void run_platforms(const PlatformsOptions& options) {
  if (!options.imported.empty()) return import_file(options.imported, options.output);
  if (options.schema) {
    std::cout << dump(json_schema(), 1) << '\n';
    return;
  }
  const bool one = options.rings || !options.graph.empty() || !options.exported.empty();
  if (options.platform.empty() && (one || options.all || !options.set.empty()))
    throw InputError("--set, --all, --rings, --graph and --export need the name of a platform");
  if (options.platform.empty()) return list(options);
  if (!options.graph.empty()) write_graph(edited(options), options.graph);
  if (!options.exported.empty())
    write_export(edited(options), options.exported, static_cast<Rank>(options.ranks));
  if (options.rings) show_rings(options);
  if (!one) show(options);
}

}  // namespace

void add_platforms(CLI::App& app, int&) {
  auto options = std::make_shared<PlatformsOptions>();
  CLI::App* verb =
      app.add_subcommand("platforms", "The machines that are described, with the source of every number");
  verb->add_option("platform", options->platform, "Shows one: a name from the list, or a file");
  verb->add_option("--set", options->set, "Overrides a parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  verb->add_flag("--all", options->all,
                 "Lists every parameter of the platform, the pieces of curves and NCCL's constants too");
  verb->add_flag(
      "--rings", options->rings,
      "The rings and trees that NCCL or RCCL finds, in the release that is the platform's `library`, "
      "before it doubles them");
  verb->add_option("--graph", options->graph,
                   "Draws a node and the network: FILE.dot, or FILE.svg by Graphviz")
      ->option_text("FILE");
  verb->add_option("--export", options->exported,
                   "Writes FILE.json, complete without base and parts, or FILE.xml for SimGrid")
      ->option_text("FILE");
  verb->add_option("-n,--ranks", options->ranks, "Ranks of FILE.xml (default: those of one node)")
      ->check(CLI::Range(1, 512))
      ->option_text("N");
  verb->add_option("--import", options->imported,
                   "Makes a platform from a file of NCCL (topology), hwloc, ibnetdiscover, Slurm "
                   "(topology.conf) or SimGrid (cluster)")
      ->option_text("FILE");
  verb->add_option("-o,--output", options->output, "The file that --import writes")->option_text("NEW.json");
  verb->get_option("--ranks")->needs("--export");
  verb->get_option("--import")->needs("-o");
  verb->get_option("-o")->needs("--import");
  verb->add_flag("--schema", options->schema, "Prints the JSON Schema of platform files");
  verb->get_option("--import")->excludes("--schema");
  for (const char* alone : {"--import", "--schema"})
    for (const char* asked : {"platform", "--set", "--all", "--rings", "--graph", "--export"})
      verb->get_option(alone)->excludes(verb->get_option(asked));
  verb->get_option("--graph")->excludes("--export");
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast platforms dgx-1v --rings; collcast platforms --import topology.xml -o mine.json");
  verb->callback([options] { run_platforms(*options); });
}

}  // namespace collcast::cli
