// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/real_job.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>

#include "execution/job/player.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "execution/mpi/guarded_main.hpp"
#include "execution/mpi/version.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/strict_options.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::mpi {
namespace {

struct JobOptions {
  std::string file, help;
  int repetitions = 20, warmup = 0, workers = 0;
  bool check = false, activities = false, json = false;
};

JobOptions parse_job_options(int argc, char** argv) {
  JobOptions o;
  CLI::App app(
      "Plays a described job (docs/jobs.md): collectives and messages with real data, computation as time "
      "that passes while they are brought on. The time is that of the slowest rank, from a common "
      "start.\n\nExample: mpirun -np 8 collcast-mpi job halo.json --check",
      "collcast-mpi job");
  app.add_option("file", o.file, "The job; \"*\" becomes what the ranks leave")
      ->required()
      ->option_text("FILE.json");
  app.add_option("--repetitions", o.repetitions, "Timed plays (default 20)")
      ->check(CLI::Range(1, 1000000))
      ->option_text("N");
  app.add_option("--warmup", o.warmup, "Plays before these, beside one or two in any case (default 0)")
      ->check(CLI::Range(0, 1000000))
      ->option_text("N");
  app.add_flag(
      "--check", o.check,
      "Compare collectives with the MPI library's first, and look into messages; exit 1 if they differ");
  app.add_flag("--activities", o.activities,
               "The last play's activities: the first start and the last end of each among its role's ranks");
  app.add_option(
         "--workers", o.workers,
         "Processes on each machine (the last ones, as many as ranks) that play the collectives (default 0)")
      ->check(CLI::Range(1, 1024))
      ->option_text("W");
  app.add_option("--format", o.json, "table (default) or json")
      ->transform(one_of(std::map<std::string, bool>{{"table", false}, {"json", true}}))
      ->option_text("table|json");
  o.help = parse_strictly(app, argc, argv);
  return o;
}

/// The earliest start and the latest end of each activity over its role's ranks; the same on all ranks.
std::vector<std::vector<JobPlayer::Interval>> gathered(const workloads::Job& job, const JobPlayer& player,
                                                       const Communicator& world) {
  constexpr double never = 1e300;
  std::vector<double> starts, ends;
  for (const workloads::Role& role : job.roles)
    for (std::size_t i = 0; i < role.activities.size(); ++i) {
      const bool mine = &role == &player.role();
      starts.push_back(mine ? player.intervals()[i].start : never);
      ends.push_back(mine ? player.intervals()[i].end : 0);
    }
  const auto reduce = [&](std::vector<double>& values, MPI_Op op) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op,
                        world.handle()),
          "MPI_Allreduce");
  };
  reduce(starts, MPI_MIN), reduce(ends, MPI_MAX);
  std::vector<std::vector<JobPlayer::Interval>> all;
  std::size_t at = 0;
  for (const workloads::Role& role : job.roles) {
    all.emplace_back();
    for (std::size_t i = 0; i < role.activities.size(); ++i, ++at)
      all.back().push_back({starts[at], ends[at]});
  }
  return all;
}

/// The computation of a job, which forecasts call `compute`.
double compute_seconds(const workloads::Job& job) {
  return workloads::play(job, [](const workloads::GroupCall&) { return workloads::Price{}; }).compute.value;
}

struct JobOutcome {
  std::string wrong;  ///< empty: nothing was wrong, or it was not checked
  Times times;
  std::vector<std::vector<JobPlayer::Interval>> activities;  ///< by role; empty: not asked for
};

void print_json(const workloads::Job& job, const JobOptions& o, const JobOutcome& outcome) {
  const Times& t = outcome.times;
  Json all{{"engine", "mpi"},
           {"library", library()},
           {"job", job.name},
           {"ranks", job.ranks()},
           {"checked", o.check},
           {"repetitions", t.seconds.size()},
           {"late_starts", t.late},
           {"time_s", t.median()},
           {"min_s", t.seconds.front()},
           {"max_s", t.seconds.back()},
           {"interval_s", {t.interval().first, t.interval().second}},
           {"compute_s", compute_seconds(job)}};
  for (std::size_t r = 0; r < outcome.activities.size(); ++r)
    for (std::size_t i = 0; i < outcome.activities[r].size(); ++i) {
      const workloads::JobActivity& a = job.roles[r].activities[i];
      all["activities"].push_back({{"role", job.roles[r].name},
                                   {"stream", job.streams[static_cast<std::size_t>(a.stream)]},
                                   {"name", a.name},
                                   {"start_s", outcome.activities[r][i].start},
                                   {"end_s", outcome.activities[r][i].end}});
    }
  std::cout << dump(all, 2) << '\n';
}

void print_table(const workloads::Job& job, const JobOptions& o, const JobOutcome& outcome) {
  const Times& t = outcome.times;
  std::printf("%s on %d ranks\n\n%12s %12s %12s %12s %12s %6s\n", job.name.c_str(), job.ranks(), "time [ms]",
              "min [ms]", "max [ms]", "compute [ms]", "repetitions", "check");
  std::printf("%12.3f %12.3f %12.3f %12.3f %12zu %6s\n", t.median() * 1e3, t.seconds.front() * 1e3,
              t.seconds.back() * 1e3, compute_seconds(job) * 1e3, t.seconds.size(), o.check ? "ok" : "-");
  if (!outcome.activities.empty())
    std::printf("\n%-12s %-16s %-24s %12s %12s\n", "role", "stream", "activity", "start [ms]", "end [ms]");
  for (std::size_t r = 0; r < outcome.activities.size(); ++r)
    for (std::size_t i = 0; i < outcome.activities[r].size(); ++i) {
      const workloads::JobActivity& a = job.roles[r].activities[i];
      std::printf("%-12s %-16s %-24s %12.3f %12.3f\n", job.roles[r].name.c_str(),
                  job.streams[static_cast<std::size_t>(a.stream)].c_str(), a.name.c_str(),
                  outcome.activities[r][i].start * 1e3, outcome.activities[r][i].end * 1e3);
    }
  if (t.late != 0)
    std::printf("\n%d repetitions began late on some rank: their times include that delay.\n", t.late);
}

/// Plays the job on a rank.
JobOutcome played(const workloads::Job& job, const JobOptions& o, JobPlayer& player, const Team& team,
                  const SharedClock& clock) {
  JobOutcome outcome;
  if (o.check) outcome.wrong = player.wrong();
  if (outcome.wrong.empty()) {
    for (int i = 0; i < o.warmup; ++i) player.run();
    outcome.times = measure([&] { player.run(); }, o.repetitions, *team.peers(), clock);
    if (o.activities) outcome.activities = gathered(job, player, *team.peers());
  }
  player.dismiss();
  return outcome;
}

}  // namespace

void real_job(int argc, char** argv, const std::shared_ptr<Communicator>& world) {
  const JobOptions o = parse_job_options(argc, argv);
  if (!o.help.empty()) {
    if (world->rank() == 0) std::cout << o.help;
    return;
  }
  const Team team(*world, o.workers);
  workloads::Job job;
  attempt_on_all(world->handle(), [&] {
    job = workloads::parse_job(read_file(o.file), o.file, team.ranks());
    require_playable(job);
  });
  const SharedClock clock(*world);
  JobPlayer player(job, *world, team, clock);
  JobOutcome outcome;
  if (team.worker())
    player.serve();
  else
    outcome = played(job, o, player, team, clock);
  if (const std::string wrong = first_text(outcome.wrong, world->handle()); !wrong.empty())
    throw WrongResult(wrong);
  if (world->rank() == 0) o.json ? print_json(job, o, outcome) : print_table(job, o, outcome);
}

}  // namespace collcast::mpi
