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

/// The links and ports that carried anything in a run that took `time`, those alike as one row: how many, the
/// busiest of them, their mean and their sum; the busiest first.
Section use_by_kind(const std::vector<LinkUse>& all, Seconds time);

/// How many nodes, or ranks of a platform without nodes, they belong to.
std::size_t nodes_in_use(const std::vector<LinkUse>& all);

/// The platform as boxes and lines, one node of so many; a line has the colour, the breadth and the label of
/// the busiest link of those alike, by the rows of `use_by_kind`. `idle`: what is said of lines that have
/// none.
Figure machine(const Sketch& sketch, const Json& rows, const std::string& idle, std::size_t nodes);

}  // namespace collcast::report
