// SPDX-License-Identifier: Apache-2.0
#include "cli/validate_measurements.hpp"

#include <iostream>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/what_if.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "validation/accuracy/as_json.hpp"
#include "validation/accuracy/picture.hpp"
#include "validation/accuracy/study.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::cli {
namespace {

using accuracy::Comparison, accuracy::Point;

std::string percent(const Json& share) {
  return number(100 * share.get<double>()) + " %";
}

void print_bands(const Comparison& c) {
  std::vector<std::vector<std::string>> table{
      {"messages", "points", "mean", "mean factor", "geometric mean", "worst", "inside the interval"}};
  const auto line = [&](const std::string& name, const std::vector<const Point*>& points) {
    if (points.empty()) return;
    const Json s = accuracy::as_json(points);
    table.push_back({name, dump(s["points"]), percent(s["mean_absolute_error"]),
                     percent(s["geometric_mean_error"]), percent(s["geometric_mean_of_errors"]),
                     percent(s["worst"]), percent(s["inside_interval"])});
  };
  for (std::size_t b = 0; b < accuracy::bands().size(); ++b)
    line(accuracy::bands()[b].name, in_band(c.points, b));
  line("64 KiB and more", in_band(c.points, 1, true));
  line("all", in_band(c.points, 0, true));
  print_table(table);
}

void print_points(const Comparison& c) {
  std::vector<std::vector<std::string>> table{
      {"collective", "ranks", "message", "predicted as", "measured", "predicted", "error", "low", "high"}};
  for (const Json& r : accuracy::point_rows(c))
    table.push_back({r["collective"], dump(r["ranks"]), bytes(r["message_bytes"]), r["algorithm"],
                     seconds(r["measured_s"]), seconds(r["predicted_s"]), percent(r["error"]),
                     seconds(r["low_s"]), seconds(r["high_s"])});
  print_table(table);
  std::cout << '\n';
  print_bands(c);
}

void print_comparison(const MeasurementOptions& options, const Description& platform, const Comparison& c) {
  if (options.format == Format::csv) return print_csv(accuracy::point_rows(c));
  if (options.format == Format::table)
    print_points(c);
  else
    print_json(as_json(c, platform.name(), options.policy));
  for (const auto& [reason, count] : c.left_out)
    note(std::to_string(count) + " measurements are left out: " + reason);
  const auto together =
      std::ranges::count_if(c.points, [](const Point& p) { return p.measurement.gpus_a_thread > 1; });
  if (together > 0)
    note(std::to_string(together) +
         " measurements are of threads that launch several GPUs, one after the other (-g); a forecast is of "
         "one for each");
}

}  // namespace

int validate_measurements(const MeasurementOptions& options) {
  if (options.platform.empty()) throw InputError("--measurements takes a --platform");
  if (options.bound && *options.bound < 0) throw InputError("--bound must be 0 or more");
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  const std::vector<Measurement> all = read_tables(options.files).measured;
  progress("predicting " + count(static_cast<std::int64_t>(all.size())) + " measurements");
  const Comparison c = accuracy::compare(all, platform, options.policy);
  progress_end();
  require_points(c);
  std::vector<std::string> notes;
  if (std::string other = other_release(all, options.policy); !other.empty())
    notes.push_back(std::move(other));
  report::Picture drawn = accuracy::picture(c);
  drawn.title = "measured and predicted on " + platform.name();
  plot(options.plot, std::move(drawn), notes);
  print_comparison(options, platform, c);
  append(notes,
         without_effect(accuracy::point_rows(c), options.set, [&](const std::vector<std::string>& set) {
           Description other = load_platform(options.platform);
           set_all(other, set);
           return accuracy::point_rows(accuracy::compare(all, other, options.policy));
         }));
  for (const std::string& words : notes) note(words);
  const double error = accuracy::errors(in_band(c.points, 0, true)).mean_factor;
  if (!options.bound || error <= *options.bound) return 0;
  note("the mean factor over all points is " + number(100 * error) + " %, above the " +
       number(100 * *options.bound) + " % of --bound");
  return 1;
}

int validate_studies(const MeasurementOptions& options) {
  if (options.data.empty()) throw InputError("--studies takes the folder of the tables: --data DIR");
  progress("predicting the tables of " + options.studies);
  const std::string text = accuracy::report(accuracy::read_studies(options.studies), options.data);
  progress_end();
  std::cout << text;
  return 0;
}

}  // namespace collcast::cli
