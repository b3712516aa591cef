// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "replay/source/inspection.hpp"
#include "support/error.hpp"

namespace collcast::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string steps, like;
  Format format = Format::table;
};

Json time_or_null(const Inspection::Operation& o, Seconds time) {
  return o.timed ? Json(time.value) : Json();
}

Json answer(const Source& source, const Inspection& all) {
  const SourceInfo& info = source.info();
  Json operations = Json::array(), ranks = Json::array(), pairs = Json::array(), dropped = Json::array();
  for (const auto& o : all.operations)
    operations.push_back(
        {{"operation", o.name},
         {"communicator", o.communicator},
         {"size", o.sized ? Json(std::llround(o.size.value)) : Json()},
         {"count", o.count},
         {"total_s", time_or_null(o, o.total)},
         {"min_s", time_or_null(o, o.least)},
         {"mean_s", time_or_null(o, o.total / static_cast<double>(std::max<std::int64_t>(o.timed, 1)))},
         {"max_s", time_or_null(o, o.most)},
         {"waiting_s", time_or_null(o, o.waiting)}});
  for (const auto& r : all.of_rank)
    ranks.push_back({{"rank", r.rank},
                     {"compute_s", r.compute.value},
                     {"communication_s", r.communication.value},
                     {"overlap_s", r.overlap.value},
                     {"late_s", r.lateness.value},
                     {"last", r.last}});
  for (const auto& p : all.pairs)
    pairs.push_back(
        {{"from", p.from}, {"to", p.to}, {"messages", p.messages}, {"bytes", std::llround(p.bytes.value)}});
  for (const Loss& l : all.dropped)
    dropped.push_back({{"operation", l.operation}, {"count", l.count}, {"reason", l.reason}});
  return {{"trace", info.name},
          {"format", info.format},
          {"ranks", all.ranks},
          {"recorded_ranks", all.of_rank.size()},
          {"communicators", source.communicators().size()},
          {"recorded_time_s", info.recorded.value > 0 ? Json(info.recorded.value) : Json()},
          {"compute_s", all.compute.value},
          {"operations", operations},
          {"per_rank", ranks},
          {"messages", pairs},
          {"unknown", info.unknown},
          {"dropped", dropped},
          {"notes", info.notes}};
}

/// The shape of DeepIntrospect's dumps: per operation a count, a time in us, and both by message size.
Json like_deepintrospect(const Json& a) {
  Json all = Json::array();
  std::map<std::string, Json> by_name;
  for (const Json& o : a["operations"]) {
    Json& d = by_name[o["operation"]];
    if (d.is_null())
      d = {{"operation", o["operation"]},
           {"tag", a["format"]},
           {"count", 0},
           {"time", 0.0},
           {"stats", Json::array()}};
    const double us = o["total_s"].is_null() ? 0.0 : 1e6 * o["total_s"].get<double>();
    d["count"] = d["count"].get<std::int64_t>() + o["count"].get<std::int64_t>();
    d["time"] = d["time"].get<double>() + us;
    d["stats"].push_back({{"count", o["count"]}, {"msg_size", o["size"]}, {"time", us}});
  }
  for (auto& [name, d] : by_name) all.push_back(std::move(d));
  return all;
}

void print_operations(const Json& a) {
  auto time = [](const Json& t) { return t.is_null() ? std::string("-") : seconds(t); };
  std::vector<std::vector<std::string>> table{
      {"operation", "communicator", "size", "count", "total", "min", "mean", "max"}};
  for (const Json& o : a["operations"])
    table.push_back({o["operation"], o["communicator"], o["size"].is_null() ? "?" : bytes(o["size"]),
                     count(o["count"]), time(o["total_s"]), time(o["min_s"]), time(o["mean_s"]),
                     time(o["max_s"])});
  print_table(table);
}

void print_people(const Json& a) {
  constexpr std::size_t shown = 16;
  std::cout << a["trace"].get<std::string>() << ": " << a["format"].get<std::string>() << ", " << a["ranks"]
            << " ranks";
  if (a["recorded_ranks"] != a["ranks"]) std::cout << ", of which " << a["recorded_ranks"] << " recorded";
  std::cout << ", " << a["communicators"] << " communicators\n";
  if (!a["recorded_time_s"].is_null()) std::cout << "recorded in " << seconds(a["recorded_time_s"]) << "; ";
  std::cout << "computation " << seconds(a["compute_s"]) << " over the recorded ranks\n\n";
  print_operations(a);
  std::vector<std::vector<std::string>> ranks{
      {"rank", "computation", "communication", "overlap", "late", "last"}};
  for (const Json& r : a["per_rank"])
    if (ranks.size() <= shown)
      ranks.push_back({r["rank"].dump(), seconds(r["compute_s"]), seconds(r["communication_s"]),
                       seconds(r["overlap_s"]), seconds(r["late_s"]), count(r["last"])});
  std::cout << '\n';
  print_table(ranks);
  if (a["per_rank"].size() > shown) std::cout << "and " << a["per_rank"].size() - shown << " more ranks\n";
  if (!a["messages"].empty()) {
    std::vector<std::vector<std::string>> pairs{{"from", "to", "messages", "bytes"}};
    for (const Json& p : a["messages"])
      if (pairs.size() <= shown)
        pairs.push_back({p["from"].dump(), p["to"].dump(), count(p["messages"]), bytes(p["bytes"])});
    std::cout << '\n';
    print_table(pairs);
    if (a["messages"].size() > shown) std::cout << "and " << a["messages"].size() - shown << " more pairs\n";
  }
  if (!a["unknown"].empty() || !a["dropped"].empty() || !a["notes"].empty()) std::cout << '\n';
  for (const Json& u : a["unknown"]) std::cout << "unknown: " << u.get<std::string>() << '\n';
  for (const Json& d : a["dropped"])
    std::cout << "dropped: " << d["operation"].get<std::string>() << " x " << d["count"] << ": "
              << d["reason"].get<std::string>() << '\n';
  for (const Json& n : a["notes"]) std::cout << "note: " << n.get<std::string>() << '\n';
}

void run(const Options& options) {
  const auto source = open_source(options.files, steps(options.steps));
  const Json a = answer(*source, inspect(*source));
  if (!options.like.empty())
    std::cout << like_deepintrospect(a).dump(2) << '\n';
  else if (options.format == Format::json)
    std::cout << a.dump(2) << '\n';
  else if (options.format == Format::csv)
    print_csv(a["operations"]);
  else
    print_people(a);
}

}  // namespace

void add_inspect(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("inspect", "What is in a trace: operations by communicator and size, ranks, losses");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--like", options->like, "deepintrospect: JSON as DeepIntrospect dumps it, times in us")
      ->check(CLI::IsMember({"deepintrospect"}))
      ->option_text("deepintrospect");
  add_format(*verb, options->format);
  verb->footer("Example: collcast inspect traces/qe-si-8.cct");
  verb->callback([options] { run(*options); });
}

}  // namespace collcast::cli
