// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include "support/json_fwd.hpp"

#include "algorithms/catalogue.hpp"

namespace collcast {

/// One thing that is predicted and measured.
struct Point {
  Collective collective = Collective::allreduce;
  const Algorithm* algorithm = nullptr;  ///< null: the MPI library's own collective
  Call call;                             ///< of one job
  /// So many jobs at once, each `call.ranks` ranks: job j has ranks j, j + jobs, j + 2 jobs, ...
  Rank jobs = 1;

  Rank ranks() const { return jobs * call.ranks; }
};

/// The name that stands for the MPI library's own collective where an algorithm's is expected.
constexpr std::string_view library_algorithm = "library";

/// The algorithm's name, or "library".
std::string_view algorithm_name(const Point& point);

/// Only the parameters that the algorithm takes, in bytes and numbers, as `predict` prints them.
Json parameters(const Algorithm& algorithm, const Call& call);

/// {"collective", "algorithm", "parameters", "ranks", "root", "message_bytes"}, and "jobs" if there are
/// several. `ranks` are those of all jobs.
Json to_json(const Point& point);
/// Reads what `to_json` writes; other keys of the object are not looked at. Throws InputError that begins
/// with `where`.
Point parse_point(const Json& json, const std::string& where);

/// "allreduce hierarchical-ring q=4, 8 ranks, 64 KiB".
std::string describe(const Point& point);
/// "hierarchical-ring q=4": the algorithm with the parameters that tell it from its like.
std::string algorithm_label(const Point& point);

/// What all jobs together do.
Schedule schedule(const Point& point);
Layout layout(const Point& point, const Schedule& schedule);

}  // namespace collcast
