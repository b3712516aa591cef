// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "replay/application/inspected.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct InspectOptions {
  std::vector<std::string> files;
  std::string steps, like;
  Format format = Format::table;
};

/// The shape of DeepIntrospect's dumps: per operation a count, a time in us, and both by message size.
Json like_deepintrospect(const std::string& format, const Json& operations) {
  Json all = Json::array();
  std::map<std::string, Json> by_name;
  for (const Json& o : operations) {
    Json& d = by_name[o["operation"]];
    if (d.is_null())
      d = {{"operation", o["operation"]},
           {"tag", format},
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

void run_inspect(const InspectOptions& options) {
  const auto source = open_source(options.files, steps(options.steps));
  const Report report = inspected(*source, inspect(*source));
  if (options.like.empty()) return print(report, options.format);
  print_json(like_deepintrospect(source->info().format, report.sections[0].rows));
}

}  // namespace

void add_inspect(CLI::App& app, int&) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb =
      app.add_subcommand("inspect", "What is in a trace: operations by communicator and size, ranks, losses");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--like", options->like, "deepintrospect: JSON as DeepIntrospect dumps it, times in us")
      ->check(one_of({"deepintrospect"}))
      ->option_text("deepintrospect");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast inspect traces/qe-si-8.cct");
  verb->callback([options] { run_inspect(*options); });
}

}  // namespace collcast::cli
