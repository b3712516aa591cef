// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <sstream>

#include "model/ranges.hpp"
#include "model/units.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"
#include "workloads/models/model.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

constexpr std::array<std::string_view, 8> columns = {
    "name", "kind", "flops", "backward_flops", "in_elements", "out_elements", "kept_elements", "parameters"};
constexpr std::array<std::string_view, 4> cut_words = {"whole", "split", "enter", "leave"};
constexpr std::array<std::string_view, 3> route_words = {"stay", "dispatch", "combine"};
constexpr const char* any_sample = "sample";

/// One line of a table: its cells by column, and its place for errors.
struct Line {
  const std::map<std::string_view, std::size_t>& places;
  std::vector<std::string> cells;
  std::string where;

  const std::string& cell(std::string_view column) const { return cells[places.at(column)]; }
  bool has(std::string_view column) const { return places.contains(column) && !cell(column).empty(); }
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

  void put(double& value, std::string_view column) const { value = number(column); }
  void put(int& value, std::string_view column) const {
    constexpr int most = 1 << 24;
    value = static_cast<int>(parse_count(cell(column), where + ": " + std::string(column), 0, most));
  }
  void put(bool& value, std::string_view column) const {
    constexpr std::array<std::string_view, 2> words = {"0", "1"};
    value = place(words, column) == 1;
  }
  void put(Layer::Cut& value, std::string_view column) const {
    value = static_cast<Layer::Cut>(place(cut_words, column));
  }
  void put(Layer::Route& value, std::string_view column) const {
    value = static_cast<Layer::Route>(place(route_words, column));
  }
  void put(std::string& value, std::string_view column) const { value = cell(column); }

  /// The place of the cell's word among `words`.
  std::size_t place(std::span<const std::string_view> words, std::string_view column) const {
    std::string known;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == cell(column)) return i;
      known += (i ? ", " : "") + std::string(words[i]);
    }
    throw InputError(where + ": unknown " + std::string(column) + " '" + cell(column) + "'; known: " + known);
  }
};

// The cells of optional columns; empty for the default.
std::string spare_text(double value) {
  return value == 0 ? "" : text::exact(value);
}
std::string spare_text(int value) {
  return value == 0 ? "" : std::to_string(value);
}
std::string spare_text(bool value) {
  return value ? "1" : "";
}
std::string spare_text(Layer::Cut value) {
  return value == Layer::Cut::whole ? "" : std::string(cut_words[static_cast<std::size_t>(value)]);
}
std::string spare_text(Layer::Route value) {
  return value == Layer::Route::stay ? "" : std::string(route_words[static_cast<std::size_t>(value)]);
}
std::string spare_text(const std::string& value) {
  return value == any_sample ? "" : value;
}

/// An optional column. Tables may lack it, and may leave its cells empty.
struct SpareColumn {
  std::string_view name;
  void (*read)(const Line& line, std::string_view column, Model& model);  ///< sets the last layer's value
  std::string (*write)(const Model& model, const Layer& layer);
};
template <auto field>
SpareColumn of_layer(std::string_view name) {
  return {
      name,
      [](const Line& line, std::string_view column, Model& m) { line.put(m.layers.back().*field, column); },
      [](const Model&, const Layer& l) { return spare_text(l.*field); }};
}
/// A value of the whole model, which is on the first line.
template <auto field>
SpareColumn of_model(std::string_view name) {
  return {name,
          [](const Line& line, std::string_view column, Model& m) {
            if (m.layers.size() > 1)
              throw InputError(line.where + ": " + std::string(column) +
                               " is the model's: it stands on the first line");
            line.put(m.*field, column);
          },
          [](const Model& m, const Layer& l) {
            return &l == &m.layers.front() ? spare_text(m.*field) : std::string();
          }};
}

/// Reads a block's number, from 0 on.
void read_block(const Line& line, std::string_view column, Model& m) {
  Layer& l = m.layers.back();
  line.put(l.block, column);
  if (l.block != m.blocks && l.block + 1 != m.blocks)
    throw InputError(line.where + ": block " + line.cell(column) + " is neither the last one nor the next, " +
                     std::to_string(m.blocks));
  m.blocks = l.block + 1;
}
std::string block_of(const Model&, const Layer& l) {
  return l.block < 0 ? "" : std::to_string(l.block);
}

void read_experts(const Line& line, std::string_view column, Model& m) {
  Layer& l = m.layers.back();
  line.put(l.experts, column);
  if (l.experts == 0) return;
  if (m.experts > 0 && m.experts != l.experts)
    throw InputError(line.where + ": " + line.cell(column) + " experts, where other layers have " +
                     std::to_string(m.experts));
  if (l.tensors.size() % static_cast<std::size_t>(l.experts) != 0)
    throw InputError(line.where + ": " + std::to_string(l.tensors.size()) +
                     " tensors cannot be shared out among " + line.cell(column) + " experts");
  m.experts = l.experts;
}

/// Reads names of layers before this one, joined by +.
void read_reads(const Line& line, std::string_view column, Model& m) {
  for (const std::string& name : split(line.cell(column), '+')) {
    std::size_t at = m.layers.size() - 1;
    while (at > 0 && m.layers[at - 1].name != name) --at;
    if (at == 0) throw InputError(line.where + ": reads '" + name + "', which is no layer before");
    m.layers.back().reads.push_back(at - 1);
  }
}
std::string names_read(const Model& m, const Layer& l) {
  return text::join(l.reads, "+", [&](std::size_t read) { return m.layers[read].name; });
}

const std::vector<SpareColumn>& spare_columns() {
  static const std::vector<SpareColumn> all = {
      of_model<&Model::sample>("sample"),
      of_model<&Model::sample_bytes>("sample_bytes"),
      of_model<&Model::height>("image_rows"),
      of_model<&Model::heads>("heads"),
      of_model<&Model::kv_heads>("kv_heads"),
      of_model<&Model::tied>("tied_parameters"),
      {"block", read_block, block_of},
      of_layer<&Layer::cut>("cut"),
      of_layer<&Layer::parts>("parts"),
      of_layer<&Layer::core>("core"),
      of_layer<&Layer::head>("head_elements"),
      of_layer<&Layer::logits>("logits"),
      {"experts", read_experts, [](const Model&, const Layer& l) { return spare_text(l.experts); }},
      of_layer<&Layer::route>("route"),
      of_layer<&Layer::image>("image"),
      of_layer<&Layer::halo>("halo_elements"),
      {"reads", read_reads, names_read},
  };
  return all;
}

std::map<std::string_view, std::size_t> find_columns(const std::string& header, const std::string& file) {
  std::map<std::string_view, std::size_t> places;
  const std::vector<std::string> names = split(header, ',');
  for (const std::string_view column : columns) {
    const auto at = std::find(names.begin(), names.end(), column);
    if (at == names.end())
      throw InputError(file + ":1: column '" + std::string(column) + "' is missing; the header is " +
                       text::join(columns, ","));
    places[column] = static_cast<std::size_t>(at - names.begin());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(columns.begin(), columns.end(), names[i]) != columns.end()) continue;
    const auto spare = std::ranges::find(spare_columns(), names[i], &SpareColumn::name);
    if (spare == spare_columns().end()) throw InputError(file + ":1: unknown column '" + names[i] + "'");
    places[spare->name] = i;
  }
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

void add_layer(const Line& line, Model& m) {
  m.layers.push_back(layer(line));
  for (const SpareColumn& c : spare_columns())
    if (line.has(c.name)) c.read(line, c.name, m);
  if (const Layer& l = m.layers.back(); l.head > 0 && l.flops * l.out == 0)
    throw InputError(line.where + ": head_elements needs flops and out_elements");
}

}  // namespace

Model parse_model(const std::string& csv, const std::string& name, const std::string& file) {
  std::stringstream in(csv);
  std::string text;
  next_line(in, text);
  const auto places = find_columns(text, file);
  Model model;
  model.name = name;
  model.sample = any_sample;
  model.source = file;
  for (int number = 2; next_line(in, text); ++number) {
    if (text.empty()) continue;
    const Line line{places, split(text, ','), file + ":" + std::to_string(number)};
    if (line.cells.size() != places.size())
      throw InputError(line.where + ": " + std::to_string(line.cells.size()) + " cells in a table of " +
                       std::to_string(places.size()) + " columns");
    add_layer(line, model);
  }
  if (model.layers.empty()) throw InputError(file + ": a model needs a layer");
  if (model.parameters() == 0) throw InputError(file + ": a model needs parameters to train");
  if (model.kv_heads == 0) model.kv_heads = model.heads;
  return model;
}

std::string model_csv(const Model& model) {
  std::vector<SpareColumn> used;
  for (const SpareColumn& c : spare_columns())
    if (std::ranges::any_of(model.layers, [&](const Layer& l) { return !c.write(model, l).empty(); }))
      used.push_back(c);
  std::ostringstream out;
  for (std::size_t c = 0; c < columns.size(); ++c) out << (c ? "," : "") << columns[c];
  for (const SpareColumn& c : used) out << ',' << c.name;
  out << '\n';
  for (const Layer& l : model.layers) {
    out << l.name << ',' << name(l.kind);
    for (const double value : {l.flops, l.backward_flops, l.in, l.out, l.kept})
      out << ',' << text::exact(value);
    out << ',';
    if (l.tensors.empty()) out << 0;
    for (std::size_t t = 0; t < l.tensors.size(); ++t) out << (t ? "+" : "") << text::exact(l.tensors[t]);
    for (const SpareColumn& c : used) out << ',' << c.write(model, l);
    out << '\n';
  }
  return out.str();
}

}  // namespace collcast::workloads
