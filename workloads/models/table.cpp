// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>

#include "model/units.hpp"
#include "support/error.hpp"
#include "workloads/models/model.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

constexpr std::array<std::string_view, 8> columns = {
    "name", "kind", "flops", "backward_flops", "in_elements", "out_elements", "kept_elements", "parameters"};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  if (text.empty() || text.back() == separator) parts.emplace_back();
  return parts;
}

/// One line of a table: its cells by column, and where it stands.
struct Line {
  const std::map<std::string_view, std::size_t>& places;
  std::vector<std::string> cells;
  std::string where;

  const std::string& cell(std::string_view column) const { return cells[places.at(column)]; }
  double number(std::string_view column) const { return number(cell(column), column); }
  double number(const std::string& text, std::string_view column) const {
    const double value = parse_real(text, where + ": " + std::string(column));
    if (value < 0) throw InputError(where + ": " + std::string(column) + " is negative: " + text);
    if (value > 1e18) throw InputError(where + ": " + std::string(column) + " is above 1e18: " + text);
    return value;
  }
  std::vector<double> tensors() const {
    std::vector<double> sizes;
    for (const std::string& part : split(cell("parameters"), '+'))
      if (const double n = number(part, "parameters"); n > 0) sizes.push_back(n);
    return sizes;
  }
};

std::map<std::string_view, std::size_t> find_columns(const std::string& header, const std::string& file) {
  std::map<std::string_view, std::size_t> places;
  const std::vector<std::string> names = split(header, ',');
  for (const std::string_view column : columns) {
    const auto at = std::find(names.begin(), names.end(), column);
    if (at == names.end()) {
      std::string all;
      for (const std::string_view c : columns) all += (all.empty() ? "" : ",") + std::string(c);
      throw InputError(file + ":1: column '" + std::string(column) + "' is missing; the header is " + all);
    }
    places[column] = static_cast<std::size_t>(at - names.begin());
  }
  for (const std::string& name : names)
    if (std::find(columns.begin(), columns.end(), name) == columns.end())
      throw InputError(file + ":1: unknown column '" + name + "'");
  return places;
}

Layer layer(const Line& line) {
  Layer l;
  l.name = line.cell("name");
  try {
    l.kind = layer_kind(line.cell("kind"));
  } catch (const InputError& e) {
    throw InputError(line.where + ": " + e.what());
  }
  l.flops = line.number("flops");
  l.backward_flops = line.number("backward_flops");
  l.in = line.number("in_elements");
  l.out = line.number("out_elements");
  l.kept = line.number("kept_elements");
  l.tensors = line.tensors();
  return l;
}

/// Exact: what is read back is what was written.
void write(std::ostream& out, double value) {
  out.precision(17);
  out << value;
}

}  // namespace

Model parse_model(const std::string& csv, const std::string& name, const std::string& file) {
  std::stringstream in(csv);
  std::string text;
  std::getline(in, text);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  const auto places = find_columns(text, file);
  Model model;
  model.name = name;
  model.sample = "sample";
  model.source = file;
  for (int number = 2; std::getline(in, text); ++number) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty()) continue;
    const Line line{places, split(text, ','), file + ":" + std::to_string(number)};
    if (line.cells.size() != places.size())
      throw InputError(line.where + ": " + std::to_string(line.cells.size()) + " cells in a table of " +
                       std::to_string(places.size()) + " columns");
    model.layers.push_back(layer(line));
  }
  if (model.layers.empty()) throw InputError(file + ": a model needs a layer");
  if (model.parameters() == 0) throw InputError(file + ": a model needs parameters to train");
  return model;
}

std::string model_csv(const Model& model) {
  std::ostringstream out;
  for (std::size_t c = 0; c < columns.size(); ++c) out << (c ? "," : "") << columns[c];
  out << '\n';
  for (const Layer& l : model.layers) {
    out << l.name << ',' << name(l.kind);
    for (const double value : {l.flops, l.backward_flops, l.in, l.out, l.kept}) out << ',', write(out, value);
    out << ',';
    if (l.tensors.empty()) out << 0;
    for (std::size_t t = 0; t < l.tensors.size(); ++t) out << (t ? "+" : ""), write(out, l.tensors[t]);
    out << '\n';
  }
  return out.str();
}

}  // namespace collcast::workloads
