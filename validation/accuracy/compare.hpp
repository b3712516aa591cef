// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "validation/accuracy/errors.hpp"
#include "validation/measurements/measurement.hpp"

namespace collcast::accuracy {

/// A measured collective, or message between two ranks, and its prediction.
struct Point {
  Measurement measurement;
  std::string algorithm;  ///< as predicted, in the catalogue's words; for a message its path
  std::string protocol;   ///< of NCCL
  Pair times;
};

struct Comparison {
  std::vector<Point> points;
  std::map<std::string, std::size_t> left_out;  ///< how many measurements, by reason
};

/// Predicts every collective among the measurements on the platform, with ranks in block placement, or spread
/// evenly over the sockets that the table names. A table that names an algorithm is predicted with it, by
/// critical path; another one with what the policy picks ("fastest": the fastest by critical path), with the
/// table's settings. A table of means over the ranks is compared with that mean in OSU's loop
/// (Forecaster::mean_between_barriers). Data are where the table says, or else in device memory. Messages
/// between two ranks are compared, too. Throws InputError if a table does not say its ranks.
Comparison compare(const std::vector<Measurement>& measurements, const Description& platform,
                   const std::string& policy);

/// Throws InputError, with the reason, if nothing could be predicted.
void require_points(const Comparison& comparison);

/// The errors of some points.
Errors errors(const std::vector<const Point*>& points);

/// Message sizes from `least` on to below the next band.
struct Band {
  const char* name;
  Bytes least;
};
/// Small messages first: below 64 KiB, from 64 KiB, from 4 MiB.
const std::vector<Band>& bands();
/// The points in the band, or in it and above.
std::vector<const Point*> in_band(const std::vector<Point>& points, std::size_t band, bool and_above = false);

}  // namespace collcast::accuracy
