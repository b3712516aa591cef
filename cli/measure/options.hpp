// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/exchange/point/point.hpp"
#include "cli/measure/ping_pong.hpp"
#include "cli/measure/star.hpp"
#include "execution/mpi/timing.hpp"

namespace collcast::mpi {

/// What the command line asks for.
struct MeasureOptions {
  std::string file;
  Effort effort{10, 50, 0.02, 60};
  Bytes check_up_to = Bytes(65536);
  std::string multicast;               ///< group of IP multicasts; empty: none
  std::optional<int> overlap_workers;  ///< workers of each machine, if the overlap is asked for
  std::string help;                    ///< set if it was asked for
};
/// Throws InputError.
MeasureOptions parse(int argc, char** argv);

/// One line of the file.
struct Request {
  std::int64_t id = 0;
  Point point;
  std::optional<PingPong> ping_pong;
  std::optional<Star> star;
};
/// Reads {"id", and the keys of a point, of a ping-pong or of a star}. Throws InputError.
Request parse_request(const std::string& line, const std::string& file);

/// The lines of a file that rank 0 can read. Collective. Throws InputError, on all ranks alike.
std::vector<std::string> read_lines(const std::string& file, const Communicator& communicator);

}  // namespace collcast::mpi
