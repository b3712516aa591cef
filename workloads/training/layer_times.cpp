// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/layer_times.hpp"

#include <sstream>

#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/suggest.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

constexpr const char* times_header = "layer,forward_ms,backward_ms";

Seconds milliseconds(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value < 0 || value > 1e12) throw InputError(what + " must be from 0 to 1e12 ms, got " + text);
  return Seconds(value / 1e3);
}

bool is_of(const Layer& layer, const std::string& name) {
  return layer.name == name || layer.name.starts_with(name + '.');
}

[[noreturn]] void reject_layer(const LayerTimes::Row& row, const Model& model) {
  std::vector<std::string> names;
  for (const Layer& l : model.layers) names.push_back(l.name);
  const std::string meant = did_you_mean(row.layer, names);
  throw InputError(row.where + ": " + model.name + " has no layer '" + row.layer + "'" +
                   (meant.empty() ? "" : "; " + meant) + "; `collcast models " + model.name +
                   "` lists its layers, and a.b stands for all of a.b.*");
}

}  // namespace

LayerTimes parse_layer_times(const std::string& csv, const std::string& file) {
  std::istringstream in(csv);
  std::string line;
  next_line(in, line);
  const bool samples = line == std::string(times_header) + ",samples";
  if (!samples && line != times_header)
    throw InputError(file + ":1: the header is " + times_header +
                     ", and ,samples behind it if you like, got '" + line + "'");
  const std::size_t columns = samples ? 4 : 3;
  LayerTimes times;
  for (int number = 2; next_line(in, line); ++number) {
    if (line.empty()) continue;
    const std::string where = file + ":" + std::to_string(number);
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != columns)
      throw InputError(where + ": " + std::to_string(cells.size()) + " cells in a table of " +
                       std::to_string(columns) + " columns");
    LayerTimes::Row row{cells[0], milliseconds(cells[1], where + ": forward_ms"),
                        milliseconds(cells[2], where + ": backward_ms"), 0, where};
    if (samples && !cells[3].empty()) row.samples = above_zero(cells[3], where + ": samples");
    times.rows.push_back(std::move(row));
  }
  if (times.rows.empty()) throw InputError(file + ": needs a line for each layer that was measured");
  return times;
}

std::vector<LayerFactor> layer_factors(const LayerTimes& times, const Model& model, double micro,
                                       const Processor& processor, Precision precision) {
  std::vector<LayerFactor> factors(model.layers.size());
  for (const LayerTimes::Row& row : times.rows) {
    LayerTime sum{};
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const Layer& l = model.layers[i];
      if (!is_of(l, row.layer)) continue;
      if (factors[i].measured) throw InputError(row.where + ": layer '" + l.name + "' has a time already");
      const LayerTime one = layer_time(l, row.samples > 0 ? row.samples : micro, 1, processor, precision);
      sum.forward += one.forward, sum.backward += one.backward;
      of.push_back(i);
    }
    if (of.empty()) reject_layer(row, model);
    const auto over = [&](Seconds measured, Seconds roofline) {
      if (roofline > Seconds()) return measured / roofline;
      if (measured > Seconds())
        throw InputError(row.where + ": '" + row.layer +
                         "' does nothing that would take time; its time is 0");
      return 1.0;
    };
    for (const std::size_t i : of)
      factors[i] = {over(row.forward, sum.forward), over(row.backward, sum.backward), true};
  }
  return factors;
}

}  // namespace collcast::workloads
