// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "validation/report/sections.hpp"

namespace collcast::report {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string escaped(const std::string& text) {
  return replaced(replaced(replaced(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em;color:#222}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;display:block;overflow-x:auto}
th,td{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:left;white-space:nowrap}
th{position:sticky;top:0;background:#fff}p{white-space:pre-line;max-width:60em}svg{max-width:100%;height:auto}
</style>
)";

void html_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  const char* cell = "th";
  out << "<table>\n";
  for (const auto& row : table) {
    out << "<tr>";
    for (const std::string& text : row) out << '<' << cell << '>' << escaped(text) << "</" << cell << '>';
    out << "</tr>\n";
    cell = "td";
  }
  out << "</table>\n";
}

}  // namespace

std::string html(const std::string& title, const std::vector<Chapter>& sections, const std::string& figure) {
  std::ostringstream out;
  out << head << "<title>" << escaped(title) << "</title></head><body>\n<h1>" << escaped(title) << "</h1>\n";
  bool first = true;
  for (const Chapter& s : sections) {
    out << "<h2>" << escaped(s.title) << "</h2>\n";
    if (!s.words.empty()) out << "<p>" << escaped(s.words) << "</p>\n";
    if (!s.table.empty()) html_table(out, s.table);
    if (first && !figure.empty())
      out << "<h2>Predicted and measured</h2>\n<p>Lines: critical path. Points: measured, with the interval "
             "of the "
             "median.</p>\n"
          << figure.substr(figure.find("<svg")) << '\n';
    first = false;
  }
  out << "</body></html>\n";
  return out.str();
}

std::string markdown(const std::string& title, const std::vector<Chapter>& sections) {
  std::ostringstream out;
  out << "# " << title << '\n';
  for (const Chapter& s : sections) {
    out << "\n## " << s.title << '\n';
    if (!s.words.empty()) out << '\n' << replaced(s.words, "\n", "\n\n") << '\n';
    if (s.table.empty()) continue;
    out << '\n';
    bool header = true;
    for (const auto& row : s.table) {
      for (const std::string& text : row) out << "| " << replaced(text, "|", "\\|") << ' ';
      out << "|\n";
      if (header)
        for (std::size_t i = 0; i < row.size(); ++i) out << "|---" << (i + 1 < row.size() ? "" : "|\n");
      header = false;
    }
  }
  return out.str();
}

}  // namespace collcast::report
