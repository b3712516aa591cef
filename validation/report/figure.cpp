// SPDX-License-Identifier: Apache-2.0
#include "validation/report/figure.hpp"

#include <filesystem>
#include <sstream>
#include <tuple>

#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/process/complaint.hpp"
#include "support/process/launch.hpp"

namespace collcast::report {
namespace {

namespace fs = std::filesystem;

using Panel = std::tuple<std::size_t, Collective, Rank, Rank>;     // folder, collective, ranks, jobs
using Curves = std::map<std::string, std::vector<const Result*>>;  // by algorithm

/// Told apart on white, by the colour-blind as well (after P. Tol).
constexpr const char* colors[] = {"#4477aa", "#ee6677", "#228833", "#aa7700",
                                  "#0099bb", "#aa3377", "#444444"};

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

/// A string of gnuplot's: between single quotes nothing is looked at but these; no line ends within.
std::string quoted(const std::string& words) {
  std::string out = "'";
  for (const char c : printable(words)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// gnuplot's inline data: bytes, measured, low, high, predicted.
void write_data(std::ostream& out, const std::string& name, const std::vector<const Result*>& curve,
                const std::string& engine) {
  out << name << " << EOD\n";
  for (const Result* r : curve) {
    const auto predicted = r->predicted_s.find(engine);
    out << std::max(1.0, r->point.call.message.value) << ' ' << r->measured_s * 1e3 << ' ' << r->low_s * 1e3
        << ' ' << r->high_s * 1e3 << ' ';
    if (predicted == r->predicted_s.end())
      out << "NaN\n";
    else
      out << predicted->second * 1e3 << '\n';
  }
  out << "EOD\n";
}

std::string script(const Results& results, const std::string& engine, const std::string& terminal) {
  const auto all = panels(results);
  const std::size_t columns = all.size() < 2 ? 1 : 2, rows = (all.size() + columns - 1) / columns;
  std::ostringstream out;
  out << "set encoding utf8\nset terminal " << terminal << " size " << 620 * columns << ',' << 400 * rows
      << "\nset multiplot layout " << rows << ',' << columns
      << "\nset logscale x 2\nset logscale y 10\nset xlabel 'message [B]'\nset ylabel 'time [ms]'\n"
         "set format x '2^{%L}'\nset format y '%g'\nset grid lc rgb '#dddddd'\nset key left top font ',9'\n";
  int line = 0;
  for (const char* color : colors) out << "set linetype " << ++line << " lc rgb '" << color << "'\n";
  out << "set linetype cycle " << line << '\n';
  int serial = 0;
  for (const auto& [panel, curves] : all) {
    std::string plot;
    int color = 0;
    for (const auto& [name, curve] : curves) {
      const std::string data = "$d" + std::to_string(serial++);
      write_data(out, data, curve, engine);
      const std::string look = std::to_string(++color);
      plot += (plot.empty() ? "plot " : ", ") + data + " using 1:5 with lines lt " + look + " notitle, " +
              data + " using 1:2:3:4 with yerrorbars lt " + look + " pt 7 ps 0.6 title " + quoted(name) +
              " noenhanced";
    }
    out << "set title " << quoted(title(panel, results)) << " noenhanced\n" << plot << '\n';
  }
  out << "unset multiplot\n";
  return out.str();
}

}  // namespace

bool can_draw() {
  static const bool found = can_run({"gnuplot", "--version"});
  return found;
}

std::string draw(const Results& results, const std::string& engine, const std::string& terminal) {
  Ended ended = filter({"gnuplot", "-d", "-"}, script(results, engine, terminal));
  if (ended.code != 0) throw SubstrateError("gnuplot: " + complaint(ended.errors, ended.code));
  return std::move(ended.output);
}

}  // namespace collcast::report
