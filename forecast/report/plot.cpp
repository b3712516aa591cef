// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/printable.hpp"
#include "support/process/complaint.hpp"
#include "support/process/launch.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

std::set<std::string> values(const Json& rows, const std::string& key) {
  std::set<std::string> all;
  for (const Json& r : rows) all.insert(dump(r[key]));
  return all;
}

/// Those of the keys that tell rows apart, without `across`.
std::vector<std::string> telling(const Json& rows, const std::string& across) {
  std::vector<std::string> keys;
  for (const std::string key : {"platform", "collective", "ranks"})
    if (key != across && values(rows, key).size() > 1) keys.push_back(key);
  std::set<std::tuple<std::string, std::string, std::string, std::string>> calls;
  for (const Json& r : rows)
    calls.insert({dump(r["platform"]), dump(r["collective"]), dump(r["ranks"]), dump(r["message_bytes"])});
  if (calls.size() < rows.size() || keys.empty()) keys.push_back("algorithm");
  return keys;
}

std::string name_of(const std::string& key, const Json& value) {
  if (value.is_string()) return value;
  if (key == "ranks") return dump(value) + " ranks";
  if (key == "message_bytes") return text::bytes(value.get<double>());
  return key + "=" + (value.is_number_float() ? text::number(value) : dump(value));
}

std::string name_of(const Json& row, const std::vector<std::string>& keys) {
  return text::join(keys, ", ", [&](const std::string& key) { return name_of(key, row[key]); });
}

/// Whether rows differ in nothing else, so that a curve may change its algorithm from point to point.
bool one_call_each(const std::vector<std::string>& keys, const Json& rows, const std::string& across) {
  return keys == std::vector<std::string>{"algorithm"} && values(rows, across).size() == rows.size();
}

// gnuplot's scripts. No name can become a command: all are quoted text, and the terminal shows them as they
// are.

/// Words as a string in which gnuplot substitutes nothing, without line ends.
std::string quoted(const std::string& words) {
  std::string out = "'";
  for (const char c : printable(words)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

void write_axis(std::ostream& out, const std::string& name, const Axis& axis, const Extent& extent) {
  const bool linear = axis.scale == Axis::Scale::linear;
  const auto tick = [&out](const std::string& words, double at, bool first) {
    out << (first ? "" : ", ") << quoted(words) << ' ' << at;
  };
  out << (linear ? "unset" : "set") << " logscale " << name << "\nset " << name << "label "
      << quoted(axis.title) << (name == "x" ? ".\"\\n\" offset 0,0.4" : "") << "\nset " << name << "range ["
      << extent.low << ':' << extent.high << "]\nset " << name << "tics "
      << (axis.names.empty() ? "norotate (" : "rotate by 90 right (");
  for (std::size_t i = 0; i < axis.names.size(); ++i) tick(axis.names[i], static_cast<double>(i + 1), i == 0);
  for (std::size_t i = 0; i < extent.ticks.size() && axis.names.empty(); ++i)
    tick(extent.ticks[i].second, extent.ticks[i].first, i == 0);
  out << ")\n";
}

/// How gnuplot draws an area, a line and points.
struct Style {
  const char *area, *line, *points, *look;
};
Style style_of(Curve::Look look) {
  const char* bars = " using 1:2:3:4 with yerrorbars";
  const char* line = " using 1:2 with lines";
  switch (look) {
    case Curve::Look::line:
      return {nullptr, line, bars, " pt 7 ps 0.6"};
    case Curve::Look::points:
      return {nullptr, nullptr, bars, " pt 7 ps 0.6"};
    case Curve::Look::band:
      return {" using 1:3:4 with filledcurves fs transparent solid 0.2 noborder", nullptr,
              " using 1:2 with linespoints", " pt 7 ps 0.6"};
    case Curve::Look::hollow:
      return {nullptr, nullptr, " using 1:2 with points", " pt 6 ps 0.9"};
    case Curve::Look::plain:
      return {nullptr, line, nullptr, ""};
    case Curve::Look::broad:
      return {nullptr, " using 1:2 with lines lw 7", nullptr, ""};
    case Curve::Look::star:
      break;
  }
  return {nullptr, nullptr, " using 1:2 with points", " pt 3 ps 2 lw 2"};
}

std::string color_of(const Curve& c, std::size_t number) {
  if (c.look == Curve::Look::broad) return " lc rgb '#d0d0d0'";
  if (c.look == Curve::Look::star) return " lc rgb '#222222'";
  const auto colors = curve_colors();
  return " lc rgb '" + std::string(colors[number % colors.size()]) + "' dt " +
         std::to_string(number / colors.size() + 1);
}

/// The elements of one curve that `below` other curves hide; the last element has the curve's name.
std::string elements(const Curve& c, std::size_t number, int below, const std::string& data) {
  const Style style = style_of(c.look);
  const std::string broader = below == 0 ? "" : " lw " + std::to_string(1 + 2 * below),
                    larger = below == 0 ? "" : " ps " + text::number(0.6 + 0.3 * below),
                    color = color_of(c, number) + broader,
                    title = c.same || c.name.empty() ? " notitle" : " title " + quoted(c.name);
  std::string all;
  const auto add = [&](const char* element, const std::string& look, bool named) {
    if (element)
      all += (all.empty() ? "" : ", ") + data + element + color + look + (named ? title : " notitle");
  };
  add(style.area, "", false);
  add(style.line, "", !style.points);
  add(style.points, below == 0 ? style.look : " pt 7" + larger, true);
  return all;
}

void write_data(std::ostream& out, const std::string& name, const Curve& c) {
  out << name << " << EOD\n";
  for (const Curve::Point& p : c.points)
    if (std::isfinite(p.x) && std::isfinite(p.y))
      out << p.x << ' ' << p.y << ' ' << p.low << ' ' << p.high << '\n';
  out << "EOD\n";
}

/// Writes labels beside the points: right and left of them by turns from curve to curve.
void write_labels(std::ostream& out, const Curve& c, std::size_t number) {
  for (const Curve::Point& p : c.points)
    if (!p.label.empty())
      out << "set label " << quoted(p.label) << " at " << p.x << ',' << p.y
          << (number % 2 == 0 ? " left offset 0.7,0.5" : " right offset -0.7,-0.5") << " font ',9' front\n";
}

void write_mark(std::ostream& out, const Mark& m) {
  std::ostringstream at;
  at.precision(12);
  at << "first " << m.at;
  const auto place = [&](const std::string& along) {
    return m.upright ? at.str() + ", graph " + along : "graph " + along + ", " + at.str();
  };
  out << "set arrow from " << place("0") << " to " << place("1") << " nohead lc rgb '#888888' dt 3\n"
      << "set label " << quoted(m.words) << " at " << place(m.upright ? "0.02" : "0.99")
      << (m.upright ? " left rotate by 90 offset -0.6,0" : " right offset 0,0.5")
      << " font ',9' tc rgb '#666666' front\n";
}

bool empty(const Graph& graph) {
  return std::ranges::all_of(graph.curves, [](const Curve& c) { return c.points.empty(); });
}

/// Where the names of curves go: on a line below the graph, or beside it, with the width that they need.
struct Legend {
  bool below = true;
  std::size_t width = 0, height = 0;
};
Legend legend_of(const Graph& graph) {
  std::size_t all = 0, longest = 0, names = 0;
  for (const Curve& c : graph.curves) {
    if (c.same || c.name.empty()) continue;
    all += c.name.size() + 10, ++names;
    longest = std::max(longest, c.name.size());
  }
  if (!graph.x.names.empty()) return {true, 0, 300 + 7 * longest};  // names of words stand at the axis
  return all < 90 ? Legend{} : Legend{false, 120 + 7 * longest, 60 + 18 * names};
}

void write_graph(std::ostream& out, const Graph& graph, std::size_t& serial) {
  if (empty(graph)) {
    out << "set multiplot next\n";
    return;
  }
  const Extents all = extents(graph);
  const std::vector<std::size_t> numbers = color_numbers(graph.curves);
  const std::vector<int> above = hidden_by(graph);
  std::string plot;
  for (std::size_t i = 0; i < graph.curves.size(); ++i) {
    if (graph.curves[i].points.empty()) continue;
    const std::string data = "$d" + std::to_string(serial++);
    write_data(out, data, graph.curves[i]);
    plot += (plot.empty() ? "plot " : ", ") + elements(graph.curves[i], numbers[i], above[i], data);
  }
  out << "unset label\nunset arrow\nset title " << quoted(graph.title) << '\n';
  write_axis(out, "x", graph.x, all.x);
  write_axis(out, "y", graph.y, all.y);
  for (std::size_t i = 0; i < graph.curves.size(); ++i) write_labels(out, graph.curves[i], numbers[i]);
  for (const Mark& m : graph.marks) write_mark(out, m);
  const Legend names = legend_of(graph);
  const char* key = !graph.x.names.empty() ? "unset key\n"
                    : names.below          ? "set key Left reverse below horizontal center\n"
                                           : "set key Left reverse outside right top vertical maxcols 1\n";
  out << key << plot << '\n';
}

std::string script(const Picture& picture, const std::string& terminal) {
  std::size_t wide = 0, high = 460;
  for (const Graph& g : picture.graphs) {
    const Legend names = legend_of(g);
    wide = std::max(wide, 700 + names.width), high = std::max(high, names.height);
  }
  const std::size_t rows = (picture.graphs.size() + picture.columns - 1) / picture.columns;
  std::ostringstream out;
  out.precision(12);
  out << "set encoding utf8\nset terminal " << terminal
      << " noenhanced font 'sans,11' background '#ffffff' size " << wide * picture.columns << ','
      << high * rows + 40 << "\nset grid lc rgb '#dddddd' lt 1\nset multiplot layout " << rows << ','
      << picture.columns << " title " << quoted(picture.title) << '\n';
  std::size_t serial = 0;
  for (const Graph& g : picture.graphs) write_graph(out, g, serial);
  out << "unset multiplot\n";
  return out.str();
}

}  // namespace

std::vector<Curve> curves_of(const Json& rows, const Axis& axis, const std::string& x,
                             const std::string& time, const std::vector<std::string>& keys) {
  std::vector<Curve> curves;
  std::map<std::string, std::size_t> known;
  for (const Json& r : rows) {
    const std::string name = name_of(r, keys);
    const auto [found, is_new] = known.try_emplace(name, curves.size());
    if (is_new) curves.push_back({name, {}});
    const double y = r[time], at = r[x];
    const std::string words = name + (name.empty() ? "" : ", ") + r.value("algorithm", std::string()) +
                              (r.contains("algorithm") ? ", " : "") + axis.text(at) + ": " +
                              text::seconds(y) + " (" + text::seconds(r["low_s"]) + " to " +
                              text::seconds(r["high_s"]) + ")";
    const bool bytes = axis.scale == Axis::Scale::octaves;  // 0 bytes are shown as 1
    curves[found->second].points.push_back(
        {bytes ? std::max(1.0, at) : at, y, r["low_s"], r["high_s"], words});
  }
  for (Curve& c : curves) std::ranges::stable_sort(c.points, {}, &Curve::Point::x);
  return curves;
}

Axis size_axis() {
  return {"message", text::bytes, Axis::Scale::octaves, true};
}

Axis time_axis() {
  return {"time", text::seconds, Axis::Scale::decades};
}

namespace {

bool one_each(const Graph& graph) {
  return std::ranges::all_of(graph.curves, [](const Curve& c) { return c.points.size() == 1; });
}

/// Puts points of one size side by side that would stand over each other.
void spread(Graph& graph) {
  std::ranges::stable_sort(graph.curves, {}, [](const Curve& c) { return c.points[0].y; });
  graph.x = {graph.x.text(graph.curves[0].points[0].x) + ", the fastest first",
             [](double) { return std::string(); }};
  for (Curve& c : graph.curves) {
    graph.x.names.push_back(c.name);
    c.points[0].x = static_cast<double>(graph.x.names.size());
  }
}

}  // namespace

Graph time_graph(const Json& rows) {
  const bool by_ranks = values(rows, "message_bytes").size() < 2 && values(rows, "ranks").size() > 1;
  const std::string across = by_ranks ? "ranks" : "message_bytes";
  const Axis x = by_ranks ? Axis{"ranks", text::number, Axis::Scale::octaves, true} : size_axis();
  std::vector<std::string> keys = telling(rows, across);
  if (rows.size() > 1 && one_call_each(keys, rows, across)) keys = {"collective"};
  Graph graph{"", x, time_axis(), curves_of(rows, x, across, "time_s", keys)};
  if (graph.curves.size() > 1 && one_each(graph)) spread(graph);
  return graph;
}

Figure time_figure(const Json& rows) {
  Graph graph = time_graph(rows);
  const bool one_size = one_each(graph);
  graph.title = "Time by " + std::string(graph.x.title == "ranks" ? "ranks" : "message size");
  if (!one_size) return chart(graph);
  std::vector<Bar> all;
  for (const Curve& c : graph.curves) all.push_back({c.name, {c.points[0].y}});
  return bars("Time", {""}, all, text::seconds);
}

bool can_plot() {
  static const bool found = can_run({"gnuplot", "--version"});
  return found;
}

std::string plotted(const Picture& picture, const std::string& terminal) {
  ProcessResult ended = filter({"gnuplot", "-d", "-"}, script(picture, terminal));
  if (ended.code != 0) throw SubstrateError("gnuplot: " + complaint(ended.errors, ended.code));
  return std::move(ended.output);
}

void check_plot(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    throw InputError("--plot writes FILE.svg or FILE.png, not '" + path + "'");
  check_writable(path);
  if (!can_plot()) throw SubstrateError("--plot needs gnuplot (Debian: gnuplot-nox), which is not installed");
}

void write_plot(const std::string& path, const Picture& picture) {
  write_file(path, plotted(picture, path.ends_with(".png") ? "pngcairo" : "svg"));
}

}  // namespace collcast::report
