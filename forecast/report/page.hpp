// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/chart.hpp"
#include "forecast/report/report.hpp"

namespace collcast::report {

/// A part of a longer report: a title, some words, pictures, a table whose first row is its header (empty:
/// none).
struct Chapter {
  std::string title, words;
  std::vector<std::vector<std::string>> table;
  std::vector<Figure> figures = {};
};

/// Rows of a table that people see.
constexpr std::size_t most_rows = 500;

/// What people see of a section, under this title; the first rows of it.
Chapter chapter(std::string title, const Section& section, std::string words = {});
/// Leaves the first rows of its table, and says so.
void shorten(Chapter& chapter);

/// One file that needs no other and no network: chapters in order, and `data` inside, as an element of type
/// application/json with the id "data". Long tables can be filtered, pictures say what a pointer rests on,
/// and all of it can be printed and read aloud.
std::string html(const std::string& title, const std::vector<Chapter>& chapters, const Json& data);

/// The same without pictures, as GitHub's Markdown understands tables.
std::string markdown(const std::string& title, const std::vector<Chapter>& chapters);

}  // namespace collcast::report
