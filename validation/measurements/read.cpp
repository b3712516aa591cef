// SPDX-License-Identifier: Apache-2.0
#include "validation/measurements/read.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>

#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/text.hpp"
#include "validation/measurements/formats.hpp"

namespace collcast {
namespace {

using namespace measurements;

struct Format {
  bool (*looks_like)(const Line&);
  std::vector<Measurement> (*read)(const Text&, const FileFacts&);
};

constexpr Format formats[] = {
    {looks_like_json_lines, read_json_lines}, {looks_like_csv, read_csv}, {looks_like_osu, read_osu},
    {looks_like_nccl_tests, read_nccl_tests}, {looks_like_p2p, read_p2p},
};

const Format* format_of(const Text& text) {
  for (const Line& line : text.lines)
    for (const Format& format : formats)
      if (format.looks_like(line)) return &format;
  return nullptr;
}

void set_count(int& count, const std::string& file, const std::string& key, const std::string& value) {
  try {
    std::size_t end = 0;
    count = std::stoi(value, &end);
    if (end == value.size() && count > 0) return;
  } catch (const std::logic_error&) {
  }
  throw InputError(file + ": " + key + "=" + value + ": expected a whole number above 0");
}

void set_buffers(FileFacts& known, const std::string& file, const std::string& value) {
  const std::size_t dash = value.find('-');
  const std::string ends[] = {value.substr(0, dash),
                              dash == std::string::npos ? value : value.substr(dash + 1)};
  std::optional<Memory>* const memories[] = {&known.from, &known.to};
  for (int i = 0; i < 2; ++i) {
    *memories[i] = memory_named(ends[i]);
    if (!*memories[i])
      throw InputError(file + ": buffers=" + value + ": expected host, device, host-device or device-host");
  }
}

void set_known(FileFacts& known, const std::string& file, const std::string& key, const std::string& value) {
  if (key == "ranks")
    set_count(known.ranks, file, key, value);
  else if (key == "nodes")
    set_count(known.nodes, file, key, value);
  else if (key == "sockets")
    set_count(known.sockets, file, key, value);
  else if (key == "pairs")
    set_count(known.pairs, file, key, value);
  else if (key == "buffers")
    set_buffers(known, file, value);
  else if (key == "collective")
    known.collective = definition(std::string_view(value)).collective;
  else if (key == "algorithm")
    known.algorithm = value;
  else if (key == "library")
    known.library = value;
  else
    throw InputError(
        file + ": " + key +
        "= is unknown; expected ranks, nodes, sockets, pairs, buffers, collective, algorithm or library");
}

/// Throws InputError if the table contradicts a fact, or measures something that the fact does not apply to.
void check_said(const Measurement& m, const FileFacts& said) {
  const auto require = [&](const char* key, const std::string& table, const std::string& name) {
    if (table != name)
      throw InputError(m.source() + ": the table says " + key + "=" + table + ", not " + name);
  };
  const auto count = [&](const char* key, int table, int name) {
    if (name != 0) require(key, std::to_string(table), std::to_string(name));
  };
  const auto memory = [](const std::optional<Memory>& m) { return name(m.value_or(Memory::device)); };
  const auto buffers = [&](const auto& facts) {
    return std::string(memory(facts.from)) +
           (facts.from == facts.to ? "" : "-" + std::string(memory(facts.to)));
  };
  count("ranks", m.ranks, said.ranks);
  count("nodes", m.nodes, said.nodes);
  count("pairs", m.pairs, said.pairs);
  if (said.from) require("buffers", buffers(m), buffers(said));
  if (said.collective) require("collective", operation(m), std::string(definition(*said.collective).name));
}

std::string date_of(const std::string& file) {
  using namespace std::chrono;
  const auto written = file_clock::to_sys(std::filesystem::last_write_time(file));
  const year_month_day day(floor<days>(written));
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace

MeasurementFile parse_measurement_file(const std::string& text, const FileFacts& more) {
  MeasurementFile file{text, more};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.find('=', colon) == std::string::npos) return file;
  file.path = text.substr(0, colon);
  std::istringstream known(text.substr(colon + 1));
  for (std::string item; std::getline(known, item, ',');) {
    const std::size_t equals = item.find('=');
    for (FileFacts* facts : {&file.known, &file.said})
      set_known(*facts, file.path, item.substr(0, equals),
                equals == std::string::npos ? "" : item.substr(equals + 1));
  }
  return file;
}

std::vector<Measurement> read_measurements(const MeasurementFile& file) {
  std::vector<Measurement> all = parse_measurements(read_file(file.path), file.path, file.known);
  for (const Measurement& m : all) check_said(m, file.said);
  return all;
}

std::string DatedTables::source() const {
  return "fitted: " + text::join(dates, ", ", [](const auto& table) {
           return std::filesystem::path(table.first).filename().string() + " (" + table.second + ")";
         });
}

DatedTables read_tables(const std::vector<std::string>& files, const FileFacts& more) {
  DatedTables tables;
  std::set<std::string> seen;
  for (const std::string& text : files) {
    const MeasurementFile file = parse_measurement_file(text, more);
    const std::string facts = text.substr(file.path.size());
    if (!seen.insert(std::filesystem::weakly_canonical(file.path).string() + facts).second)
      throw InputError(text + ": is named twice");
    for (Measurement& m : read_measurements(file)) tables.measured.push_back(std::move(m));
    tables.dates[file.path] = date_of(file.path);
  }
  return tables;
}

std::vector<Measurement> parse_measurements(const std::string& content, const std::string& file,
                                            const FileFacts& known) {
  const Text text(file, content);
  const Format* format = format_of(text);
  if (format == nullptr)
    refuse_other_kinds(file, content, "a table of measurements, as docs/measurements.md lists");
  if (format == nullptr)
    throw InputError(file +
                     ": no table found; OSU micro-benchmarks, nccl-tests, p2pBandwidthLatencyTest, JSON "
                     "lines and the CSV forms of docs/measurements.md are read");
  std::vector<Measurement> all = format->read(text, known);
  std::erase_if(all, [&](const Measurement& m) { return !m.library.starts_with(known.library); });
  if (all.empty())
    throw InputError(file + ": the table has no rows" +
                     (known.library.empty() ? "" : " of the library " + known.library));
  for (Measurement& m : all) {
    m.file = file;
    m.sockets = known.sockets;
    if (m.nodes == 0) m.nodes = known.nodes;
    if (!m.from) m.from = known.from, m.to = known.to;
    if (!known.algorithm.empty()) m.algorithm = known.algorithm;
  }
  return all;
}

}  // namespace collcast
