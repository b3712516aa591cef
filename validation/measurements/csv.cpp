// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <regex>

#include "model/ranges.hpp"
#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

using Row = std::vector<std::string>;

/// A row of a table, with its columns' names.
struct Record {
  const Text& text;
  int line;
  const Row& names;
  const Row& values;

  const std::string& at(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) text.reject(line, "the table has no column " + name);
    return values[static_cast<std::size_t>(found - names.begin())];
  }
  Printed time(const std::string& name) const { return positive(text, line, name, at(name)); }
};

Measurement common(const Record& row) {
  Measurement m;
  m.ranks = whole(row.text, row.line, "ranks", row.at("ranks"), 1);
  m.message = size(row.text, row.line, row.at("size_bytes"));
  m.line = row.line;
  return m;
}

void set_time(const Record& row, const std::string& column, Measurement& m) {
  const Printed time = row.time(column);
  m.time = Seconds(time.value * 1e-6);
  m.rounding = time.rounding();
}

/// dexhunter/allreduce-experiments: several runs of allreduce with an algorithm by name; nccl-tests has
/// device buffers, and NCCL_ALGO where its method is not "tree/auto". OSU's names had no
/// effect (docs/measurements.md).
void read_experiment(const Record& row, std::vector<Measurement>& all) {
  Measurement m = common(row);
  m.library = row.at("source");
  const bool nccl = m.library.starts_with("nccl"), automatic = row.at("method") == "tree/auto";
  if (nccl && !automatic) m.settings = "algo=" + row.at("method");
  m.mean_over_ranks = !nccl;
  m.from = m.to = nccl ? Memory::device : Memory::host;
  set_time(row, "time_us", m);
  all.push_back(m);
}

/// "ring_2_4_LL": msccl-tools' allreduce_ring.py with LL, four rings whose chunks are dealt to two channels
/// each. If the elements do not divide evenly into chunks, MSCCL leaves the call to NCCL.
void set_algorithm(const std::string& name, int elements, Measurement& m) {
  static const std::regex ring("ring_([0-9]{1,4})_([0-9]{1,4})_(LL|LL128|Simple)");
  std::smatch found;
  if (!std::regex_match(name, found, ring)) return void(m.algorithm = name);
  const int per_ring = std::stoi(found[1]), rings = std::stoi(found[2]);
  if (elements % (std::int64_t{m.ranks} * std::max(1, rings)) != 0) return;
  m.settings = "algo=Ring,proto=" + found[3].str() + ",channels=" + std::to_string(rings * per_ring);
}

/// msccl-tools' archived results. Out of place, NCCL's default ran; in place, the file's algorithm, if the
/// times of most sizes differ from the default's.
void read_msccl(const Record& row, std::vector<Measurement>& all) {
  Measurement m = common(row);
  m.collective = definition(std::string_view(row.at("collective"))).collective;
  m.library = "NCCL " + row.at("archive") + "/" + row.at("file");
  m.nodes = 1;
  m.from = m.to = Memory::device;
  set_time(row, "oop_time_us", m);
  all.push_back(m);
  m.in_place = true;
  const double differs =
      number(row.text, row.line, "frac_sizes_ip_differs", row.at("frac_sizes_ip_differs")).value;
  if (row.at("xml_loaded") == "1" && differs >= 0.5)
    set_algorithm(row.at("algo"), whole(row.text, row.line, "count", row.at("count"), 0), m);
  set_time(row, "ip_time_us", m);
  all.push_back(m);
}

struct Form {
  const char* first_columns;
  void (*read)(const Record&, std::vector<Measurement>&);
};
constexpr Form forms[] = {
    {"source,network,ranks,method,size_bytes,time_us", read_experiment},
    {"archive,collective,file,algo,ranks,", read_msccl},
};

const Form* form_of(const Line& line) {
  for (const Form& form : forms)
    if (line.text.starts_with(form.first_columns)) return &form;
  return nullptr;
}

}  // namespace

bool looks_like_csv(const Line& line) {
  return form_of(line) != nullptr;
}

std::vector<Measurement> read_csv(const Text& text, const FileFacts&) {
  const auto header = std::ranges::find_if(text.lines, looks_like_csv);
  const Form& form = *form_of(*header);
  const Row names = split(header->text, ',');
  std::vector<Measurement> all;
  for (auto line = header + 1; line != text.lines.end(); ++line) {
    if (line->text.empty()) continue;
    const Row values = split(line->text, ',');
    if (values.size() != names.size())
      text.reject(line->number,
                  std::to_string(values.size()) + " columns; the table has " + std::to_string(names.size()));
    form.read({text, line->number, names, values}, all);
  }
  return all;
}

}  // namespace collcast::measurements
