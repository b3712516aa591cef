// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/svg.hpp"

#include <algorithm>

#include "support/decimal.hpp"
#include "support/printable.hpp"
#include "support/wrap.hpp"

namespace collcast::report {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text, "\n")) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

namespace svg {

std::string at(double place) {
  return decimal::fixed(place, 1);
}

std::string label(double x, double y, const std::string& words, const char* anchor, const std::string& more) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escaped(words) + "</text>\n";
}

std::string stroke(double x1, double y1, double x2, double y2, const std::string& look) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" " +
         look + "/>\n";
}

std::string box(double x, double y, double w, double h, const std::string& fill, const std::string& words) {
  return "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(std::max(w, 0.3)) + "\" height=\"" +
         at(h) + "\" fill=\"" + fill + "\"><title>" + escaped(words) + "</title></rect>\n";
}

Figure framed(std::string title, std::string words, double height, const std::string& body) {
  Figure f{std::move(title), std::move(words), {}};
  f.svg = "<svg viewBox=\"0 0 " + at(width) + " " + at(height) +
          "\" role=\"img\" font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>" +
          escaped(f.title) + "</title>\n<desc>" + escaped(f.words) + "</desc>\n" + body + "</svg>\n";
  return f;
}

constexpr double legend_left = 80, line_height = 18;

/// A box, or a piece of the line; returns its width.
double sign(const Entry& e, double x, double y, std::string& out) {
  if (e.width <= 0) return out += box(x, y - 9, 10, 10, e.color, e.name), 10;
  constexpr double length = 26;
  out += stroke(x, y - 4, x + length, y - 4,
                "stroke=\"" + e.color + "\"" + e.dashes + " stroke-width=\"" + at(e.width) + "\"");
  return length;
}

std::string legend(const std::vector<Entry>& entries, double& y) {
  std::string out;
  double x = legend_left;
  for (const Entry& e : entries) {
    const double needs = (e.width > 0 ? 44 : 28) + 7.4 * static_cast<double>(shown_width(e.name));
    if (x > legend_left && x + needs > width) x = legend_left, y += line_height;
    out += label(x + sign(e, x, y, out) + 4, y, e.name, "start");
    x += needs;
  }
  y += line_height;
  return out;
}

}  // namespace svg
}  // namespace collcast::report
