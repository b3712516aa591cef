// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/validate_measurements.hpp"
#include "cli/validate_run.hpp"
#include "cli/verbs.hpp"
#include "libraries/policy.hpp"
#include "support/error.hpp"

namespace collcast::cli {
namespace {

int run(const CampaignOptions& options, MeasurementOptions& tables) {
  const bool asked[] = {options.run, !options.script.empty(), !options.reports.empty(), !tables.files.empty(),
                        !tables.studies.empty()};
  if (std::ranges::count(asked, true) != 1)
    throw InputError("validate takes exactly one of --run, --script, --report, --measurements and --studies");
  if (!options.plot.empty()) {
    if (!options.script.empty() || !tables.studies.empty())
      throw InputError("--plot goes with --run, --report and --measurements");
    report::check_plot(options.plot);
  }
  tables.plot = options.plot;
  tables.platform = options.platform, tables.set = options.set, tables.format = options.format;
  if (!tables.files.empty()) return validate_measurements(tables);
  if (!tables.studies.empty()) return validate_studies(tables);
  if (!options.script.empty() && options.platform.empty()) throw InputError("--script takes a --platform");
  if (options.script.empty() && (options.slurm || !options.sbatch.empty()))
    throw InputError("--slurm and --sbatch go with --script DIR");
  if (!options.script.empty()) return validate_script(options);
  if (!options.run) return validate_report(options);
  if (options.platform.empty()) throw InputError("--run takes a --platform");
  return validate_run(options);
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CampaignOptions>();
  auto tables = std::make_shared<MeasurementOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Predicted against measured: the error of every point");
  verb->add_option("-p,--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->option_text("P");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  verb->add_flag("--run", options->run, "Predicts first, writes that down, then measures, then reports");
  verb->add_option("--campaign", options->campaign, "What to run: a file (docs/campaigns.md)")
      ->option_text("FILE");
  verb->add_option("--collective", options->collective, "Or this collective ...")->option_text("C");
  verb->add_option("-a,--algorithm", options->algorithms,
                   "... by these algorithms, `library` for MPI's own ...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("A[,A...]");
  verb->add_option("-n,--ranks", options->ranks, "... on so many ranks ...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N[,N...]");
  verb->add_option("-s,--size", options->sizes, "... with these messages")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("S[,S...]");
  verb->add_option("-o,--output", options->folder,
                   "Folder for prediction.jsonl, measured.jsonl and the report; what it already holds is not "
                   "measured again (default " +
                       options->folder + ")")
      ->option_text("DIR");
  verb->add_option("command", options->command,
                   "After --: the launcher, e.g. mpirun --hostfile h; {ranks} in it stands for their number");
  verb->add_option("--script", options->script,
                   "Writes predictions into this folder, and run.sh for sbatch or bash, which measures them")
      ->option_text("DIR");
  verb->add_flag("--slurm", options->slurm, "Submits run.sh with sbatch");
  verb->add_option("--sbatch", options->sbatch, "An option for sbatch: --sbatch=--partition=short")
      ->allow_extra_args(false)
      ->option_text("OPTION");
  verb->add_option("--report", options->reports, "Reports on such folders together")->option_text("DIR...");
  verb->add_option("--measurements", tables->files,
                   "Predicts what these tables measured of collectives and of messages between two ranks; "
                   "FILE:ranks=32,buffers=host where a table does not say it (docs/measurements.md)")
      ->option_text("FILE...");
  std::string names = "fastest (default)";
  for (const std::string& name : policies()) names += ", " + name;
  verb->add_option("--policy", tables->policy,
                   "The library that chose the algorithm where a table does not name it: " + names)
      ->option_text("P");
  verb->add_option("--bound", tables->bound,
                   "Exit code 1 if the geometric mean error over the tables is above this, e.g. 0.2")
      ->option_text("X");
  verb->add_option("--studies", tables->studies,
                   "Prints docs/generated/accuracy.md from this list of tables ...")
      ->option_text("FILE");
  verb->add_option("--data", tables->data, "... which are below this folder")->option_text("DIR");
  add_plot(*verb, options->plot, "measured and predicted times by message size, and their ratios");
  add_format(*verb, options->format);
  verb->footer(
      "Exit code 1 if an engine is out of the campaign's bounds or a result is wrong.\n"
      "Example: collcast validate --platform bed.json --run --collective allreduce --algorithm "
      "ring,rabenseifner "
      "--ranks 4 --size 1KiB,1MiB -o run1 -- mpirun --oversubscribe\n"
      "Example: collcast validate --platform summit --script run2 --collective allreduce --algorithm "
      "ring,library "
      "--ranks 96 --size 1KiB,1MiB --sbatch=--nodes=16\n"
      "Example: collcast validate --platform abci-v --policy nccl-2.8 --measurements all_reduce_perf.txt");
  verb->callback([options, tables, &exit_code] { exit_code = run(*options, *tables); });
}

}  // namespace collcast::cli
