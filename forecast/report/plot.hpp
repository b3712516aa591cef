// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/chart.hpp"
#include "support/json_fwd.hpp"

namespace collcast::report {

/// The number `x` of rows and their `time` with its interval (low_s, high_s), in the order of `x`: a curve
/// for each combination of what `keys` say.
std::vector<Curve> curves_of(const Json& rows, const Axis& axis, const std::string& x,
                             const std::string& time, const std::vector<std::string>& keys);
/// Times by message size, or by ranks where there is one size, of rows as `predict --format json` has them: a
/// curve for each platform, collective, number of ranks and, where a call has several, algorithm. Of one
/// call, algorithms beside each other.
Graph time_graph(const Json& rows);
/// The same as a chart, or as bars where there is one size.
Figure time_figure(const Json& rows);

/// Message sizes, and times: logarithmic.
Axis size_axis();
Axis time_axis();

/// Graphs in one picture, some to a line.
struct Picture {
  std::string title;
  std::vector<Graph> graphs;
  std::size_t columns = 1;
};
/// The picture by gnuplot, whose `terminal` is "svg" or "pngcairo". Throws SubstrateError with gnuplot's
/// words.
std::string plotted(const Picture& picture, const std::string& terminal);

/// Whether there is a gnuplot.
bool can_plot();
/// Throws InputError for other files than FILE.svg and FILE.png and where it cannot be written,
/// SubstrateError without gnuplot: before a forecast that would be in vain.
void check_plot(const std::string& path);
/// The picture as a file, whole or not at all.
void write_plot(const std::string& path, const Picture& picture);

}  // namespace collcast::report
