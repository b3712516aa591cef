// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast::report {

/// A picture as SVG, and what it shows in words, for those who do not see it.
struct Figure {
  std::string title, words, svg;
};

/// How one direction of a chart is divided. `text` writes its numbers.
struct Axis {
  std::string title;
  std::string (*text)(double);
  enum class Scale : unsigned char { linear, decades, octaves } scale = Scale::linear;
};

/// Points of one kind. `low` and `high`: an interval, drawn as a bar where they differ.
struct Curve {
  struct Point {
    double x, y, low, high;
    std::string words = {};  ///< shown where a pointer rests on it
  };
  std::string name;
  std::vector<Point> points;
  bool line = true;
};

/// Curves over each other. On a scale of decades or octaves what is not above 0 is left out.
Figure chart(std::string title, const Axis& x, const Axis& y, const std::vector<Curve>& curves);

/// A bar of some parts, one after the other.
struct Bar {
  std::string name;
  std::vector<double> parts;
};
/// Bars below each other, their parts named by `parts`; `text` writes their values.
Figure bars(std::string title, const std::vector<std::string>& parts, const std::vector<Bar>& all,
            std::string (*text)(double));

/// Something that lasts, in a row.
struct Stretch {
  std::size_t row;
  double begin, end;
  std::string words;
};
/// What happens when, row by row, from 0 to `end` seconds. Stretches of the same words have the same colour.
Figure schedule(std::string title, const std::vector<std::string>& rows, const std::vector<Stretch>& all,
                double end);

/// Text as HTML and SVG show it: no name can become markup.
std::string escaped(const std::string& text);

}  // namespace collcast::report
