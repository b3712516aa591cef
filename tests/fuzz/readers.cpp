// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for every reader of files and of words. COLLCAST_READER names the one that is fuzzed;
// docs/security.md.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "algorithms/exchange/msccl.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "forecast/sweep/predict.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/exchange/import.hpp"
#include "platforms/machine/listing.hpp"
#include "platforms/machine/machine.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "replay/trace/check.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "validation/campaign/campaign.hpp"
#include "validation/measurements/read.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/read.hpp"

namespace collcast {
namespace {

trace::ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// A file in memory, for readers that open their files themselves.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      std::perror("memfd");
      std::abort();
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A trace of three ranks with these events behind checksums that hold: the first two bytes say how much of
/// the rest is rank 0's, and rank 1's.
std::string trace_of(std::string text) {
  text.insert(0, std::max<std::size_t>(2, text.size()) - text.size(), 0);
  const std::size_t first = 2 + static_cast<std::uint8_t>(text[0]) * (text.size() - 2) / 256;
  const std::size_t second = first + static_cast<std::uint8_t>(text[1]) * (text.size() - first) / 256;
  const std::size_t bounds[] = {2, first, second, text.size()};
  std::vector<std::uint8_t> file = trace::preamble(trace::FileKind::trace);
  std::vector<trace::PieceRef> pieces;
  const auto add = [&](trace::PieceKind kind, std::uint32_t rank, std::uint32_t count, trace::ByteSpan raw) {
    pieces.push_back({file.size(), kind, rank, count});
    std::ranges::copy(trace::pack(kind, rank, count, raw), std::back_inserter(file));
  };
  const std::string metadata = dump(trace::to_json({.ranks = 3}));
  add(trace::PieceKind::metadata, 0, 0, bytes_of(metadata));
  add(trace::PieceKind::communicators, 0, 2, trace::encode_groups({{0, 1, 2}, {2, 0}}));
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    add(trace::PieceKind::events, rank, 1,
        bytes_of(std::string_view(text).substr(bounds[rank], bounds[rank + 1] - bounds[rank])));
  std::ranges::copy(trace::pack_index(pieces, file.size()), std::back_inserter(file));
  return {file.begin(), file.end()};
}

void events(const std::string& text) {
  const MemoryFile file(trace_of(text));
  trace::check(trace::Reader(file.path()));
  inspect(*open_source({file.path()}));
}

void replayed(const std::string& text) {
  static const Description flat = load_platform("flat");
  const MemoryFile file(trace_of(text));
  replay(*open_source({file.path()}), flat, {});
}

/// The parts of a text between lines of "--".
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size(); at += parts.back().size() + 4)
    parts.push_back(text.substr(at, text.find("\n--\n", at) - at));
  return parts;
}

/// A CUBE profile: anchor.xml, then each metric's index and data.
void cube(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& part : parts_of(text)) {
    const std::size_t i = files.size();
    files.emplace_back(i == 0 ? "anchor.xml" : std::to_string((i - 1) / 2) + (i % 2 ? ".index" : ".data"),
                       part);
  }
  inspect(*open_source({MemoryFile(samples::tar(files)).path()}));
}

/// A Darshan log of three processes behind packing that holds: the version's number, then POSIX, MPI-IO,
/// STDIO and APMPI.
void darshan(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text);
  const auto& version = samples::darshan_versions[static_cast<unsigned char>(text.c_str()[0]) %
                                                  samples::darshan_versions.size()];
  const std::vector<std::pair<std::size_t, std::uint64_t>> modules = {
      {0, 0}, {version.posix, 4}, {2, 3}, {version.stdio, 2}, {version.apmpi, 1}};
  std::map<std::size_t, std::pair<std::uint64_t, std::string>> all;
  for (std::size_t i = 1; i < std::min(parts.size(), modules.size()); ++i)
    if (modules[i].first > 0) all[modules[i].first] = {modules[i].second, parts[i]};
  inspect(
      *open_source({MemoryFile(samples::darshan_log(version, false, 0, samples::zipped, 3, all)).path()}));
}

void platform(const std::string& text) {
  const Description d = parse_platform(text, "fuzz", "fuzz.json");
  const Machine machine(d, static_cast<Rank>(std::min<std::int64_t>(max_ranks(d), 16)));
  machine.wire(0, machine.ranks() - 1, Bytes(1));
}

/// Of options; the program escapes what it prints of them.
void ranges(std::string text) {
  std::erase(text, '\n');
  std::vector<std::string> texts;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) texts.push_back(item);
  (texts.size() % 2 ? void(parse_sizes(texts)) : void(parse_rank_counts(texts)));
  parse_values(text);
}

/// Of an option, too.
void application(std::string text) {
  std::erase(text, '\n');
  workloads::application_job(text, 8, {"fuzz", 1e12, 1e12, BytesPerSecond(1e9)});
}

void sweep_file(const std::string& text) {
  const sweep::Verb verbs[] = {sweep::predict()};
  const sweep::Sweep asked(text, "fuzz.json", verbs);
  for (const std::int64_t number : {std::int64_t{0}, asked.space().size() - 1}) asked.space().at(number);
}

/// The program, which ends before its verb begins; a word is a line.
void command(const std::string& text) {
  static int exit_code;
  static CLI::App app;
  if (app.get_subcommands({}).empty()) {
    cli::describe(app, exit_code);
    app.parse_complete_callback([] { throw CLI::Success(); });
  }
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word);) words.push_back(word);
  try {
    cli::take(app, words);
  } catch (const CLI::Success&) {  // or --help
  } catch (const CLI::ParseError& error) {
    words.insert(words.begin(), "collcast");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    throw InputError(
        one_line(cli::mistake(app, static_cast<int>(arguments.size()), arguments.data(), error)));
  }
}

const std::map<std::string, std::function<void(const std::string&)>> readers = {
    {"trace", [](const std::string& text) { inspect(*open_source({MemoryFile(text).path()})); }},
    {"events", events},
    {"replay", replayed},
    {"cube", cube},
    {"darshan", darshan},
    {"platform", platform},
    {"machine", [](const std::string& text) { import_platform(MemoryFile(text).path()); }},
    {"algorithm", [](const std::string& text) { read_algorithm(MemoryFile(text).path()); }},
    {"measurements", [](const std::string& text) { parse_measurements(text, "fuzz", {.ranks = 4}); }},
    {"job", [](const std::string& text) { workloads::parse_job(text, "fuzz.json", 8); }},
    {"application", application},
    {"command", command},
    {"campaign", [](const std::string& text) { campaign::parse_campaign(text, "fuzz.json"); }},
    {"sweep", sweep_file},
    {"ranges", ranges},
};

const auto& chosen() {
  static const auto& reader = [&]() -> const auto& {
    const char* name = std::getenv("COLLCAST_READER");
    const auto found = readers.find(name ? name : "");
    if (found == readers.end()) {
      std::fputs("COLLCAST_READER must be one of", stderr);
      for (const auto& [known, unused] : readers) std::fprintf(stderr, " %s", known.c_str());
      std::fputs("\n", stderr);
      std::exit(2);
    }
    return found->second;
  }
  ();
  return reader;
}

}  // namespace
}  // namespace collcast

/// What a file holds is read, or refused with one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    collcast::chosen()(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const collcast::InputError& e) {
    if (std::string(e.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
