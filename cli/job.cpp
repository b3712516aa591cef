// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "forecast/offload.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/schema.hpp"
#include "workloads/job/write.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/settings.hpp"

namespace collcast::cli {
namespace {

using namespace report;
using workloads::HowPlayed, workloads::JobSource, workloads::Playing;

struct JobOptions : Shown {
  std::string samples, what, platform, policy, engine, delivery = "staged", pieces = "1";
  std::vector<std::string> ranks;
  WhatIf what_if;
  bool list = false, describe = false, schema = false;
};

void list_applications(Format format) {
  Json rows = Json::array();
  for (const workloads::ApplicationName& a : workloads::application_names())
    rows.push_back({{"application", a.name},
                    {"description", a.description},
                    {"settings", a.settings},
                    {"source", a.source}});
  print_rows(rows,
             {text_of("application", "application"), text_of("description", "description"),
              text_of("settings", "settings")},
             format);
}

HowPlayed how(const JobOptions& options) {
  return {options.policy, options.engine,
          static_cast<int>(parse_count(options.pieces, "--pieces", 1, 1 << 20)),
          is_direct("--delivery", options.delivery)};
}

/// The job's times on a platform.
TimesOn times_of(const JobOptions& options, const std::vector<Rank>& all) {
  return [&](const Description& platform) {
    const JobSource source(options.what, platform);
    Playing playing(platform, how(options));
    std::vector<Seconds> times;
    for (const Rank ranks : all) times.push_back(playing.time(source.on(ranks)));
    return times;
  };
}

/// The cases, and whether they are several beyond their numbers of ranks.
Several cases(const JobOptions& options, const CLI::App& line) {
  Several cases("job", line, {"ranks"});
  cases.add("job", options.what);
  if (cases.more_than_one()) cases.add("ranks", options.ranks);
  cases.refuse({"--explain", "--sensitivity", "--describe", "--timeline", "--report", "--samples"});
  return cases;
}

/// Throws InputError if an option was given that does not go with a list of applications.
void require_list_only(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (const std::string name = option->get_name(); option->count() > 0 && name != "--list" &&
                                                     name != "--schema" && name != "--format" &&
                                                     name != "--wide")
      throw InputError(name + " needs a job, FILE.json or an application" +
                       (verb.count("--list") > 0     ? ", without --list"
                        : verb.count("--schema") > 0 ? ", without --schema"
                                                     : "; see collcast job --list"));
}

int run_job(const JobOptions& options, const CLI::App& line) {
  if (options.platform.empty()) throw InputError("--platform is required; see collcast job --help");
  if (const Several several = cases(options, line); several.more_than_one())
    return several.answer(options.what, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  const JobSource source(options.what, platform);
  const double samples = options.samples.empty() ? 0 : workloads::above_zero(options.samples, "--samples");
  std::vector<Rank> all = parse_rank_counts(options.ranks);
  if (all.empty()) all = {0};  // as many as the file says
  if (options.describe && all.size() > 1) throw InputError("--describe takes a single number for --ranks");
  if (options.describe && !(options.pictures.timeline + options.pictures.report).empty())
    throw InputError("--describe only describes the job: it does not go with --timeline or --report");
  Runs runs(platform, how(options), options, all.size());
  std::string name;
  for (const Rank ranks : all) {
    const workloads::Job job = source.on(ranks);
    require_room(platform, job.ranks());
    require_offload(how(options), job);
    if (options.describe) return std::cout << job_text(job), 0;
    name = job.name;
    const workloads::JobForecast forecast = runs.playing().forecast(job);
    runs.add(job, name, forecast, workloads::job_row(job, forecast, samples, platform));
  }
  progress_end();
  Report report =
      runs.report({{"job", name}, {"platform", platform.name()}, {"policy", runs.playing().policy()}},
                  name + " on " + platform.name(), "time");
  report.remark = not_calibrated(report, options.platform);
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times, limit_of(report));
  runs.write_page(report);
  print(report, options.format);
  return 0;
}

}  // namespace

void add_job(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<JobOptions>();
  CLI::App* verb =
      app.add_subcommand("job", "How long an application, or a described job, takes on a platform");
  verb->add_option("what", options->what,
                   "The job, as docs/jobs.md describes it, or an application with settings behind a colon; "
                   "without it, the applications are listed")
      ->option_text("FILE.json|APPLICATION");
  CLI::Option* platform =
      verb->add_option(
              "-p,--platform", options->platform,
              "Names from `collcast platforms`, or files. Several values of this, the job "
              "(halo.json,stencil, "
              "and of settings p3dfft:n=512:2048:x2), --policy, --engine, --pieces, --delivery or a --set "
              "give a row for each combination")
          ->option_text("P[,P...]");
  verb->add_flag("--list", options->list, "The applications: settings with their defaults, sources")
      ->excludes(platform);
  verb->add_flag("--schema", options->schema, "Prints the JSON Schema of the files that describe jobs")
      ->excludes(platform)
      ->excludes("--list");
  verb->add_flag("--describe", options->describe, "The job as a file that this verb reads back");
  verb->add_flag("--explain", options->explain,
                 "Where the time goes, by activity; with --engine along the chain of causes. CSV has this "
                 "instead of the rows");
  verb->add_option(
          "-n,--ranks", options->ranks,
          "Number of ranks, from which a job's file gets its dimension '*' (default: as the file says)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  add_library(*verb, options->policy);
  add_messages(*verb, options->engine);
  add_texts(*verb, {{"--pieces", &options->pieces, "K",
                     "Pieces in which DPUs pipeline what is offloaded, as in predict (default 1)"},
                    {"--delivery", &options->delivery, "staged|direct",
                     "Where DPUs put what they send. staged (default): in the memory of the receiver's DPU, "
                     "which copies it to the receiver; direct: in the receiver's own memory, where no rank "
                     "forwards what it received (alltoall)"},
                    {"--samples", &options->samples, "X", "Samples that one pass of the job processes"}});
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast job halo.json --platform summit --ranks 96,384\n"
      "Example: collcast job p3dfft:n=2048,mode=offload --platform bluefield-2-cluster --ranks 256 "
      "--explain");
  verb->callback([options, verb, &exit_code] {
    if (options->schema && !options->what.empty())
      throw InputError("--schema takes no job: it is of all of them");
    if (!options->list && !options->what.empty()) return void(exit_code = run_job(*options, *verb));
    require_list_only(*verb);
    if (options->schema) return void(std::cout << dump(workloads::job_schema(), 1) << '\n');
    list_applications(options->format);
  });
}

}  // namespace collcast::cli
