// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/chart.hpp"

/// What pictures are made of, in pixels; all words are escaped.
namespace collcast::report::svg {

constexpr double width = 760;  ///< the width of every picture

/// A coordinate, to a tenth of a pixel.
std::string at(double place);
std::string label(double x, double y, const std::string& words, const char* anchor = "middle",
                  const std::string& more = "");
std::string stroke(double x1, double y1, double x2, double y2, const std::string& look);
std::string box(double x, double y, double w, double h, const std::string& fill, const std::string& words);

struct Entry {
  std::string name, color, dashes = {};
  double width = 0;  ///< of a line; without one it is a box
};
/// The legend: names beside samples of their looks, as many to a line as fit. Moves `y` below it.
std::string legend(const std::vector<Entry>& entries, double& y);

/// The whole picture, of this height.
Figure framed(std::string title, std::string words, double height, const std::string& body);

}  // namespace collcast::report::svg
