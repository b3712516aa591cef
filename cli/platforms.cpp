// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "platforms/listing.hpp"
#include "platforms/load.hpp"

namespace collcast::cli {
namespace {

struct Options {
  std::string platform;
  std::vector<std::string> set;
  Format format = Format::table;
};

Json row(const PlatformSummary& p) {
  return {{"platform", p.name},
          {"description", p.description},
          {"max_ranks", p.max_ranks},
          {"gpus_per_node", p.gpus_per_node},
          {"stamp", to_string(p.stamp)}};
}

void list(const Options& options) {
  Json rows = Json::array();
  for (const PlatformSummary& p : list_platforms()) rows.push_back(row(p));
  if (options.format == Format::json) {
    std::cout << rows.dump(2) << '\n';
  } else if (options.format == Format::csv) {
    print_csv(rows);
  } else {
    std::vector<std::vector<std::string>> table{
        {"platform", "ranks", "GPUs/node", "weakest number", "description"}};
    for (const Json& r : rows)
      table.push_back(
          {r["platform"], count(r["max_ranks"]), r["gpus_per_node"].dump(), r["stamp"], r["description"]});
    print_table(table);
  }
}

void show(const Options& options) {
  Description d = load_platform(options.platform);
  set_all(d, options.set);
  Json rows = Json::array();
  for (const Parameter& p : d.parameters())
    rows.push_back({{"parameter", p.path},
                    {"value", p.value},
                    {"low", p.low},
                    {"high", p.high},
                    {"unit", p.unit},
                    {"stamp", to_string(p.stamp)},
                    {"source", p.source}});
  if (options.format == Format::json) {
    Json answer = row(summary(d));
    answer["parameters"] = rows;
    std::cout << answer.dump(2) << '\n';
  } else if (options.format == Format::csv) {
    print_csv(rows);
  } else {
    print(std::cout, d);
  }
}

}  // namespace

void add_platforms(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("platforms", "The machines that are described, with the source of every number");
  verb->add_option("platform", options->platform, "Shows one: a name from the list, or a file");
  verb->add_option("--set", options->set, "Overrides a parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_format(*verb, options->format);
  verb->footer("Example: collcast platforms summit");
  verb->callback([options] { options->platform.empty() ? list(*options) : show(*options); });
}

}  // namespace collcast::cli
