// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/page.hpp"

#include <sstream>

#include "support/text.hpp"

namespace collcast::report {
namespace {

constexpr std::size_t long_table = 12;

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:64em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}
.wide{overflow-x:auto}
caption{text-align:left;font-weight:600;padding:.4em 0}
th,td{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
h1,h2{overflow-wrap:anywhere}.q{white-space:nowrap}p{white-space:pre-line;max-width:60em}
figure{margin:1em 0}figcaption{font-weight:600}svg{max-width:100%;height:auto}
input{font:inherit;padding:.1em .4em}nav ul{columns:2;padding-left:1.2em}
@media print{body{margin:0;max-width:none;font-size:10pt}nav,.filter{display:none}h2{break-after:avoid}
figure,tr{break-inside:avoid}.wide{overflow:visible}a{color:inherit;text-decoration:none}}
</style>
)";

constexpr const char* filter_script = R"(<script>
document.querySelectorAll(".filter input").forEach(function (input) {
  var rows = document.getElementById(input.dataset.table).tBodies[0].rows;
  input.addEventListener("input", function () {
    var words = input.value.toLowerCase();
    for (var i = 0; i < rows.length; i++)
      rows[i].hidden = rows[i].textContent.toLowerCase().indexOf(words) < 0;
  });
});
</script>
)";

/// The name with places at which a browser may break it.
std::string breakable(const std::string& text) {
  constexpr std::size_t long_name = 24;
  std::string out = escaped(text);
  if (text.size() > long_name && text.find(' ') == std::string::npos)
    for (auto at = out.find('.'); at != std::string::npos; at = out.find('.', at + 1))
      out.insert(at + 1, "<wbr>");
  return out;
}

/// Writes a row of a table; a quantity stays on one line.
void write_row(std::ostream& out, const std::vector<std::string>& row) {
  constexpr std::size_t longest_quantity = 16;
  out << "<tr>";
  for (const std::string& text : row) {
    const bool quantity = text.size() <= longest_quantity && text.find_first_of("0123456789") < 2;
    out << (quantity ? "<td class=\"q\">" : "<td>") << breakable(text) << "</td>";
  }
  out << "</tr>\n";
}

void write_table(std::ostream& out, const Chapter& c, std::size_t number) {
  const std::string id = "table" + std::to_string(number);
  if (c.table.size() > long_table)
    out << "<p class=\"filter\"><label>Rows with <input data-table=\"" << id << "\"></label></p>\n";
  out << "<div class=\"wide\"><table id=\"" << id << "\"><caption>" << escaped(c.title)
      << "</caption>\n<thead><tr>";
  for (const std::string& text : c.table[0]) out << "<th scope=\"col\">" << escaped(text) << "</th>";
  out << "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 1; r < c.table.size(); ++r) write_row(out, c.table[r]);
  out << "</tbody></table></div>\n";
}

/// JSON in which nothing looks like HTML.
std::string embedded(const Json& data) {
  std::string text;
  for (const char c : ascii(data)) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

}  // namespace

Chapter chapter(std::string title, const Section& section, std::string words) {
  Chapter c{std::move(title), std::move(words), {}};
  c.table.emplace_back();
  for (const Column& column : section.columns) c.table[0].push_back(column.title);
  for (const Json& row : section.rows) {
    c.table.emplace_back();
    for (const Column& column : section.columns) c.table.back().push_back(column.text(row));
  }
  shorten(c);
  return c;
}

void shorten(Chapter& c) {
  if (c.table.size() <= most_rows + 1) return;
  c.words += (c.words.empty() ? "The first " : " The first ") + text::count(std::int64_t{most_rows}) +
             " of " + text::count(static_cast<std::int64_t>(c.table.size()) - 1) + ".";
  c.table.resize(most_rows + 1);
}

std::string html(const std::string& title, const std::vector<Chapter>& chapters, const Json& data) {
  std::ostringstream out;
  out << head << "<title>" << escaped(title) << "</title></head><body>\n<header><h1>" << escaped(title)
      << "</h1></header>\n<nav aria-label=\"Contents\"><ul>\n";
  for (std::size_t i = 0; i < chapters.size(); ++i)
    out << "<li><a href=\"#chapter" << i << "\">" << escaped(chapters[i].title) << "</a></li>\n";
  out << "</ul></nav>\n<main>\n";
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    const Chapter& c = chapters[i];
    out << "<section aria-labelledby=\"chapter" << i << "\">\n<h2 id=\"chapter" << i << "\">"
        << escaped(c.title) << "</h2>\n";
    if (!c.words.empty()) out << "<p>" << escaped(c.words) << "</p>\n";
    for (const Figure& f : c.figures)
      out << "<figure>\n<figcaption>" << escaped(f.title) << "</figcaption>\n" << f.svg << "</figure>\n";
    if (!c.table.empty()) write_table(out, c, i);
    out << "</section>\n";
  }
  out << "</main>\n<script type=\"application/json\" id=\"data\">" << embedded(data) << "</script>\n"
      << filter_script << "</body></html>\n";
  return out.str();
}

std::string markdown(const std::string& title, const std::vector<Chapter>& chapters) {
  std::string out = "# " + title + '\n';
  for (const Chapter& c : chapters) {
    out += "\n## " + c.title + '\n';
    if (!c.words.empty()) {
      out += '\n';
      for (const char ch : c.words) out += ch == '\n' ? std::string("\n\n") : std::string(1, ch);
      out += '\n';
    }
    if (!c.table.empty()) out += '\n' + markdown_table(c.table);
  }
  return out;
}

}  // namespace collcast::report
