// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <charconv>
#include <cmath>
#include <iostream>

#include "model/error.hpp"
#include "platforms/paths.hpp"
#include "replay/predict/predict.hpp"

namespace collcast::cli {

std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
    return value;
  throw InputError(what + " '" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
}

void override_platform(Description& platform, const std::vector<std::string>& assignments) {
  set_all(platform, assignments);
  for (const Parameter& p : unused_parameters(platform))
    if (p.stamp == Stamp::what_if) std::cerr << "note: " << p.path << " moves no message and no reduction\n";
}

void add_memory(CLI::App& verb, Memory& memory) {
  const std::string standard = memory == Memory::host ? "host" : "device";
  verb.add_option("--memory", memory, "Where ranks keep their data (default " + standard + ")")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Memory>{{"host", Memory::host}, {"device", Memory::device}}))
      ->option_text("host|device");
}

void add_placement(CLI::App& verb, std::string& placement) {
  verb.add_option(
          "--placement", placement,
          "block (default) fills nodes; by-socket does, sockets taking turns; round-robin deals ranks out to "
          "nodes; or a file of lines 'rank 0=node3 slot=1'")
      ->option_text("block|by-socket|round-robin|FILE");
}

void add_format(CLI::App& verb, Format& format) {
  verb.add_option("--format", format, "table (default), json or csv")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Format>{
          {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}}))
      ->option_text("table|json|csv");
}

void add_call_options(CLI::App& verb, CallOptions& options) {
  verb.add_option("--root", options.root, "Root rank (default 0)")->option_text("R");
  verb.add_option("--radix", options.radix, "Radix k of k-nomial and Bruck algorithms (default 2)")
      ->option_text("K");
  verb.add_option("--segment", options.segment,
                  "Segment size of pipelined algorithms; auto (default) takes the fastest by formula")
      ->option_text("SIZE|auto");
  verb.add_option("--channels", options.channels, "Rings side by side of multi-ring (default 1)")
      ->option_text("C");
  verb.add_option(
          "--counts", options.counts,
          "Of alltoallv, gatherv, ...: sizes of each rank's block, or of each pair's, row by row; zeros are "
          "fine (default: all equal)")
      ->delimiter(',')
      ->option_text("S,S,...");
  verb.add_option("--buffer", options.buffer,
                  "What one aggregated message of pat may carry (default: no limit; NCCL: 512KiB)")
      ->option_text("SIZE");
  verb.add_option("--packet", options.packet, "What one multicast packet carries (default 4096)")
      ->option_text("SIZE");
  verb.add_option("--ranks-per-node", options.ranks_per_node,
                  "Of hierarchical algorithms; divides the ranks (default: the platform's, where it does)")
      ->option_text("Q");
}

Rank parse_ranks(const std::string& text) {
  return static_cast<Rank>(parse_count(text, "number of ranks", 1, 1 << 24));
}

void add_subject(CLI::App& verb, Subject& subject, const std::string& algorithm_help) {
  verb.add_option("collective", subject.collective, "allreduce, broadcast, ...");
  auto* algorithm = verb.add_option("--algorithm", subject.algorithm, algorithm_help)->option_text("A");
  verb.add_option("--ranks", subject.ranks, "Number of ranks")->delimiter(',')->option_text("N");
  verb.add_option(
          "--import", subject.import,
          "An algorithm in MSCCL's XML, instead of one of the catalogue; it says collective and ranks")
      ->excludes(algorithm)
      ->option_text("FILE");
}

std::optional<ImportedAlgorithm> import(Subject& subject, CallOptions& options) {
  if (subject.import.empty()) {
    for (const auto& [given, name] : {std::pair{!subject.collective.empty(), "the collective"},
                                      {!subject.algorithm.empty(), "--algorithm"},
                                      {!subject.ranks.empty(), "--ranks"}})
      if (!given) throw InputError(std::string(name) + " is missing (only --import says it itself)");
    return {};
  }
  ImportedAlgorithm imported = read_msccl(subject.import);
  require(imported, subject.collective, options.root);
  options.root = imported.root;
  subject.collective = definition(imported.algorithm.collective).name;
  subject.algorithm = imported.algorithm.name;
  if (subject.ranks.empty()) subject.ranks = {std::to_string(imported.ranks)};
  return imported;
}

Bytes counted_message(const CallOptions& options, Collective collective, Rank ranks) {
  if (options.counts.empty()) throw InputError("--size is missing");
  Bytes sum;
  for (const std::string& count : options.counts) sum += parse_size(count);
  return sum / static_cast<double>(definition(collective).whole(ranks));
}

Call plain_call(const CallOptions& options, Rank ranks, Bytes message, Rank node) {
  constexpr std::int64_t limit = std::numeric_limits<Rank>::max();
  Call call;
  call.ranks = ranks;
  call.root = static_cast<Rank>(std::clamp(options.root.value_or(0), -limit, limit));
  call.radix = static_cast<int>(std::clamp(options.radix, -limit, limit));
  call.message = message;
  call.packet = parse_size(options.packet);
  if (!options.buffer.empty()) call.buffer = parse_size(options.buffer);
  for (const std::string& count : options.counts) call.counts.push_back(parse_size(count));
  call.channels = static_cast<int>(std::clamp(options.channels, -limit, limit));
  call.ranks_per_node = static_cast<Rank>(std::clamp(options.ranks_per_node, -limit, limit));
  if (options.ranks_per_node == 0) call.ranks_per_node = ranks % node == 0 ? node : 1;
  return call;
}

Call make_call(const Algorithm& a, const CallOptions& options, Rank ranks, Bytes message,
               const Fabric* fabric, Rank node) {
  Call call = plain_call(options, ranks, message, node);
  check(a, call);
  if (!a.segmented || message.value == 0) return call;
  if (options.segment == "auto") {
    const AlphaBetaGamma textbook{Seconds(1e-6), SecondsPerByte(1e-10), SecondsPerByte(1e-11)};
    call.segments = best_segments(
        a, call, fabric ? slowest_paths(*fabric, a.schedule(call)) : MachinesBySize{{Bytes(0), textbook}});
    return call;
  }
  const Bytes segment = parse_size(options.segment);
  if (segment.value < 1 || segment > message)
    throw InputError("segment must be from 1 byte to the message's " +
                     std::to_string(std::llround(message.value)) + " bytes, got " + options.segment);
  call.segments = static_cast<Block>(std::ceil(message / segment));
  return call;
}

}  // namespace collcast::cli
