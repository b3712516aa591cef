// SPDX-License-Identifier: Apache-2.0
#include "validation/report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "forecast/report/plot.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

namespace fs = std::filesystem;

using Panel = std::tuple<std::size_t, Collective, Rank, Rank>;     // folder, collective, ranks, jobs
using Curves = std::map<std::string, std::vector<const Result*>>;  // by algorithm

std::map<Panel, Curves> panels(const Results& results) {
  std::map<Panel, Curves> all;
  for (const Result& r : results.all)
    all[{r.folder, r.point.collective, r.point.ranks(), r.point.jobs}][algorithm_label(r.point)].push_back(
        &r);
  return all;
}

std::string title(const Panel& panel, const Results& results) {
  const auto& [folder, collective, ranks, jobs] = panel;
  std::string text = std::string(definition(collective).name) + ", " + std::to_string(ranks) + " ranks";
  if (jobs > 1) text += " in " + std::to_string(jobs) + " jobs";
  if (results.folders.size() > 1) text += " (" + fs::path(results.folders[folder]).filename().string() + ")";
  return text;
}

double bytes_of(const Result& r) {
  return std::max(1.0, r.point.call.message.value);
}

/// gnuplot's inline data: bytes, measured, low, high, predicted; then the last three over what was measured.
void write_data(std::ostream& out, const std::string& name, const std::vector<const Result*>& curve,
                const std::string& engine) {
  out << name << " << EOD\n";
  for (const Result* r : curve) {
    const auto found = r->predicted_s.find(engine);
    const double predicted = found == r->predicted_s.end() ? std::nan("") : found->second;
    const auto number = [](double v) {
      std::ostringstream text;
      text.precision(9);
      text << v;
      return std::isfinite(v) ? text.str() : std::string("NaN");
    };
    out << bytes_of(*r) << ' ' << number(r->measured_s * 1e3) << ' ' << number(r->low_s * 1e3) << ' '
        << number(r->high_s * 1e3) << ' ' << number(predicted * 1e3) << ' '
        << number(predicted / r->measured_s) << ' ' << number(predicted / r->high_s) << ' '
        << number(predicted / r->low_s) << '\n';
  }
  out << "EOD\n";
}

/// The times of a panel, and below them the ratios.
void write_panel(std::ostream& out, const std::string& heading, const Curves& curves,
                 const std::string& engine, int& serial) {
  std::string times, ratios;
  int color = 0;
  double least = HUGE_VAL, most = 1;
  for (const auto& [name, curve] : curves) {
    const std::string data = "$d" + std::to_string(serial++), look = std::to_string(++color);
    write_data(out, data, curve, engine);
    for (const Result* r : curve) least = std::min(least, bytes_of(*r)), most = std::max(most, bytes_of(*r));
    times += (times.empty() ? "plot " : ", ") + data + " using 1:5 with lines lt " + look + " notitle, " +
             data + " using 1:2:3:4 with yerrorbars lt " + look + " pt 7 ps 0.6 title " + plot_quoted(name) +
             " noenhanced";
    ratios += (ratios.empty() ? "plot 1 lc rgb '#888888' notitle, " : ", ") + data +
              " using 1:6:7:8 with yerrorlines lt " + look + " pt 7 ps 0.6 notitle";
  }
  out << plot_size_axis(least, most) << "set logscale y 10\nset ylabel 'time [ms]'\nset title "
      << plot_quoted(heading) << " noenhanced\n"
      << times << "\nunset logscale y\nset ylabel 'predicted / measured'\nset title\n"
      << ratios << '\n';
}

std::string script(const Results& results, const std::string& engine, const std::string& terminal) {
  const auto all = panels(results);
  const std::size_t columns = all.size() < 2 ? 1 : 2, rows = (all.size() + columns - 1) / columns;
  std::ostringstream out;
  out << "set encoding utf8\nset terminal " << terminal << " size " << 620 * columns << ',' << 640 * rows
      << "\nset multiplot layout " << 2 * rows << ',' << columns << " columnsfirst\n"
      << "set format y '%g'\nset grid lc rgb '#dddddd'\nset key left top font ',9'\n"
      << plot_colors();
  int serial = 0;
  for (const auto& [panel, curves] : all) write_panel(out, title(panel, results), curves, engine, serial);
  out << "unset multiplot\n";
  return out.str();
}

}  // namespace

std::vector<Figure> figures(const Results& results, const std::string& engine) {
  const Axis size{"message", text::bytes, Axis::Scale::octaves};
  std::vector<Figure> all;
  for (const auto& [panel, curves] : panels(results)) {
    std::vector<Curve> times, ratios;
    for (const auto& [name, points] : curves) {
      Curve measured{name + ", measured", {}, false}, predicted{name + ", predicted", {}}, ratio{name, {}};
      for (const Result* r : points) {
        const double x = bytes_of(*r);
        measured.points.push_back({x, r->measured_s, r->low_s, r->high_s});
        const auto found = r->predicted_s.find(engine);
        if (found == r->predicted_s.end()) continue;
        const double p = found->second;
        predicted.points.push_back({x, p, p, p});
        ratio.points.push_back({x, p / r->measured_s, p / r->high_s, p / r->low_s});
      }
      times.push_back(std::move(measured));
      if (predicted.points.empty()) continue;
      times.push_back(std::move(predicted));
      ratios.push_back(std::move(ratio));
    }
    const std::string heading = title(panel, results);
    all.push_back(chart(heading + ": times", size, {"time", text::seconds, Axis::Scale::decades}, times));
    if (!ratios.empty())
      all.push_back(
          chart(heading + ": predicted over measured", size, {"predicted / measured", text::number}, ratios));
  }
  return all;
}

std::string draw(const Results& results, const std::string& engine, const std::string& terminal) {
  return plotted(script(results, engine, terminal));
}

}  // namespace collcast::report
