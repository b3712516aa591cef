// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "cli/group_prices.hpp"
#include "cli/interrupt.hpp"
#include "cli/jobs.hpp"
#include "cli/options.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "forecast/report/answer.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "replay/application/replay.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"
#include "workloads/job/source.hpp"
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

void add_activities(Json& rows, const workloads::Job& job, const workloads::Played& played) {
  for (const workloads::ActivitySummary& a : summary(job, played))
    rows.push_back({{"ranks", job.ranks()},
                    {"role", a.role},
                    {"activity", a.name},
                    {"count", a.count},
                    {"total_s", a.total.value},
                    {"exposed_s", a.exposed.value},
                    {"share", played.time > Seconds() ? Json(a.exposed / played.time) : Json()}});
}

Section activities_section(Json rows) {
  return {"activities",
          std::move(rows),
          {count_of("ranks", "ranks"), text_of("role", "role"), text_of("activity", "activity"),
           count_of("count", "count"), number_of("under way", "total_s", seconds),
           number_of("exposed", "exposed_s", seconds), number_of("of the time", "share", text::percent)},
          std::string::npos,
          "Where the time goes: what is exposed adds up to it"};
}

/// For people, of a job that was played message by message; for machines under `explanation` by ranks.
void add_causes(Report& report, const ReplayReport& played, Rank ranks) {
  if (played.explanation.empty()) return report.notes.push_back("too many messages for an explanation");
  const Json causes = explanation(played.explanation, played.time);
  report.head["explanation"].push_back({{"ranks", ranks}, {"causes", causes}});
  report.sections.push_back(explanation_table(causes, "where the time goes, " + count(ranks) + " ranks"));
}

/// Plays a job message by message.
ReplayReport replayed(workloads::Job job, const Description& platform, const Engine& engine,
                      const std::string& policy) {
  ReplayOptions options;
  options.engine = &engine;
  options.policy = policy;
  options.memory = Memory::device;
  options.play.progress = [](Seconds now, std::int64_t messages) {
    progress("played " + seconds(now.value) + ", " + count(messages) + " messages");
  };
  const auto source = source_of(std::move(job));
  return replay(*source, platform, options);
}

/// The job's times on a platform.
TimesOn times_of(const JobOptions& options, const std::vector<Rank>& all) {
  return [&](const Description& platform) {
    const JobSource source(options.what, platform);
    GroupForecaster forecaster(platform, options.policy, options.pieces, options.delivery == "direct");
    const workloads::PriceOf price = group_prices(forecaster);
    std::vector<Seconds> times;
    for (const Rank ranks : all)
      times.push_back(options.engine.empty() ? play(source.on(ranks), price).time
                                             : replayed(source.on(ranks), platform,
                                                        playing_engine(options.engine), forecaster.policy())
                                                   .time);
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
  cases.refuse(options.samples > 0, "--samples");
  return cases;
}

int run_job(const JobOptions& options) {
  if (options.list || options.what.empty()) return list_applications(options.format), 0;
  if (options.platform.empty()) throw InputError("--platform is missing");
  if (const Several several = cases(options); several.more_than_one())
    return several.answer("job", options.what, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  const int on_node = workloads::ranks_per_node(platform);
  const JobSource source(options.what, platform);
  if (options.delivery != "staged" && options.delivery != "direct")
    throw InputError("--delivery takes staged or direct, got '" + options.delivery + "'");
  const bool direct = options.delivery == "direct";
  GroupForecaster forecaster(platform, options.policy, options.pieces, direct);
  const workloads::PriceOf price = group_prices(forecaster);
  std::vector<Rank> all = parse_rank_counts(options.ranks);
  if (all.empty()) all = {0};  // as the file says
  if (options.describe && all.size() > 1) throw InputError("--describe takes one number of --ranks");
  Json rows = Json::array(), activities = Json::array();
  Report report;
  std::string name;
  for (const Rank ranks : all) {
    const workloads::Job job = source.on(ranks);
    if (job.ranks() > max_ranks(platform))
      throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                       std::to_string(job.ranks()));
    if ((options.pieces != 1 || direct) && !offloads(job))
      throw InputError((direct ? "--delivery" : "--pieces") +
                       (" goes with collectives that are offloaded; " + job.name + " has none"));
    if (options.describe) {
      std::cout << job_text(job);
      return 0;
    }
    name = job.name;
    if (options.engine.empty()) {
      const workloads::Played played = play(job, price);
      rows.push_back(job_row(job.ranks(), timed(job, played, price), options.samples, on_node));
      if (options.explain) add_activities(activities, job, played);
    } else {
      const ReplayReport played =
          replayed(job, platform, playing_engine(options.engine), forecaster.policy());
      rows.push_back(job_row(job.ranks(), timed(played), options.samples, on_node));
      if (options.explain) add_causes(report, played, job.ranks());
      report.notes.insert(report.notes.end(), played.notes.begin(), played.notes.end());
      for (const ReplayReport::NotModelled& n : played.not_modelled)
        report.notes.push_back(n.operation + ", " + count(n.count) + " times: " + n.reason);
    }
  }
  report.head.update({{"job", name}, {"platform", platform.name()}, {"policy", forecaster.policy()}});
  report.title = name + " on " + platform.name() + ", " + forecaster.policy();
  report.sections.insert(
      report.sections.begin(),
      {"rows",
       std::move(rows),
       {count_of("ranks", "ranks"), count_of("nodes", "nodes"), number_of("time", "step_s", seconds),
        number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
        number_of("compute", "compute_s", seconds), number_of("exposed", "exposed_communication_s", seconds),
        number_of("efficiency", "efficiency", text::percent), text_of("limited by", "limited_by")}});
  if (options.explain && options.engine.empty())
    report.sections.push_back(activities_section(std::move(activities)));
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times,
                 report.sections[0].rows.back()["limited_by"]);
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
  verb->add_flag("--explain", options->explain, "Where the time goes, by activity");
  verb->add_option(
          "-n,--ranks", options->ranks,
          "How many ranks: of a file, what the dimension '*' makes of the others (default: as it says)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("--policy", options->policy,
                   "What chooses and sends collectives, as in predict (default nccl-2.8 between GPUs, or the "
                   "first that knows them)")
      ->option_text("L");
  std::string engines;
  for (const Engine& e : collcast::engines())
    if (e.play) engines += (engines.empty() ? "" : "; ") + std::string(e.name) + ": " + std::string(e.what);
  verb->add_option(
          "--engine", options->engine,
          "Plays every message of every collective, so that those under way at once share links, by " +
              engines + "; without it, collectives are single operations")
      ->option_text(engine_names(true, "|"));
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
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast job halo.json --platform summit --ranks 96,384\n"
      "Example: collcast job p3dfft:n=2048,mode=offload --platform bluefield-2-cluster --ranks 256 "
      "--explain");
  verb->callback([options, &exit_code] { exit_code = run_job(*options); });
}

}  // namespace collcast::cli
