// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace collcast::report {

/// A picture as SVG, and what it shows in words, for those who do not see it.
struct Figure {
  std::string title, words, svg;
};

/// An axis of a graph. `text` writes its numbers.
struct Axis {
  std::string title;
  std::string (*text)(double);
  enum class Scale : unsigned char { linear, decades, octaves } scale = Scale::linear;
  bool at_values = false;               ///< ticks at the values themselves, where they are few and apart
  std::vector<std::string> names = {};  ///< of the values 1, 2, ...: an axis of words
};

/// A series of points. `low` and `high`: an interval, drawn where they differ.
struct Curve {
  struct Point {
    double x, y, low, high;
    std::string words = {};  ///< shown where a pointer rests on it
    std::string label = {};  ///< written beside it
  };
  /// line: points joined by a line; points: no line; band: a line, the intervals shaded; hollow: points left
  /// out of the statistics; plain: a line alone; broad: a broad grey line behind the others; star: the point
  /// to see first.
  enum class Look : unsigned char { line, points, band, hollow, plain, broad, star };
  std::string name;
  std::vector<Point> points;
  Look look = Look::line;
  bool same = false;  ///< the curve before goes on: its colour, no name in the legend
};

/// A labelled line across a graph.
struct Mark {
  double at;
  bool upright;
  std::string words;
};

/// Curves over each other. On a scale of decades or octaves what is not above 0 is left out.
struct Graph {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
  std::vector<Mark> marks = {};
};
Figure chart(const Graph& graph);

/// The part of an axis that a graph shows, and its ticks with their labels.
struct Extent {
  double low, high;
  std::vector<std::pair<double, std::string>> ticks;
};
struct Extents {
  Extent x, y;
};
Extents extents(const Graph& graph);

/// The colours of curves, told apart on white, by the colour-blind as well.
std::span<const char* const> curve_colors();
/// By curve: the number of its colour, which may be beyond the last of `curve_colors`.
std::vector<std::size_t> color_numbers(const std::vector<Curve>& curves);

/// By curve: how many later lines hide it, wholly or in part; it is drawn broader by that.
std::vector<int> hidden_by(const Graph& graph);

/// A bar of some parts, one after the other.
struct Bar {
  std::string name;
  std::vector<double> parts;
};
/// Bars below each other, their parts named by `parts`; `text` writes their values.
Figure bars(std::string title, const std::vector<std::string>& parts, const std::vector<Bar>& all,
            std::string (*text)(double));

/// An interval in a row of a schedule.
struct Delay {
  std::size_t row;
  double begin, end;
  std::string words;
};
/// Draws what happens when, row by row, from 0 to `end` seconds. Intervals of the same words have the same
/// colour.
Figure schedule(std::string title, const std::vector<std::string>& rows, const std::vector<Delay>& all,
                double end);

/// Text as HTML and SVG show it: no name can become markup.
std::string escaped(const std::string& text);

}  // namespace collcast::report
