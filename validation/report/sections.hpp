// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/report/results.hpp"

namespace collcast::report {

/// A part of a report: a title, some words, a table whose first row is its header (empty: none).
struct Chapter {
  std::string title, words;
  std::vector<std::vector<std::string>> table;
};

/// The answer first: who predicts how well, what an algorithm choice by it costs, then every point.
std::vector<Chapter> sections(const Results& results);

/// Whether every engine keeps the campaign's bounds.
bool within_bounds(const Results& results);

/// All sections, as GitHub's Markdown understands tables.
std::string markdown(const std::string& title, const std::vector<Chapter>& sections);

/// One file that needs no other; `figure` is SVG or empty.
std::string html(const std::string& title, const std::vector<Chapter>& sections, const std::string& figure);

}  // namespace collcast::report
