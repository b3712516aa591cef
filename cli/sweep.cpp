// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/sweep_elsewhere.hpp"
#include "cli/verbs.hpp"
#include "forecast/sweep/plot.hpp"
#include "forecast/sweep/sweep.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/text.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/verbs.hpp"

namespace collcast::cli {
namespace {

constexpr const char* program = "collcast " COLLCAST_VERSION;

struct SweepOptions {
  std::string file, folder, resume, part, jobs, plot, plot_over;
  std::vector<std::string> merge, sbatch;
  std::string tasks = "8";
  bool mpi = false, slurm = false;
  Format format = Format::table;
};

/// "3/8": the fourth of eight parts.
sweep::Part parse_part(const std::string& text) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  if (slash == std::string::npos) throw InputError("part '" + text + "' is not K/N, as in 0/8");
  const auto of = static_cast<int>(parse_count(text.substr(slash + 1), "number of parts", 1, 1 << 20));
  return {static_cast<int>(parse_count(text.substr(0, slash), "part", 0, of - 1)), of};
}

int workers(const std::string& jobs) {
  if (!jobs.empty()) return static_cast<int>(parse_count(jobs, "--jobs", 1, 1024));
  return sweep::processors();
}

/// Reads the sweep, and sets the folder of its journal.
sweep::Sweep described(SweepOptions& options, const std::vector<sweep::Verb>& verbs) {
  if ((options.file.empty() + options.resume.empty() + options.merge.empty()) != 2)
    throw InputError("sweep takes exactly one of: a file, --resume DIR, --merge DIR...");
  if (!options.file.empty()) {
    if (std::error_code none; std::filesystem::exists(options.file + "/journal.sqlite", none))
      throw InputError(options.file + " is the folder of a sweep; `collcast sweep --resume " +
                       to_paste(options.file) + "` resumes it");
    if (options.folder.empty())
      options.folder = std::filesystem::path(options.file).stem().string() + ".sweep";
    return {read_file(options.file), options.file, verbs};
  }
  if (options.merge.empty() && !options.folder.empty())
    throw InputError("--resume writes into its own folder: it does not go with -o");
  if (!options.merge.empty() && options.folder.empty())
    throw InputError("--merge needs -o DIR, the folder to write");
  for (const std::string& one : options.merge)
    if (std::error_code none; std::filesystem::equivalent(one, options.folder, none))
      throw InputError("-o " + options.folder + " is one of the folders to merge; choose another");
  if (options.merge.empty()) options.folder = options.resume;
  if (!options.resume.empty() && options.part.empty()) options.part = sweep::Journal::part(options.resume);
  const std::string& from = options.merge.empty() ? options.resume : options.merge[0];
  return {sweep::Journal::identity(from).sweep, from, verbs};
}

/// Answers points, on the ranks of an MPI run other than rank 0.
int work(const SweepModule& module, const sweep::Sweep& asked) {
  module.work([&](std::int64_t number) { return sweep::packed(sweep::answer(asked, number)); });
  module.end();
  return 0;
}

/// The setting on a picture's x axis; throws InputError before the sweep begins.
std::string across(const SweepOptions& options, const sweep::Sweep& asked) {
  if (options.plot.empty() && options.plot_over.empty()) return {};
  if (options.plot.empty()) throw InputError("--plot-over needs --plot FILE.svg");
  if (options.slurm)
    throw InputError("--plot does not go with --slurm: plot with --merge, when the job array has ended");
  report::check_plot(options.plot);
  return sweep::across(asked.space(), options.plot_over);
}

/// "2 points are missing".
std::string missing_points(std::int64_t points) {
  return text::counted(points, "point") + (points == 1 ? " is" : " are") + " missing";
}

std::string points_elsewhere(std::int64_t points) {
  return text::counted(points, "point") + (points == 1 ? " belongs" : " belong") +
         " to other parts; `collcast sweep --merge` combines the parts";
}

int run_sweep(SweepOptions options) {
  const std::vector<sweep::Verb> verbs = workloads::verbs();
  const sweep::Sweep asked = described(options, verbs);
  const sweep::Part part = parse_part(options.part);
  if (options.mpi + options.slurm + !options.merge.empty() + !options.jobs.empty() > 1)
    throw InputError("--mpi, --slurm, --jobs and --merge do not go together");
  const std::string over = across(options, asked);
  if (options.slurm) {
    if (options.file.empty() || !options.part.empty())
      throw InputError("--slurm takes a file, and makes the parts itself");
    note(submit(asked.text(), options.folder,
                static_cast<int>(parse_count(options.tasks, "--tasks", 1, 100'000)), options.sbatch));
    return 0;
  }
  const SweepModule* module = options.mpi ? &sweep_module() : nullptr;
  if (module && module->begin() != 0) return work(*module, asked);
  sweep::Journal journal(options.folder, asked.identity(program));
  for (const std::string& other : options.merge) journal.merge(other);
  const std::string resume = "`collcast sweep --resume " + to_paste(options.folder) + "` continues";
  if (options.merge.empty()) {
    journal.keep_part(options.part);
    end_at_interrupt("interrupted; finished points are kept, " + resume);
    sweep::run(asked, part, journal, module ? ranks_of(*module) : sweep::processes(workers(options.jobs)),
               [](std::int64_t finished, std::int64_t all) { progress_of("points", finished, all); });
    progress_end();
  }
  sweep::Summary all = sweep::summary(asked, journal);
  if (journal.damaged() > 0)
    all.report.notes.push_back((journal.damaged() == 1
                                    ? "a record of a finished point was damaged"
                                    : count(journal.damaged()) + " records of finished points were damaged") +
                               (options.merge.empty() ? "; those points were computed again" : ""));
  if (all.missing > 0)
    all.report.notes.push_back(options.part.empty() ? missing_points(all.missing) + "; " + resume
                                                    : points_elsewhere(all.missing));
  const bool fit = workloads::complete(all.report, asked);
  if (!options.plot.empty())
    plot(options.plot, {all.report.title, {sweep::graph(asked, all.report.sections[0].rows, over)}},
         all.report.notes);
  print(all.report, options.format);
  if (module) module->end();
  const bool incomplete = all.missing > 0 && options.part.empty();
  return all.failed > 0 || incomplete || !fit ? 1 : 0;
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* verb = app.add_subcommand("sweep", "Forecasts a space of cases, and resumes after a kill");
  verb->add_option("file", options->file, "The space, as docs/sweep.md describes it")
      ->option_text("FILE.json");
  verb->add_option("-o,--output", options->folder, "Where finished points are kept (default: FILE.sweep)")
      ->option_text("DIR");
  verb->add_option("--resume", options->resume, "Resumes the sweep in this folder")->option_text("DIR");
  verb->add_option("--merge", options->merge, "Combines what several machines computed of one sweep, in -o")
      ->option_text("DIR...");
  verb->add_option("--jobs,-j", options->jobs, "Processes at a time (default: as many as there are cores)")
      ->option_text("N");
  verb->add_option("--part", options->part, "Only every Nth point, from the Kth on (K from 0 to N-1)")
      ->option_text("K/N");
  verb->add_flag("--mpi", options->mpi, "The ranks of this mpirun compute the points");
  CLI::Option* slurm =
      verb->add_flag("--slurm", options->slurm, "Writes a job array, and submits it with sbatch");
  verb->add_option("--tasks", options->tasks, "Number of tasks of the job array (default 8)")
      ->needs(slurm)
      ->option_text("N");
  verb->add_option("--sbatch", options->sbatch, "An option for sbatch: --sbatch=--partition=short")
      ->needs(slurm)
      ->option_text("OPTION");
  add_plot(*verb, options->plot, "time over the number that varies most");
  verb->add_option("--plot-over", options->plot_over,
                   "Over this number instead: size, ranks, network.bandwidth_GBps, ...")
      ->option_text("KEY");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast sweep docs/examples/which-wins.json -o wins --format csv > wins.csv\n"
      "Example: collcast sweep --resume wins --plot wins.svg --plot-over ranks");
  verb->callback([options, &exit_code] { exit_code = run_sweep(*options); });
}

}  // namespace collcast::cli
