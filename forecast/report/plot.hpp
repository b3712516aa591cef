// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/chart.hpp"
#include "support/json_fwd.hpp"

namespace collcast::report {

/// `time` of the rows over their number `x`, with the interval low_s to high_s, in the order of `x`: a curve
/// for each combination of the values of `keys`.
std::vector<Curve> curves_of(const Json& rows, const Axis& axis, const std::string& x,
                             const std::string& time, const std::vector<std::string>& keys);
/// Times of the rows of `predict --format json` by message size, or by ranks if there is one size. A curve
/// for each platform, collective and number of ranks, and for each algorithm if a call has several. If all
/// rows are of one call, its algorithms side by side.
Graph time_graph(const Json& rows);
/// The same as a chart, or as bars where there is one size.
Figure time_figure(const Json& rows);

/// Message sizes, and times: logarithmic.
Axis size_axis();
Axis time_axis();

/// Graphs in one picture, `columns` side by side.
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
/// To be called before a long forecast: throws InputError unless the file is FILE.svg or FILE.png and can be
/// written, SubstrateError without gnuplot.
void check_plot(const std::string& path);
/// Writes the picture to a file, whole or not at all.
void write_plot(const std::string& path, const Picture& picture);

}  // namespace collcast::report
