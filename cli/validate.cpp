// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/validate_measurements.hpp"
#include "cli/validate_run.hpp"
#include "cli/verbs.hpp"
#include "libraries/policy.hpp"
#include "support/error.hpp"

namespace collcast::cli {
namespace {

/// The forms of `validate`, by where its points come from. Options go with some of these only.
constexpr std::array forms{"--run", "--script", "--report", "--measurements", "--studies"};
enum Form : std::uint8_t { of_run = 1, of_script = 2, of_report = 4, of_tables = 8, of_studies = 16 };

struct Part {
  const char* option;
  std::uint8_t forms;
  const char* hint = "";  ///< what the user may have meant with other forms
};
constexpr Part parts[] = {
    {"--platform", of_run | of_script | of_tables},
    {"--set", of_run | of_script | of_tables},
    {"--campaign", of_run | of_script},
    {"--collective", of_run | of_script},
    {"--algorithm", of_run | of_script,
     "; a library that was told to play rings is --policy nccl-2.18:algo=Ring"},
    {"--ranks", of_run | of_script, "; FILE:ranks=32 says it of a table"},
    {"--size", of_run | of_script},
    {"--output", of_run},
    {"command", of_run | of_script},
    {"--slurm", of_script},
    {"--sbatch", of_script},
    {"--policy", of_tables},
    {"--bound", of_tables},
    {"--data", of_studies},
    {"--plot", of_run | of_report | of_tables},
};

/// "--run, --script or --report".
std::string names_of(std::uint8_t some) {
  std::string names;
  for (std::size_t f = 0; f < forms.size(); ++f)
    if (some >> f & 1)
      names += (names.empty() ? "" : some >> (f + 1) != 0 ? ", " : " or ") + std::string(forms[f]);
  return names;
}

Form form_of(const CLI::App& verb) {
  const auto given = [&](const char* form) { return verb.get_option(form)->count() > 0; };
  if (std::ranges::count_if(forms, given) != 1)
    throw InputError("validate takes exactly one of --run, --script, --report, --measurements and --studies");
  const auto form = static_cast<Form>(1 << (std::ranges::find_if(forms, given) - forms.begin()));
  for (const Part& p : parts)
    if (verb.get_option(p.option)->count() > 0 && !(p.forms & form))
      throw InputError(std::string(p.option) + " needs " + names_of(p.forms) + p.hint);
  return form;
}

int run(Form form, const CampaignOptions& options, MeasurementOptions& tables) {
  if (!options.plot.empty()) report::check_plot(options.plot);
  tables.plot = options.plot;
  tables.platform = options.platform, tables.set = options.set, tables.format = options.format;
  if ((form & (of_run | of_script)) && options.platform.empty())
    throw InputError(names_of(form) + " takes a --platform");
  switch (form) {
    case of_run:
      return validate_run(options);
    case of_script:
      return validate_script(options);
    case of_report:
      return validate_report(options);
    case of_tables:
      return validate_measurements(tables);
    case of_studies:
      return validate_studies(tables);
  }
  return 0;
}

/// Campaigns, which measure what was predicted.
void add_campaign(CLI::App& verb, CampaignOptions& options) {
  verb.add_flag("--run")->description("Predicts first, writes that down, then measures, then reports");
  verb.add_option("--campaign", options.campaign, "What to run: a file (docs/campaigns.md)")
      ->option_text("FILE");
  verb.add_option("--collective", options.collective, "Or this collective ...")->option_text("C");
  verb.add_option("-a,--algorithm", options.algorithms,
                  "... by these algorithms, `library` for MPI's own ...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("A[,A...]");
  verb.add_option("-n,--ranks", options.ranks, "... on so many ranks ...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N[,N...]");
  verb.add_option("-s,--size", options.sizes, "... with these messages")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("S[,S...]");
  verb.add_option("-o,--output", options.folder,
                  "Folder for prediction.jsonl, measured.jsonl and the report; what it already holds is not "
                  "measured again (default " +
                      options.folder + ")")
      ->option_text("DIR");
  verb.add_option("command", options.command,
                  "After --: the launcher, e.g. mpirun --hostfile h; {ranks} in it stands for their number");
  verb.add_option("--script", options.script,
                  "Writes predictions into this folder, and run.sh for sbatch or bash, which measures them")
      ->option_text("DIR");
  verb.add_flag("--slurm", options.slurm, "Submits run.sh with sbatch");
  verb.add_option("--sbatch", options.sbatch, "An option for sbatch: --sbatch=--partition=short")
      ->allow_extra_args(false)
      ->option_text("OPTION");
  verb.add_option("--report", options.reports, "Reports on such folders together")->option_text("DIR...");
}

/// Tables that somebody measured.
void add_tables(CLI::App& verb, MeasurementOptions& tables) {
  verb.add_option("--measurements", tables.files,
                  "Predicts what these tables measured of collectives and of messages between two ranks; "
                  "FILE:ranks=32,buffers=host where a table does not say it (docs/measurements.md)")
      ->option_text("FILE...");
  std::string names = "fastest (default)";
  for (const std::string& name : policies()) names += ", " + name;
  verb.add_option("--policy", tables.policy,
                  "The library that chose the algorithm where a table does not name it, told more after a "
                  "colon (nccl-2.18:algo=Ring): " +
                      names)
      ->option_text("P");
  verb.add_option("--bound", tables.bound,
                  "Exit code 1 if the mean factor over all points is above this, e.g. 0.2")
      ->option_text("X");
  verb.add_option("--studies", tables.studies,
                  "Prints docs/generated/accuracy.md from this list of tables ...")
      ->option_text("FILE");
  verb.add_option("--data", tables.data, "... which are beside it, or below this folder")->option_text("DIR");
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CampaignOptions>();
  auto tables = std::make_shared<MeasurementOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Predicted against measured: the error of every point");
  verb->add_option("-p,--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->option_text("P");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  add_campaign(*verb, *options);
  add_tables(*verb, *tables);
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
  verb->callback([options, tables, verb, &exit_code] { exit_code = run(form_of(*verb), *options, *tables); });
}

}  // namespace collcast::cli
