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

/// So many rows of a table people see at most.
constexpr std::size_t most_rows = 500;

/// A section as people see it, under this title: the first `most_rows` rows.
Chapter chapter(std::string title, const Section& section, std::string words = {});
/// Cuts the chapter's table to its first `most_rows` rows, and says so.
void shorten(Chapter& chapter);

/// One file that needs no other and no network: chapters in order, and `data` inside, as an element of type
/// application/json with the id "data". Long tables can be filtered, pictures say what a pointer rests on,
/// and all of it can be printed and read aloud.
std::string html(const std::string& title, const std::vector<Chapter>& chapters, const Json& data);

/// The same chapters without pictures, with tables in GitHub's Markdown.
std::string markdown(const std::string& title, const std::vector<Chapter>& chapters);

}  // namespace collcast::report
