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

/// Which of these keys tell the rows apart.
std::vector<std::string> telling(const Json& rows) {
  std::vector<std::string> keys;
  for (const std::string key : {"platform", "collective", "ranks"}) {
    std::set<std::string> values;
    for (const Json& r : rows) values.insert(dump(r[key]));
    if (values.size() > 1) keys.push_back(key);
  }
  std::set<std::tuple<std::string, std::string, std::string, std::string>> calls;
  for (const Json& r : rows)
    calls.insert({dump(r["platform"]), dump(r["collective"]), dump(r["ranks"]), dump(r["message_bytes"])});
  if (calls.size() < rows.size() || keys.empty()) keys.push_back("algorithm");
  return keys;
}

std::string name_of(const Json& row, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    const Json& value = row[key];
    name += (name.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : dump(value));
    if (key == "ranks") name += " ranks";
  }
  return name;
}

/// Without another choice to tell apart, a curve may change its algorithm from size to size.
bool one_call_per_size(const std::vector<std::string>& keys, const Json& rows) {
  std::set<std::string> sizes;
  for (const Json& r : rows) sizes.insert(dump(r["message_bytes"]));
  return keys == std::vector<std::string>{"algorithm"} && sizes.size() == rows.size();
}

}  // namespace

std::vector<Curve> time_curves(const Json& rows) {
  std::vector<std::string> keys = telling(rows);
  if (rows.size() > 1 && one_call_per_size(keys, rows)) keys = {"collective"};
  std::vector<Curve> curves;
  for (const Json& r : rows) {
    const std::string name = name_of(r, keys);
    auto found = std::ranges::find(curves, name, &Curve::name);
    if (found == curves.end()) found = curves.insert(curves.end(), {name, {}});
    const double time = r["time_s"], bytes = r["message_bytes"];
    found->points.push_back({bytes, time, r["low_s"], r["high_s"],
                             name + ", " + r["algorithm"].get<std::string>() + ", " + text::bytes(bytes) +
                                 ": " + text::seconds(time) + " (" + text::seconds(r["low_s"]) + " to " +
                                 text::seconds(r["high_s"]) + ")"});
  }
  for (Curve& c : curves) std::ranges::stable_sort(c.points, {}, &Curve::Point::x);
  return curves;
}

Figure time_figure(const Json& rows) {
  const std::vector<Curve> curves = time_curves(rows);
  const bool one_size = std::ranges::all_of(curves, [](const Curve& c) { return c.points.size() == 1; });
  if (!one_size)
    return chart("Time by message size", {"message", text::bytes, Axis::Scale::octaves},
                 {"time", text::seconds, Axis::Scale::decades}, curves);
  std::vector<Bar> all;
  for (const Curve& c : curves) all.push_back({c.name, {c.points[0].y}});
  return bars("Time", {""}, all, text::seconds);
}

bool can_plot() {
  static const bool found = can_run({"gnuplot", "--version"});
  return found;
}

std::string plotted(const std::string& script) {
  Ended ended = filter({"gnuplot", "-d", "-"}, script);
  if (ended.code != 0) throw SubstrateError("gnuplot: " + complaint(ended.errors, ended.code));
  return std::move(ended.output);
}

std::string plot_quoted(const std::string& words) {
  std::string out = "'";
  for (const char c : printable(words)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string plot_size_axis(double least, double most) {
  const double first = std::floor(std::log2(std::max(least, 1.0))),
               last = std::ceil(std::log2(std::max(most, 2.0)));
  const double step = std::max(1.0, std::ceil((last - first) / 8));
  std::string tics;
  for (double t = std::ceil(first / step) * step; t <= last; t += step)
    tics += (tics.empty() ? "" : ", ") + plot_quoted(text::bytes(std::exp2(t))) + " " +
            std::to_string(std::exp2(t));
  return "set logscale x 2\nset xlabel 'message'\nset xtics (" + tics + ")\n";
}

std::string plot_colors() {
  std::string text;
  int line = 0;
  for (const char* color : {"#4477aa", "#ee6677", "#228833", "#aa7700", "#0099bb", "#aa3377", "#444444"})
    text += "set linetype " + std::to_string(++line) + " lc rgb '" + color + "'\n";
  return text + "set linetype cycle " + std::to_string(line) + '\n';
}

void check_plot(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    throw InputError("--plot writes FILE.svg or FILE.png, not '" + path + "'");
  OutputFile writable(path);
  if (!can_plot()) throw SubstrateError("--plot needs gnuplot (Debian: gnuplot-nox), which is not installed");
}

void write_plot(const std::string& path, const std::string& title, const std::vector<Curve>& curves) {
  std::ostringstream out;
  out.precision(12);
  double least = HUGE_VAL, most = 1;
  std::string plot;
  std::ostringstream data;
  data.precision(12);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string name = "$d" + std::to_string(i), look = std::to_string(i + 1);
    data << name << " << EOD\n";
    for (const Curve::Point& p : curves[i].points) {
      const double x = std::max(1.0, p.x);
      least = std::min(least, x), most = std::max(most, x);
      data << x << ' ' << p.y * 1e3 << ' ' << p.low * 1e3 << ' ' << p.high * 1e3 << '\n';
    }
    data << "EOD\n";
    plot += (i ? ", " : "plot ") + name + " using 1:2 with lines lt " + look + " notitle, " + name +
            " using 1:2:3:4 with yerrorbars lt " + look + " pt 7 ps 0.6 title " +
            plot_quoted(curves[i].name) + " noenhanced";
  }
  out << "set encoding utf8\nset terminal " << (path.ends_with(".png") ? "pngcairo" : "svg")
      << " size 820,520\n"
      << plot_colors() << plot_size_axis(least, most)
      << "set logscale y 10\nset ylabel 'time [ms]'\nset format y '%g'\nset grid lc rgb '#dddddd'\n"
         "set key left top font ',9'\nset title "
      << plot_quoted(title) << " noenhanced\n"
      << data.str() << plot << '\n';
  write_file(path, plotted(out.str()));
}

}  // namespace collcast::report
