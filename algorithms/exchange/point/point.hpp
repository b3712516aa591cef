// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "algorithms/catalogue.hpp"
#include "support/json_fwd.hpp"

namespace collcast {

/// One point of a campaign: a call that is predicted and measured.
struct Point {
  Collective collective = Collective::allreduce;
  const Algorithm* algorithm = nullptr;  ///< null: the MPI library's own collective
  Call call;                             ///< of one job
  /// The number of jobs at once, of `call.ranks` ranks each: job j has ranks j, j + jobs, j + 2 jobs, ...
  Rank jobs = 1;

  Rank ranks() const { return jobs * call.ranks; }
};

/// The name of the MPI library's own collective in place of an algorithm's.
constexpr std::string_view library_algorithm = "library";

/// The algorithm's name, or "library".
std::string_view algorithm_name(const Point& point);

/// The parameters that the algorithm takes, in bytes and numbers, as `predict` prints them.
Json parameters(const Algorithm& algorithm, const Call& call);

/// {"collective", "algorithm", "parameters", "ranks", "root", "message_bytes"}, and "jobs" if there are
/// several. `ranks` are those of all jobs.
Json to_json(const Point& point);
/// Reads what `to_json` writes, ignoring other keys. Throws InputError, which begins with `where`.
Point parse_point(const Json& json, const std::string& where);

/// "allreduce hierarchical-ring q=4, 8 ranks, 64 KiB".
std::string describe(const Point& point);
/// "hierarchical-ring q=4": the algorithm with the parameters that it takes.
std::string algorithm_label(const Point& point);

/// The schedule of all jobs.
Schedule schedule(const Point& point);
Layout layout(const Point& point, const Schedule& schedule);

}  // namespace collcast
