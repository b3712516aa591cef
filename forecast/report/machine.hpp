// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/chart.hpp"
#include "forecast/report/report.hpp"
#include "model/units.hpp"
#include "platforms/picture/sketch.hpp"

namespace collcast::report {

/// What a link or port did over a run.
struct LinkUse {
  std::string name;
  Bytes bytes;
  Seconds busy;
};

/// The links and ports that carried anything in a run that took `time`. Those alike form a row: how many they
/// are, the busiest one, their mean and their sum. The busiest row comes first.
Section use_by_kind(const std::vector<LinkUse>& all, Seconds time);

/// How many nodes these links belong to; on a platform without nodes, how many ranks.
std::size_t nodes_in_use(const std::vector<LinkUse>& all);

/// The platform as boxes and lines; of `nodes` nodes it draws one. A line has the colour, the breadth and the
/// label of the busiest link of its kind, as the rows of `use_by_kind` say. `idle`: what the picture says of
/// lines without a row.
Figure machine(const Sketch& sketch, const Json& rows, const std::string& idle, std::size_t nodes);

}  // namespace collcast::report
