// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "forecast/report/svg.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

using namespace svg;

/// After P. Tol.
constexpr std::array colors = {"#4477aa", "#ee6677", "#228833", "#aa7700", "#0099bb", "#aa3377", "#444444"};
constexpr double left = 80, right = 20, top = 14, plot_height = 300, bottom = 48;

const char* color(std::size_t i) {
  return colors[i % colors.size()];
}

/// About five round numbers.
std::vector<double> round_numbers(double low, double high) {
  const double range = high - low;
  double step = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (range / step > 7) step *= factor;
  std::vector<double> all;
  for (double t = std::ceil(low / step) * step; t <= high + 1e-9 * range; t += step)
    all.push_back(std::abs(t) < 1e-9 * step ? 0 : t);
  return all;
}

/// "1.50 ms" as "1.5 ms".
std::string without_zeros(std::string text) {
  const auto end = std::min(text.find(' '), text.size()), point = text.find('.');
  if (point >= end || text.find_first_not_of("0123456789", point + 1) < end) return text;
  auto last = text.find_last_not_of('0', end - 1);
  if (last == point) --last;
  return text.erase(last + 1, end - last - 1);
}

/// An axis with its range and its ticks.
class Ruler {
 public:
  /// An axis over `values`, and over `more` values that get no marks.
  Ruler(const Axis& axis, const std::vector<double>& values, const std::vector<double>& more = {})
      : axis_(axis) {
    for (const auto* all : {&values, &more})
      for (const double v : *all)
        if (fits(v)) low_ = std::min(low_, on(v)), high_ = std::max(high_, on(v));
    if (low_ > high_) low_ = 0, high_ = 1;
    if (axis.scale == Axis::Scale::linear) low_ = std::min(low_, 0.0);
    if (high_ - low_ < 1e-9 * std::max(1.0, std::abs(high_))) {
      const bool linear = axis.scale == Axis::Scale::linear;
      high_ += linear ? std::max(std::abs(high_), 1e-12) : 0.5, low_ -= linear ? 0 : 0.5;
    }
    const double margin = axis.scale == Axis::Scale::linear ? 0 : 0.03 * (high_ - low_);
    low_ -= margin, high_ += 0.03 * (high_ - low_) + margin;
    if (axis.at_values) mark_values(values);
  }
  bool fits(double v) const { return std::isfinite(v) && (axis_.scale == Axis::Scale::linear || v > 0); }
  /// Makes room for words below, unless the axis ends at 0.
  void lower() {
    if (axis_.scale != Axis::Scale::linear) low_ -= 0.3 * (high_ - low_);
  }
  /// The place of a value along the axis, from 0 to 1.
  double place(double v) const { return (on(v) - low_) / (high_ - low_); }
  std::vector<double> ticks() const {
    if (!own_.empty()) return own_;
    const double range = high_ - low_;
    if (axis_.scale == Axis::Scale::linear) return round_numbers(low_, high_);
    if (axis_.scale == Axis::Scale::decades && range < 0.7) return round_numbers(back(low_), back(high_));
    const double step = std::max(1.0, std::ceil(range / 8));
    const bool between = axis_.scale == Axis::Scale::decades && range < 2.2;
    std::vector<double> all;
    for (double t = std::floor(low_ / step) * step; t <= high_; t += step)
      for (const double factor : {1.0, 2.0, 5.0})
        if ((between || factor == 1) && place(factor * back(t)) >= -1e-9 && place(factor * back(t)) <= 1)
          all.push_back(factor * back(t));
    return all;
  }
  Extent extent() const {
    Extent s{back(low_), back(high_), {}};
    for (const double t : ticks()) s.ticks.emplace_back(t, without_zeros(axis_.text(t)));
    return s;
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
  void mark_values(const std::vector<double>& values) {
    const std::set<double> sorted(values.begin(), values.end());
    for (const double v : sorted) {
      if (!fits(v)) continue;
      if (!own_.empty() && place(v) - place(own_.back()) < 0.07) {
        own_.clear();
        return;
      }
      own_.push_back(v);
    }
  }

  const Axis& axis_;
  std::vector<double> own_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

/// Both axes of a graph, over all that it shows.
struct Rulers {
  explicit Rulers(const Graph& g)
      : across(g.x, values(g, true), marks(g, true)), up(g.y, values(g, false), marks(g, false)) {
    if (std::ranges::any_of(g.marks, [](const Mark& m) { return m.upright && !m.words.empty(); })) up.lower();
  }
  static std::vector<double> values(const Graph& g, bool x) {
    std::vector<double> all;
    for (const Curve& c : g.curves)
      for (const Curve::Point& p : c.points) {
        if (x) all.push_back(p.x);
        if (!x) all.insert(all.end(), {p.y, p.low, p.high});
      }
    return all;
  }
  static std::vector<double> marks(const Graph& g, bool x) {
    std::vector<double> all;
    for (const Mark& m : g.marks)
      if (m.upright == x) all.push_back(m.at);
    return all;
  }
  Ruler across, up;
};

/// Whether two lines coincide, within their width, from one point to the next, or at a single point.
bool coincide(const Ruler& up, const Curve& a, const Curve& b) {
  if (a.look != Curve::Look::line || b.look != Curve::Look::line) return false;
  std::map<double, double> ys;
  for (const Curve::Point& p : a.points) ys[p.x] = p.y;
  const std::size_t enough = std::min<std::size_t>({2, a.points.size(), b.points.size()});
  std::size_t met = 0;
  for (const Curve::Point& p : b.points) {
    const auto y = ys.find(p.x);
    const bool here = y != ys.end() && up.fits(p.y) && up.fits(y->second) &&
                      std::abs(up.place(p.y) - up.place(y->second)) < 0.005;
    met = here ? met + 1 : 0;
    if (here && met >= enough) return true;
  }
  return false;
}

struct Pen {
  std::string color, dashes;
  double width, radius;  ///< of lines and of points
};
Pen pen_of(const Curve& c, std::size_t number, int above) {
  constexpr const char* dashes[] = {"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""};
  if (c.look == Curve::Look::broad) return {"#cccccc", "", 6, 3};
  if (c.look == Curve::Look::star) return {"#222222", "", 1.5, 6};
  return {color(number), dashes[(number / colors.size()) % std::size(dashes)], 1.5 + 2 * above, 3.0 + above};
}

/// Where a graph's numbers are in its picture.
class Frame {
 public:
  explicit Frame(const Graph& graph) : graph_(graph), rulers_(graph) {}

  std::string grid() const {
    const Extents all{rulers_.across.extent(), rulers_.up.extent()};
    std::string body;
    for (const auto& [t, words] : all.y.ticks)
      body += stroke(left, py(t), width - right, py(t), "stroke=\"#ddd\"") +
              label(left - 6, py(t) + 4, words, "end");
    for (const auto& [t, words] : all.x.ticks)
      body += stroke(px(t), top, px(t), top + plot_height, "stroke=\"#eee\"") +
              label(px(t), top + plot_height + 16, words);
    return body + label(left + inner / 2, top + plot_height + 36, graph_.x.title) +
           label(-(top + plot_height / 2), 14, graph_.y.title, "middle", " transform=\"rotate(-90)\"");
  }

  std::string drawn(const Curve& c, const Pen& pen) const {
    using Look = Curve::Look;
    std::string line, there, back, marks;
    for (const Curve::Point& p : c.points) {
      if (!rulers_.across.fits(p.x) || !rulers_.up.fits(p.y)) continue;
      line += (line.empty() ? "" : " ") + place(p.x, p.y);
      const bool interval = p.high > p.low && rulers_.up.fits(p.low);
      there += place(p.x, interval ? p.high : p.y) + " ";
      back = place(p.x, interval ? p.low : p.y) + " " + back;
      if (interval && c.look != Look::band)
        marks += stroke(px(p.x), py(p.low), px(p.x), py(p.high),
                        "stroke=\"" + pen.color + "\"" + pen.dashes + " stroke-width=\"2\" opacity=\"0.5\"");
      if (c.points.size() <= 200 && c.look != Look::plain && c.look != Look::broad) marks += point(c, p, pen);
      if (!p.label.empty()) marks += label(px(p.x) + 6, py(p.y) - 6, p.label, "start");
    }
    std::string body;
    if (c.look == Look::band)
      body += "<polygon points=\"" + there + back + "\" fill=\"" + pen.color + "\" opacity=\"0.2\"/>\n";
    const bool joined = c.look != Look::points && c.look != Look::hollow && c.look != Look::star;
    if (joined && !line.empty())
      body += "<polyline points=\"" + line + "\" fill=\"none\" stroke=\"" + pen.color + "\"" + pen.dashes +
              " stroke-width=\"" + at(pen.width) + "\"/>\n";
    return body + marks;
  }

  std::string drawn(const Mark& m) const {
    const char* look = "stroke=\"#888\" stroke-dasharray=\"3 3\"";
    if (m.upright)
      return stroke(px(m.at), top, px(m.at), top + plot_height, look) +
             label(-(top + 4), px(m.at) - 4, m.words, "end", " transform=\"rotate(-90)\"");
    return stroke(left, py(m.at), width - right, py(m.at), look) +
           label(width - right - 4, py(m.at) - 4, m.words, "end");
  }

 private:
  double px(double v) const { return left + inner * rulers_.across.place(v); }
  double py(double v) const { return top + plot_height * (1 - rulers_.up.place(v)); }
  std::string place(double x, double y) const { return at(px(x)) + "," + at(py(y)); }
  std::string point(const Curve& c, const Curve::Point& p, const Pen& pen) const {
    const std::string words = c.name + ": " + graph_.x.text(p.x) + ", " + graph_.y.text(p.y);
    return "<circle cx=\"" + at(px(p.x)) + "\" cy=\"" + at(py(p.y)) + "\" r=\"" + at(pen.radius) + "\" " +
           (c.look == Curve::Look::hollow ? "fill=\"#fff\" stroke" : "fill") + "=\"" + pen.color +
           "\"><title>" + escaped(p.words.empty() ? words : p.words) + "</title></circle>\n";
  }

  static constexpr double inner = width - left - right;
  const Graph& graph_;
  Rulers rulers_;
};

}  // namespace

std::span<const char* const> curve_colors() {
  return colors;
}

std::vector<std::size_t> color_numbers(const std::vector<Curve>& curves) {
  std::vector<std::size_t> all;
  std::size_t next = 0;
  for (const Curve& c : curves) {
    const bool grey = c.look == Curve::Look::broad || c.look == Curve::Look::star;
    all.push_back(grey || (c.same && next > 0) ? std::max<std::size_t>(next, 1) - 1 : next++);
  }
  return all;
}

std::vector<int> hidden_by(const Graph& graph) {
  const Rulers rulers(graph);
  std::vector<int> all(graph.curves.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size() && all[i] < 2; ++j)
      all[i] += coincide(rulers.up, graph.curves[i], graph.curves[j]);
  return all;
}

Extents extents(const Graph& graph) {
  const Rulers rulers(graph);
  return {rulers.across.extent(), rulers.up.extent()};
}

Figure chart(const Graph& graph) {
  const Frame frame(graph);
  std::string body = frame.grid(), words = graph.x.title + " against " + graph.y.title + ":";
  std::vector<Entry> entries;
  const std::vector<std::size_t> numbers = color_numbers(graph.curves);
  const std::vector<int> above = hidden_by(graph);
  for (std::size_t i = 0; i < graph.curves.size(); ++i) {
    const Curve& c = graph.curves[i];
    const Pen pen = pen_of(c, numbers[i], above[i]);
    if (!c.same)
      entries.push_back({c.name, pen.color, pen.dashes, c.look == Curve::Look::points ? 0 : pen.width});
    body += frame.drawn(c, pen);
    if (c.points.empty()) continue;
    const Curve::Point &first = c.points.front(), &last = c.points.back();
    words += " " + c.name + " from " + graph.y.text(first.y) + " at " + graph.x.text(first.x) + " to " +
             graph.y.text(last.y) + " at " + graph.x.text(last.x) + ".";
  }
  for (const Mark& m : graph.marks)
    body += frame.drawn(m), words += m.words.empty() ? "" : " " + m.words + ".";
  double below = top + plot_height + bottom + 6;
  body += legend(entries, below);
  return framed(graph.title, std::move(words), below, body);
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
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < parts.size(); ++i) entries.push_back({parts[i], color(i)});
  if (parts.size() > 1) body += legend(entries, y);
  return framed(std::move(title), std::move(words), y, body);
}

Figure schedule(std::string title, const std::vector<std::string>& rows, const std::vector<Delay>& all,
                double end) {
  constexpr double names = 190, height = 26;
  const Axis time{"time", text::seconds};
  const Ruler ruler(time, {end});
  const auto px = [&](double t) { return names + (width - names - right) * ruler.place(t); };
  std::string body;
  std::map<std::size_t, double> places;  // of the rows that are not empty
  for (const Delay& s : all) places[s.row];
  double foot = top;
  for (auto& [row, place] : places) {
    place = foot;
    body += label(names - 8, place + 16, rows.at(row), "end");
    foot += height;
  }
  for (const double t : ruler.ticks())
    body += stroke(px(t), top, px(t), foot, "stroke=\"#ddd\"") + label(px(t), foot + 16, text::seconds(t));
  std::map<std::string, std::size_t> looks;
  for (const Delay& s : all) {
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
