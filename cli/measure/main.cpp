// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/measure/hosts.hpp"
#include "cli/measure/options.hpp"
#include "cli/measure/ping_pong.hpp"
#include "cli/measure/subject.hpp"
#include "execution/mpi/guarded_main.hpp"
#include "execution/mpi/version.hpp"
#include "execution/offload/trial.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::mpi {
namespace {

/// Prints one line per measurement at once, so that the reader keeps what came before a failure.
void tell(const Communicator& world, const Json& line) {
  if (world.rank() == 0) std::cout << dump(line) << std::endl;
}

void require_ranks(const Request& request, Rank ranks, const std::string& where) {
  if (request.point.ranks() != ranks)
    throw InputError(where + " is for " + std::to_string(request.point.ranks()) + " ranks, but there are " +
                     std::to_string(ranks));
}

void require_right(const Point& point, const std::string& wrong) {
  if (!wrong.empty()) throw WrongResult(describe(point) + " is wrong: " + wrong);
}

/// Measures each point: the collective, a computation as long, and both at once.
void run_overlap(const MeasureOptions& options, const Communicator& world) {
  const Team team(world, *options.overlap_workers);
  const SharedClock clock(world);
  const int nodes = count(hosts(world));
  for (const std::string& line : read_lines(options.file, world)) {
    const auto request = parse_request(line, options.file);
    const std::string where = options.file + ": request " + std::to_string(request.id);
    if (request.ping_pong || request.star || !request.point.algorithm)
      throw InputError(where + " has no overlap: it must be an algorithm of the catalogue");
    require_ranks(request, team.ranks(), where);
    const bool check = request.point.call.message <= options.check_up_to;
    const Trial trial = try_overlap(*request.point.algorithm, request.point.call, team, check,
                                    options.effort.least, world, clock);
    require_right(request.point, trial.wrong);
    tell(world, {{"id", request.id},
                 {"time_s", trial.overlap.total_s},
                 {"pure_s", trial.overlap.pure_s},
                 {"compute_s", trial.overlap.compute_s},
                 {"repetitions", options.effort.least},
                 {"checked", check},
                 {"nodes", nodes},
                 {"library", library()}});
  }
}

void run(const MeasureOptions& options, const std::shared_ptr<Communicator>& world) {
  if (options.overlap_workers) return run_overlap(options, *world);
  if (!options.multicast.empty()) world->multicast_over({parse_group(options.multicast)});
  const SharedClock clock(*world);
  const std::vector<std::string> names = hosts(*world);
  for (const std::string& line : read_lines(options.file, *world)) {
    const auto request = parse_request(line, options.file);
    const std::string where = options.file + ": request " + std::to_string(request.id);
    Json answer{{"id", request.id}};
    int nodes = count(names);
    if (request.ping_pong) {
      nodes = count_of_pairs(names, request.ping_pong->pairs);
      answer.update(summary(measure_ping_pong(*request.ping_pong, options.effort, *world, clock)));
    } else if (request.star) {
      answer.update(summary(measure_star(*request.star, options.effort, *world, clock)));
      nodes = count(std::span(names).first(static_cast<std::size_t>(request.star->ranks)));
    } else {
      require_ranks(request, world->size(), where);
      Subject subject(request.point, world);
      const bool check = request.point.call.message <= options.check_up_to && request.point.algorithm;
      if (check) require_right(request.point, subject.verify());
      answer.update(summary(subject.measure(options.effort, clock)));
      answer["checked"] = check;
    }
    answer["nodes"] = nodes;
    answer["library"] = library();
    tell(*world, answer);
  }
}

}  // namespace
}  // namespace collcast::mpi

int main(int argc, char** argv) {
  using namespace collcast::mpi;
  return guarded_main("collcast-measure", argc, argv, [&](const std::shared_ptr<Communicator>& world) {
    const MeasureOptions options = parse(argc, argv);
    if (options.help.empty())
      run(options, world);
    else if (world->rank() == 0)
      std::cout << options.help;
  });
}
