// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/chart.hpp"
#include "support/json_fwd.hpp"

namespace collcast::report {

/// Times by message size, with their intervals, of rows as `predict --format json` has them: a curve for each
/// platform, collective, number of ranks and, where a call has several, algorithm.
std::vector<Curve> time_curves(const Json& rows);
/// The same as a chart, or as bars where there is one size.
Figure time_figure(const Json& rows);

/// Whether there is a gnuplot.
bool can_plot();
/// Runs a script of gnuplot's; what it prints. Throws SubstrateError with gnuplot's words.
std::string plotted(const std::string& script);
/// Words as a string of gnuplot's: it looks at nothing in them, and no line ends within.
std::string plot_quoted(const std::string& words);
/// Commands for a logarithmic x axis of bytes with marks in KiB and MiB.
std::string plot_size_axis(double least, double most);
/// Commands for the colours that charts have here.
std::string plot_colors();

/// Throws InputError for other files than FILE.svg and FILE.png and where it cannot be written,
/// SubstrateError without gnuplot: before a forecast that would be in vain.
void check_plot(const std::string& path);
/// Curves over message sizes.
void write_plot(const std::string& path, const std::string& title, const std::vector<Curve>& curves);

}  // namespace collcast::report
