// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "cli/by_messages.hpp"
#include "cli/group_prices.hpp"
#include "cli/job_report.hpp"
#include "cli/jobs.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"
#include "workloads/job/summary.hpp"
#include "workloads/job/write.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct JobOptions {
  std::string what, platform, policy, engine, delivery = "staged";
  std::vector<std::string> ranks;
  WhatIf what_if;
  double samples = 0;
  int pieces = 1;
  bool list = false, describe = false, explain = false;
  Pictures pictures;
  Format format = Format::table;
};

void list_applications(Format format) {
  Report report;
  report.head = nullptr;
  Json rows = Json::array();
  for (const workloads::ApplicationName& a : workloads::application_names())
    rows.push_back({{"application", a.name},
                    {"description", a.description},
                    {"settings", a.settings},
                    {"source", a.source}});
  report.sections = {{"applications",
                      rows,
                      {text_of("application", "application"), text_of("description", "description"),
                       text_of("settings", "settings")}}};
  print(report, format);
}

bool offloads(const workloads::Job& job) {
  return std::ranges::any_of(job.roles, [](const workloads::Role& role) {
    return std::ranges::any_of(
        role.activities, [](const workloads::Activity& a) { return a.progress == workloads::Progress::dpu; });
  });
}

/// The job's times on a platform.
TimesOn times_of(const JobOptions& options, const std::vector<Rank>& all) {
  return [&](const Description& platform) {
    const JobSource source(options.what, platform);
    GroupForecaster forecaster(platform, options.policy, options.pieces, options.delivery == "direct");
    const workloads::PriceOf price = group_prices(forecaster);
    std::optional<ByMessages> by;
    if (!options.engine.empty()) by.emplace(platform, options.engine, forecaster.policy());
    std::vector<Seconds> times;
    for (const Rank ranks : all)
      times.push_back(by ? by->time(source.on(ranks)) : play(source.on(ranks), price).time);
    return times;
  };
}

/// The cases, and whether they are several beyond their numbers of ranks.
Several cases(const JobOptions& options) {
  Several cases;
  cases.add("platform", options.platform);
  cases.add("policy", options.policy);
  cases.add("job", options.what);
  cases.set(options.what_if.set);
  if (!cases.more_than_one()) return cases;
  cases.add("ranks", options.ranks);
  cases.add("pieces", std::vector{std::to_string(options.pieces)});
  cases.add("delivery", std::vector{options.delivery});
  cases.refuse(options.explain, "--explain");
  cases.refuse(!options.engine.empty(), "--engine");
  cases.refuse(options.what_if.sensitivity, "--sensitivity");
  cases.refuse(options.describe, "--describe");
  cases.refuse(!options.pictures.timeline.empty(), "--timeline");
  cases.refuse(!options.pictures.report.empty(), "--report");
  cases.refuse(options.samples > 0, "--samples");
  return cases;
}

/// One number of ranks after the other, and what is shown of them.
class Jobs {
 public:
  Jobs(const JobOptions& options, const Description& platform, Canvas& canvas, bool watches)
      : options_(options),
        platform_(platform),
        canvas_(canvas),
        watches_(watches),
        forecaster_(platform, options.policy, options.pieces, options.delivery == "direct"),
        price_(group_prices(forecaster_)) {
    if (!options.engine.empty()) by_.emplace(platform, options.engine, forecaster_.policy());
  }

  void add(const workloads::Job& job) {
    name_ = job.name;
    const Timed times = by_ ? by_messages(job) : by_prices(job);
    rows_.push_back(job_row(job.ranks(), times, options_.samples, workloads::ranks_per_node(platform_)));
    if (!canvas_.has_timeline()) return;
    append(report_.notes, canvas_.write_timeline({{"title", name_ + " on " + platform_.name()},
                                                  {"platform", platform_.name()},
                                                  {"ranks", job.ranks()},
                                                  {"time_s", times.time.value}}));
  }

  Report report() {
    report_.head = {{"job", name_}, {"platform", platform_.name()}, {"policy", forecaster_.policy()}};
    if (by_) report_.head["engine"] = options_.engine;
    report_.title = name_ + " on " + platform_.name() + ", " + forecaster_.policy();
    report_.sections = {
        {"rows",
         std::move(rows_),
         {count_of("ranks", "ranks"), count_of("nodes", "nodes"), number_of("time", "step_s", seconds),
          number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
          number_of("compute", "compute_s", seconds),
          number_of("exposed", "exposed_communication_s", seconds),
          number_of("efficiency", "efficiency", text::percent), text_of("limited by", "limited_by")}}};
    if (options_.explain) explained_.write(report_, options_.format);
    if (!by_) append(report_.notes, forecaster_.notes());
    return std::move(report_);
  }
  void write_page(const Report& report) {
    write_job_page(canvas_, platform_, report, std::move(pictures_), seen_, by_.has_value());
  }

 private:
  Timed by_prices(const workloads::Job& job) {
    const workloads::Played played = play(job, price_);
    if (options_.explain) explained_.add(job.ranks(), summary(job, played), played.time);
    if (canvas_.has_timeline()) show(canvas_.timeline(), job, played.spans);
    if (canvas_.has_page()) pictures_.push_back(streams_of(job, played.spans));
    return timed(job, played, price_);
  }
  Timed by_messages(const workloads::Job& job) {
    const ReplayReport played = by_->report(job, watches_ ? canvas_.watched(platform_) : nullptr);
    if (options_.explain) explained_.add(job.ranks(), played.explanation, played.time);
    add_notes(report_, played);
    if (watches_) seen_ = played.time;
    return timed(played);
  }

  const JobOptions& options_;
  const Description& platform_;
  Canvas& canvas_;
  const bool watches_;
  GroupForecaster forecaster_;
  const workloads::PriceOf price_;
  std::optional<ByMessages> by_;
  std::string name_;
  Json rows_ = Json::array();
  Explained explained_;
  Report report_;
  std::vector<Figure> pictures_;
  Seconds seen_;
};

/// What only some jobs, or one, may be asked.
void check(const JobOptions& options, const workloads::Job& job, const Description& platform) {
  if (job.ranks() > max_ranks(platform))
    throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                     std::to_string(job.ranks()));
  const bool direct = options.delivery == "direct";
  if ((options.pieces != 1 || direct) && !offloads(job))
    throw InputError((direct ? "--delivery" : "--pieces") +
                     (" goes with collectives that are offloaded; " + job.name + " has none"));
}

int run_job(const JobOptions& options) {
  if (options.list || options.what.empty()) return list_applications(options.format), 0;
  if (options.platform.empty()) throw InputError("--platform is missing");
  if (const Several several = cases(options); several.more_than_one())
    return several.answer("job", options.what, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  const JobSource source(options.what, platform);
  if (options.delivery != "staged" && options.delivery != "direct")
    throw InputError("--delivery takes staged or direct, got '" + options.delivery + "'");
  std::vector<Rank> all = parse_rank_counts(options.ranks);
  if (all.empty()) all = {0};  // as the file says
  if (options.describe && all.size() > 1) throw InputError("--describe takes one number of --ranks");
  if (options.describe && !(options.pictures.timeline + options.pictures.report).empty())
    throw InputError("--describe plays nothing, and has nothing for --timeline or --report");
  Canvas canvas(options.pictures);
  canvas.require_one(all.size());
  Jobs jobs(options, platform, canvas, all.size() == 1);
  for (const Rank ranks : all) {
    const workloads::Job job = source.on(ranks);
    check(options, job, platform);
    if (options.describe) return std::cout << job_text(job), 0;
    jobs.add(job);
  }
  Report report = jobs.report();
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times, limit_of(report));
  jobs.write_page(report);
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
  verb->add_option("-p,--platform", options->platform,
                   "Names from `collcast platforms`, or files. Where this, the job, --policy or a --set has "
                   "several values, each combination is a row")
      ->option_text("P[,P...]");
  verb->add_flag("--list", options->list, "The applications: settings with their defaults, sources");
  verb->add_flag("--describe", options->describe, "The job as a file that this verb reads back");
  verb->add_flag("--explain", options->explain,
                 "Where the time goes, by activity; with --engine along the chain of causes. CSV has this "
                 "instead of the rows");
  verb->add_option(
          "-n,--ranks", options->ranks,
          "How many ranks: of a file, what the dimension '*' makes of the others (default: as it says)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("--policy", options->policy,
                   "What chooses and sends collectives, as in predict (default nccl-2.8 between GPUs, or the "
                   "first that knows them)")
      ->option_text("L");
  add_messages(*verb, options->engine);
  verb->add_option("--pieces", options->pieces,
                   "Pieces in which DPUs pipeline what is offloaded, as in predict (default 1)")
      ->option_text("K");
  verb->add_option(
          "--delivery", options->delivery,
          "Where DPUs put what they send: staged (default), in the memory of the receiver's DPU, which "
          "copies it; direct, in the receiver's own, where no rank passes on what it got (alltoall)")
      ->option_text("staged|direct");
  verb->add_option("--samples", options->samples, "Samples that one pass of the job works off")
      ->check(CLI::NonNegativeNumber)
      ->option_text("X");
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast job halo.json --platform summit --ranks 96,384\n"
      "Example: collcast job p3dfft:n=2048,mode=offload --platform bluefield-2-cluster --ranks 256 "
      "--explain");
  verb->callback([options, &exit_code] { exit_code = run_job(*options); });
}

}  // namespace collcast::cli
