// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "forecast/predict.hpp"
#include "libraries/policy.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/strict_options.hpp"
#include "support/text.hpp"

namespace collcast::cli {

void add_texts(CLI::App& verb, const std::vector<TextOption>& options) {
  for (const TextOption& o : options) verb.add_option(o.names, *o.value, o.help)->option_text(o.shown);
}

void override_platform(Description& platform, const std::vector<std::string>& assignments) {
  set_all(platform, assignments);
  for (const std::string& words : notes_on_settings(platform)) note(words);
}

CLI::Validator each_of(std::vector<std::string> words) {
  return {[one = one_of(std::move(words))](const std::string& text) {
            for (const std::string& part : CLI::detail::split(text, ','))
              if (const std::string mistake = one(part); !mistake.empty()) return mistake;
            return std::string();
          },
          ""};
}

std::string engine_words(bool playing, const std::string& standard) {
  std::string words;
  for (const Engine& e : engines())
    if (e.play || !playing)
      words += (words.empty() ? "" : "; ") + std::string(e.name) +
               (e.name == standard ? " (default): " : ": ") + std::string(e.what);
  return words;
}

void add_engine(CLI::App& verb, std::string& engine, bool playing) {
  verb.add_option("--engine", engine, engine_words(playing, engine))->option_text(engine_names(playing, "|"));
}

void add_messages(CLI::App& verb, std::string& engine) {
  verb.add_option(
          "--engine", engine,
          "Plays every message of every collective, so that those under way at once share links, by " +
              engine_words(true) +
              "; without it, and where NCCL plays them, collectives are single operations, which share by "
              "time")
      ->option_text(engine_names(true, "|"));
}

void add_policy(CLI::App& verb, std::string& policy, const std::string& what) {
  std::string names = "fastest: of the catalogue";
  for (const std::string& name : policies()) names += ", " + name;
  names += "; NCCL's settings follow a colon, e.g. nccl-2.8:algo=Ring,proto=LL,channels=4";
  verb.add_option("--policy", policy, what + ": " + names)->option_text("P");
}

void add_library(CLI::App& verb, std::string& policy) {
  verb.add_option("--policy", policy,
                  "The library that chooses and sends collectives, as in predict (default between GPUs: "
                  "the platform's `library`)")
      ->option_text("L");
}

void add_transport(CLI::App& verb, std::string& transport) {
  verb.add_option(
          "--transport", transport,
          "What carries the messages of any algorithm, a policy's choice included: " +
              text::join(transports()) +
              "; a given release's: nccl-2.8:LL (default: the policy's, or the platform's own software)")
      ->option_text("T");
}

void add_memory(CLI::App& verb, Memory& memory) {
  verb.add_option("--memory", memory,
                  "Where ranks keep their data (default: " + std::string(name(memory)) + ")")
      ->transform(one_of(std::map<std::string, Memory>{{"host", Memory::host}, {"device", Memory::device}}))
      ->option_text("host|device");
}

void add_memories(CLI::App& verb, std::string& memory, const std::string& standard) {
  verb.add_option("--memory", memory, "Where ranks keep their data (default: " + standard + ")")
      ->check(each_of({"device", "host"}))
      ->option_text("host|device");
}

void add_placement(CLI::App& verb, std::string& placement) {
  verb.add_option(
          "--placement", placement,
          "block (default) fills one node after another; by-socket does too, alternating between sockets; "
          "round-robin deals ranks out to nodes in turn; each as few nodes as hold them, or so many as "
          "follow, as in "
          "block:8; or a file with lines like 'rank 0=node3 slot=1'")
      ->option_text("block|by-socket|round-robin[:NODES]|FILE");
}

void add_format(CLI::App& verb, Format& format, bool report) {
  std::map<std::string, Format> formats{
      {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
  if (report) formats.emplace("markdown", Format::markdown);
  verb.add_flag_callback("--wide", show_all_columns,
                         "Shows all columns of a table, even beyond the width of the terminal");
  verb.add_option("--format", format,
                  report ? "table (default), json, csv or markdown" : "table (default), json or csv")
      ->transform(one_of(formats))
      ->option_text(report ? "table|json|csv|markdown" : "table|json|csv");
}

void add_subject(CLI::App& verb, Subject& subject, const std::string& algorithm_help) {
  verb.add_option("collective", subject.collective, "allreduce, broadcast, ...");
  auto* algorithm = verb.add_option("-a,--algorithm", subject.algorithm, algorithm_help)->option_text("A");
  verb.add_option("-n,--ranks", subject.ranks, "Number of ranks")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N");
  verb.add_option("--import", subject.import,
                  "An algorithm in MSCCL's XML, or as `synthesize` writes it, instead of one of the "
                  "catalogue; it names the collective and the number of ranks")
      ->excludes(algorithm)
      ->option_text("FILE");
}

std::optional<ImportedAlgorithm> import(Subject& subject, CallText& options) {
  if (subject.import.empty()) {
    for (const auto& [given, name] : {std::pair{!subject.collective.empty(), "the collective"},
                                      {!subject.algorithm.empty(), "--algorithm"},
                                      {!subject.ranks.empty(), "--ranks"}})
      if (!given) throw InputError(std::string(name) + " is required (unless --import gives it)");
    return {};
  }
  ImportedAlgorithm imported = read_algorithm(subject.import);
  std::optional<std::int64_t> root;
  if (!options.root.empty()) root = parse_count(options.root, "root", 0, imported.ranks - 1);
  require(imported, subject.collective, root);
  if (definition(imported.algorithm.collective).rooted) options.root = std::to_string(imported.root);
  subject.collective = definition(imported.algorithm.collective).name;
  subject.algorithm = imported.algorithm.name;
  if (subject.ranks.empty()) subject.ranks = {std::to_string(imported.ranks)};
  return imported;
}

Bytes whole_message(const std::string& size, const CallText& call, Collective collective, Rank ranks) {
  if (!size.empty()) return parse_size(size);
  return call.counts.empty() ? Bytes(1 << 20) : counted_message(call, collective, ranks);
}

}  // namespace collcast::cli
