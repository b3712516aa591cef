// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include "support/printable.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

/// Told apart on white, by the colour-blind as well (after P. Tol).
constexpr std::array colors = {"#4477aa", "#ee6677", "#228833", "#aa7700", "#0099bb", "#aa3377", "#444444"};
constexpr double width = 760, left = 80, right = 20, top = 14, plot_height = 300, bottom = 48,
                 line_height = 18;

const char* color(std::size_t i) {
  return colors[i % colors.size()];
}

/// Of a place in the picture: a tenth of a pixel.
std::string at(double place) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", place);
  return text.data();
}

std::string label(double x, double y, const std::string& words, const char* anchor = "middle",
                  const std::string& more = "") {
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

/// Names with their colours, as many to a line as fit; `y` moves down.
std::string legend(const std::vector<std::string>& names, double& y) {
  std::string out;
  double x = left;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double needs = 24 + 7.0 * static_cast<double>(names[i].size());
    if (x > left && x + needs > width) x = left, y += line_height;
    out += "<rect x=\"" + at(x) + "\" y=\"" + at(y - 9) + "\" width=\"10\" height=\"10\" fill=\"" + color(i) +
           "\"/>\n" + label(x + 14, y, names[i], "start");
    x += needs;
  }
  y += line_height;
  return out;
}

/// An axis with its range and its ticks.
class Ruler {
 public:
  Ruler(const Axis& axis, const std::vector<double>& values) : axis_(axis) {
    for (const double v : values) {
      if (!fits(v)) continue;
      low_ = std::min(low_, on(v)), high_ = std::max(high_, on(v));
    }
    if (low_ > high_) low_ = 0, high_ = 1;
    if (axis.scale == Axis::Scale::linear) low_ = std::min(low_, 0.0);
    if (high_ - low_ < 1e-9 * std::max(1.0, std::abs(high_))) {
      const bool linear = axis.scale == Axis::Scale::linear;
      high_ += linear ? std::max(std::abs(high_), 1e-12) : 0.5, low_ -= linear ? 0 : 0.5;
    }
    const double margin = axis.scale == Axis::Scale::linear ? 0 : 0.03 * (high_ - low_);
    low_ -= margin, high_ += 0.03 * (high_ - low_) + margin;
  }
  bool fits(double v) const { return std::isfinite(v) && (axis_.scale == Axis::Scale::linear || v > 0); }
  /// 0 to 1.
  double place(double v) const { return (on(v) - low_) / (high_ - low_); }
  std::vector<double> ticks() const {
    std::vector<double> all;
    const double range = high_ - low_;
    double step = 1;
    if (axis_.scale == Axis::Scale::linear) {
      step = std::pow(10, std::floor(std::log10(range / 5)));
      for (const double factor : {2.0, 2.5, 2.0})
        if (range / step > 7) step *= factor;
    } else {
      step = std::max(1.0, std::ceil(range / 8));
    }
    for (double t = std::ceil(low_ / step) * step; t <= high_ + 1e-9 * range; t += step)
      all.push_back(back(t));
    return all;
  }

 private:
  double on(double v) const {
    if (axis_.scale == Axis::Scale::decades) return std::log10(v);
    return axis_.scale == Axis::Scale::octaves ? std::log2(v) : v;
  }
  double back(double t) const {
    if (axis_.scale == Axis::Scale::decades) return std::pow(10, t);
    return axis_.scale == Axis::Scale::octaves ? std::exp2(t) : std::abs(t) < 1e-300 ? 0 : t;
  }
  const Axis& axis_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

}  // namespace

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

Figure chart(std::string title, const Axis& x, const Axis& y, const std::vector<Curve>& curves) {
  std::vector<double> xs, ys;
  for (const Curve& c : curves)
    for (const Curve::Point& p : c.points) {
      xs.push_back(p.x);
      for (const double v : {p.y, p.low, p.high}) ys.push_back(v);
    }
  const Ruler across(x, xs), up(y, ys);
  const double inner = width - left - right;
  const auto px = [&](double v) { return left + inner * across.place(v); };
  const auto py = [&](double v) { return top + plot_height * (1 - up.place(v)); };
  std::string body;
  for (const double t : up.ticks())
    body += stroke(left, py(t), width - right, py(t), "stroke=\"#ddd\"") +
            label(left - 6, py(t) + 4, y.text(t), "end");
  for (const double t : across.ticks())
    body += stroke(px(t), top, px(t), top + plot_height, "stroke=\"#eee\"") +
            label(px(t), top + plot_height + 16, x.text(t));
  body += label(left + inner / 2, top + plot_height + 36, x.title) +
          label(-(top + plot_height / 2), 14, y.title, "middle", " transform=\"rotate(-90)\"");
  std::vector<std::string> names;
  std::string words = x.title + " against " + y.title + ":";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& c = curves[i];
    names.push_back(c.name);
    std::string line, marks;
    const char* dashes[] = {"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""};
    const std::string look =
        "stroke=\"" + std::string(color(i)) + "\"" + dashes[(i / colors.size()) % std::size(dashes)];
    for (const Curve::Point& p : c.points) {
      if (!across.fits(p.x) || !up.fits(p.y)) continue;
      line += (line.empty() ? "" : " ") + at(px(p.x)) + "," + at(py(p.y));
      if (p.high > p.low && up.fits(p.low))
        marks +=
            stroke(px(p.x), py(p.low), px(p.x), py(p.high), look + " stroke-width=\"2\" opacity=\"0.5\"");
      if (c.points.size() <= 200)
        marks += "<circle cx=\"" + at(px(p.x)) + "\" cy=\"" + at(py(p.y)) + "\" r=\"3\" fill=\"" + color(i) +
                 "\"><title>" +
                 escaped(p.words.empty() ? c.name + ": " + x.text(p.x) + ", " + y.text(p.y) : p.words) +
                 "</title></circle>\n";
    }
    if (c.line && !line.empty())
      body += "<polyline points=\"" + line + "\" fill=\"none\" " + look + " stroke-width=\"1.5\"/>\n";
    body += marks;
    if (c.points.empty()) continue;
    const Curve::Point &first = c.points.front(), &last = c.points.back();
    words += " " + c.name + " from " + y.text(first.y) + " at " + x.text(first.x) + " to " + y.text(last.y) +
             " at " + x.text(last.x) + ".";
  }
  double below = top + plot_height + bottom + 6;
  body += legend(names, below);
  return framed(std::move(title), std::move(words), below, body);
}

Figure bars(std::string title, const std::vector<std::string>& parts, const std::vector<Bar>& all,
            std::string (*text)(double)) {
  constexpr double names = 190, values = 90, height = 22;
  double most = 0;
  for (const Bar& b : all) {
    double sum = 0;
    for (const double p : b.parts) sum += p;
    most = std::max(most, sum);
  }
  std::string body, words;
  double y = top;
  for (const Bar& b : all) {
    body += label(names - 8, y + 14, b.name.size() > 28 ? b.name.substr(0, 27) + "…" : b.name, "end");
    double x = names, sum = 0;
    words += (words.empty() ? "" : "; ") + b.name + ":";
    for (std::size_t i = 0; i < b.parts.size(); ++i) {
      const double w = most > 0 ? (width - names - values) * b.parts[i] / most : 0;
      const std::string what = (parts[i].empty() ? "" : parts[i] + " ") + text(b.parts[i]);
      body += box(x, y, w, height - 5, color(i), b.name + ": " + what);
      words += (i ? ", " : " ") + what;
      x += w, sum += b.parts[i];
    }
    body += label(x + 6, y + 14, text(sum), "start");
    y += height;
  }
  y += 12;
  if (parts.size() > 1) body += legend(parts, y);
  return framed(std::move(title), std::move(words), y, body);
}

Figure schedule(std::string title, const std::vector<std::string>& rows, const std::vector<Stretch>& all,
                double end) {
  constexpr double names = 190, height = 26;
  const Axis time{"time", text::seconds};
  const Ruler ruler(time, {end});
  const auto px = [&](double t) { return names + (width - names - right) * ruler.place(t); };
  std::string body;
  std::map<std::size_t, double> places;  // of the rows that have something
  for (const Stretch& s : all) places[s.row];
  double foot = top;
  for (auto& [row, place] : places) {
    place = foot;
    body += label(names - 8, place + 16, rows.at(row), "end");
    foot += height;
  }
  for (const double t : ruler.ticks())
    body += stroke(px(t), top, px(t), foot, "stroke=\"#ddd\"") + label(px(t), foot + 16, text::seconds(t));
  std::map<std::string, std::size_t> looks;
  for (const Stretch& s : all) {
    const std::size_t look = looks.try_emplace(s.words, looks.size()).first->second;
    body += box(px(s.begin), places.at(s.row), px(s.end) - px(s.begin), height - 6, color(look),
                s.words + ": " + text::seconds(s.begin) + " to " + text::seconds(s.end));
  }
  return framed(std::move(title),
                std::to_string(all.size()) + " stretches in " + std::to_string(places.size()) +
                    " rows over " + text::seconds(end),
                foot + 26, body);
}

}  // namespace collcast::report
