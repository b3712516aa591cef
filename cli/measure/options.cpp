// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/options.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

#include "execution/mpi/check.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/strict_options.hpp"

namespace collcast::mpi {

MeasureOptions parse(int argc, char** argv) {
  MeasureOptions o;
  double check_up_to = o.check_up_to.value;
  CLI::App app(
      "Measures the points of a file, one JSON line each: what `collcast validate --run` and `collcast "
      "calibrate --run` start.\n\nExample: mpirun -np 8 collcast-measure points.jsonl",
      "collcast-measure");
  app.add_option("file", o.file, "One request per line, as `validate --run` and `calibrate --run` write them")
      ->required();
  app.add_option("--least", o.effort.least, "Smallest number of repetitions")->check(CLI::Range(1, 1000000));
  app.add_option("--most", o.effort.most, "Largest number of repetitions")->check(CLI::Range(1, 1000000));
  app.add_option("--interval", o.effort.interval,
                 "Stops once the median's 95 % interval is within this share of it")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--limit", o.effort.limit,
                 "Stops once the repetitions of one point have taken this many seconds in all")
      ->check(CLI::PositiveNumber);
  app.add_option("--check-up-to", check_up_to,
                 "First compares the results of messages up to this many bytes with the MPI library's")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--multicast", o.multicast, "GROUP:PORT[%INTERFACE]: multicasts go over IP");
  app.add_option("--overlap-workers", o.overlap_workers,
                 "Measures how much of a collective a computation hides, where the last N processes of each "
                 "machine play for the others (0: each rank for itself)")
      ->check(CLI::Range(0, 1024));
  o.help = parse_strictly(app, argc, argv);
  o.check_up_to = Bytes(check_up_to);
  o.effort.most = std::max(o.effort.most, o.effort.least);
  return o;
}

Request parse_request(const std::string& line, const std::string& file) {
  const auto json = parse_json(line);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_number_integer())
    throw InputError(file + ": no request: " + line.substr(0, 60));
  Request request;
  request.id = json["id"];
  const std::string where = file + ": request " + std::to_string(request.id);
  if (is_ping_pong(json))
    request.ping_pong = parse_ping_pong(json, where);
  else if (is_star(json))
    request.star = parse_star(json, where);
  else
    request.point = parse_point(json, where);
  return request;
}

std::vector<std::string> read_lines(const std::string& file, const Communicator& communicator) {
  std::string text;
  long size = -1;
  if (communicator.rank() == 0) try {
      text = read_file(file);
      size = static_cast<long>(text.size());
    } catch (const InputError&) {  // all ranks throw below
    }
  check(MPI_Bcast(&size, 1, MPI_LONG, 0, communicator.handle()), "MPI_Bcast");
  if (size < 0) throw InputError(file + ": cannot be read");
  text.resize(static_cast<std::size_t>(size));
  check(MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, communicator.handle()), "MPI_Bcast");
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace collcast::mpi
