// SPDX-License-Identifier: Apache-2.0
#include "cli/group_prices.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct JobOptions {
  std::string file, platform, policy;
  std::vector<std::string> ranks, set;
  double samples = 0;
  Format format = Format::table;
};

Json job_row(const workloads::Job& job, const workloads::PriceOf& price, double samples) {
  using workloads::End;
  const workloads::Played played = play(job, price);
  const Seconds exposed = played.time - played.compute;
  const bool computes = exposed < 0.1 * played.time;
  return {{"ranks", job.ranks()},
          {"step_s", played.time.value},
          {"low_s", play(job, price, End::low).time.value},
          {"high_s", play(job, price, End::high).time.value},
          {"samples_per_s", samples > 0 ? Json(samples / played.time.value) : Json()},
          {"efficiency", played.compute / played.time},
          {"compute_s", played.compute.value},
          {"exposed_communication_s", exposed.value},
          {"io_s", 0.0},
          {"memory_B", nullptr},
          {"limited_by", computes || played.limited_by.empty() ? "computation and waiting"
                                                               : "communication: " + played.limited_by}};
}

void run_job(const JobOptions& options) {
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  const std::string text = read_file(options.file);
  GroupForecaster forecaster(platform, options.policy);
  const workloads::PriceOf price = group_prices(forecaster);
  std::vector<Rank> all;
  for (const std::string& ranks : options.ranks) all.push_back(parse_ranks(ranks));
  if (all.empty()) all = {0};  // as the file says
  Json rows = Json::array();
  std::string name;
  for (const Rank ranks : all) {
    const workloads::Job job = workloads::parse_job(text, options.file, ranks);
    if (job.ranks() > max_ranks(platform))
      throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                       std::to_string(job.ranks()));
    name = job.name;
    rows.push_back(job_row(job, price, options.samples));
  }
  Report report;
  report.head = {{"job", name}, {"platform", platform.name()}, {"policy", forecaster.policy()}};
  report.title = name + " on " + platform.name() + ", " + forecaster.policy();
  report.sections = {
      {"rows",
       std::move(rows),
       {count_of("ranks", "ranks"), number_of("time", "step_s", seconds), number_of("low", "low_s", seconds),
        number_of("high", "high_s", seconds), number_of("compute", "compute_s", seconds),
        number_of("exposed", "exposed_communication_s", seconds),
        number_of("efficiency", "efficiency", text::percent), text_of("limited by", "limited_by")}}};
  print(report, options.format);
}

}  // namespace

void add_job(CLI::App& app, int&) {
  auto options = std::make_shared<JobOptions>();
  CLI::App* verb = app.add_subcommand("job", "How long a described job takes on a platform");
  verb->add_option("file", options->file, "The job, as docs/jobs.md describes it")
      ->required()
      ->option_text("FILE.json");
  verb->add_option("--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("--ranks", options->ranks,
                   "What the dimension '*' makes of the others (default: as the file says)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("--policy", options->policy,
                   "What chooses and sends collectives, as in predict (default nccl-2.8 between GPUs, or the "
                   "first that knows them)")
      ->option_text("L");
  verb->add_option("--samples", options->samples, "Samples that one pass of the job works off")
      ->check(CLI::NonNegativeNumber)
      ->option_text("X");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast job halo.json --platform summit --ranks 96,384");
  verb->callback([options] { run_job(*options); });
}

}  // namespace collcast::cli
