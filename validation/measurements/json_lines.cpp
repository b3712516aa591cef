// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "algorithms/exchange/point/point.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/json.hpp"
#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

/// One measurement of the file, as JSON.
struct Entry {
  const Text& text;
  int line;
  Json object;

  [[noreturn]] void reject(const std::string& reason) const { text.reject(line, reason); }
  bool has(const char* key) const { return object.contains(key) && !object[key].is_null(); }

  double real(const char* key) const {
    if (!has(key)) reject(std::string("the key ") + key + " is missing");
    if (!object[key].is_number()) reject(std::string(key) + " is not a number");
    return object[key].get<double>();
  }
  int count(const char* key, int otherwise, int least = 1) const {
    if (!has(key)) return otherwise;
    const double value = real(key);
    if (value != std::floor(value) || value < least || value > 1e9)
      reject(std::string(key) + " is not a whole number" + (least == 1 ? " above 0" : " of 0 or more"));
    return static_cast<int>(value);
  }
  std::string word(const char* key, const std::string& otherwise = "") const {
    if (!has(key)) return otherwise;
    if (!object[key].is_string()) reject(std::string(key) + " is not a string");
    return object[key].get<std::string>();
  }
};

/// The object of each line, or the `measurements` of `document` if the file is a single document.
std::vector<Entry> entries(const Text& text, const std::string& whole, const Json& document) {
  std::vector<Entry> all;
  if (document.is_object() && document.contains("measurements") && document["measurements"].is_array()) {
    for (const Json& object : document["measurements"]) all.push_back({text, 1, object});
  } else {
    for (const Line& line : text.lines)
      if (!line.text.empty()) all.push_back({text, line.number, parse_json(line.text)});
  }
  for (const Entry& entry : all)
    if (!entry.object.is_object() || !entry.object.contains("collective")) {
      refuse_other_kinds(text.file, whole, "a table of measurements, as docs/measurements.md lists");
      if (!entry.object.is_object()) entry.reject("not a JSON object");
    }
  return all;
}

void read_operation(const Entry& entry, Measurement& m) {
  const std::string name = entry.word("collective");
  if (name.empty())
    entry.reject(
        "the key collective is missing: a collective, latency, bandwidth, both-ways bandwidth, "
        "fan-out, fan-in or exchange");
  for (const Timing timing : {Timing::latency, Timing::bandwidth, Timing::both_ways_bandwidth,
                              Timing::fan_out, Timing::fan_in, Timing::exchange}) {
    m.timing = timing;
    if (name == operation(m)) return;
  }
  m.timing = Timing::collective;
  try {
    m.collective = definition(std::string_view(name)).collective;
  } catch (const InputError& e) {
    entry.reject(e.what());
  }
}

std::optional<Memory> memory(const Entry& entry, const std::string& name,
                             const std::optional<Memory>& otherwise) {
  if (name.empty()) return otherwise;
  if (const auto known = memory_named(name)) return known;
  entry.reject("buffers are host or device, not " + name);
}

void read_buffers(const Entry& entry, const FileFacts& known, Measurement& m) {
  if (entry.has("emulated") && entry.object["emulated"] != false)
    entry.reject("was measured on an emulated GPU, which says nothing of a real one");
  const std::string name = entry.word("buffers");
  const std::size_t dash = name.find('-');
  m.from = memory(entry, name.substr(0, dash), known.from);
  m.to = memory(entry, dash == std::string::npos ? name : name.substr(dash + 1), known.to);
  if (!m.from && entry.has("parameters")) m.from = m.to = Memory::host;  // old files do not say it
}

void read_parameters(const Entry& entry, Measurement& m) {
  m.root = entry.count("root", 0, 0);
  m.jobs = entry.count("jobs", 1);
  if (!entry.has("parameters")) return;
  const Entry given{entry.text, entry.line, entry.object["parameters"]};
  if (!given.object.is_object()) entry.reject("parameters are not a JSON object");
  Call call;
  call.radix = given.count("radix", call.radix);
  call.channels = given.count("channels", call.channels);
  call.ranks_per_node = given.count("ranks_per_node", call.ranks_per_node);
  call.segments = given.count("segments", 1);
  if (given.has("buffer")) call.buffer = Bytes(given.real("buffer"));
  m.parameters = call;
}

Measurement read(const Entry& entry, const FileFacts& known) {
  Measurement m;
  m.line = entry.line;
  read_operation(entry, m);
  read_buffers(entry, known, m);
  m.library = entry.word("library", "collcast");
  m.algorithm = entry.word("algorithm");
  if (m.algorithm == library_algorithm) m.algorithm.clear();
  read_parameters(entry, m);
  m.nodes = entry.count("nodes", known.nodes);
  m.pairs = entry.count("pairs", known.pairs > 0 ? known.pairs : 1);
  m.window = entry.count("window", 1);
  const bool collective = m.timing == Timing::collective || is_star(m);
  m.ranks = entry.count("ranks", known.ranks > 0 ? known.ranks : collective ? 0 : 2 * m.pairs);
  if (m.ranks == 0) entry.reject("the key ranks is missing; say it there or as FILE:ranks=N");
  if (is_star(m) && m.ranks < 2) entry.reject("a " + operation(m) + " takes 2 ranks or more");
  m.message = Bytes(entry.real("message_bytes"));
  m.time = Seconds(entry.real(entry.has("pure_s") ? "pure_s" : "time_s"));  // without the computation
  if (m.message.value < 0 || m.message.value != std::floor(m.message.value))
    entry.reject("message_bytes is not a whole number of bytes");
  if (!(m.time.value > 0)) entry.reject("time_s must be above 0");
  return m;
}

/// Throws InputError for documents of our programs that are no tables.
void refuse_documents(const Text& text, const Json& document) {
  if (!document.is_object() || document.value("engine", Json()) != "mpi") return;
  const auto refuse = [&](const char* kind) {
    throw InputError(text.file + ": is " + kind +
                     "; expected a table of measurements, as docs/measurements.md lists");
  };
  if (document.contains("overlaps")) refuse("what `collcast-mpi --overlap` prints");
  if (document.contains("job")) refuse("what `collcast-mpi job` prints, the time of a described job");
}

}  // namespace

bool looks_like_json_lines(const Line& line) {
  return line.text.starts_with("{");
}

std::vector<Measurement> read_json_lines(const Text& text, const FileFacts& known) {
  std::string whole;
  for (const Line& line : text.lines) whole += line.text + '\n';
  const Json document = parse_json(whole);
  refuse_documents(text, document);
  if (is_nccl_tests_report(document)) return read_nccl_tests_report(text, document, known);
  std::vector<Measurement> all;
  for (const Entry& entry : entries(text, whole, document)) all.push_back(read(entry, known));
  return all;
}

}  // namespace collcast::measurements
