// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "algorithms/call_options.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "cli/output.hpp"
#include "libraries/transport.hpp"
#include "model/fabric.hpp"
#include "model/sizes.hpp"
#include "model/units.hpp"
#include "platforms/description/description.hpp"
#include "support/numbers.hpp"

namespace collcast::cli {

/// An option that takes one text: its names, where it is kept, what stands for it in the help, and the help.
struct TextOption {
  const char* names;
  std::string* value;
  const char* shown;
  std::string help;
};
void add_texts(CLI::App& verb, const std::vector<TextOption>& options);

/// Applies `--set` and says so on standard error.
void override_platform(Description& platform, const std::vector<std::string>& assignments);

/// A validator: each part of a list is one of these words.
CLI::Validator each_of(std::vector<std::string> words);

/// The engines in words: "path: ...; contention (default): ...". `playing`: only those that play programs.
std::string engine_words(bool playing, const std::string& standard = {});
/// --engine, by its name in the table.
void add_engine(CLI::App& verb, std::string& engine, bool playing = false);
/// --engine of jobs and training steps.
void add_messages(CLI::App& verb, std::string& engine);

/// --policy: the library that chooses if no algorithm is named.
void add_policy(CLI::App& verb, std::string& policy, const std::string& what);
/// --policy of jobs and training steps.
void add_library(CLI::App& verb, std::string& policy);
/// --transport: what carries messages.
void add_transport(CLI::App& verb, std::string& transport);

/// --memory host|device: where ranks keep their data.
void add_memory(CLI::App& verb, Memory& memory);
/// --memory host|device, or a list of both.
void add_memories(CLI::App& verb, std::string& memory, const std::string& standard);

/// --placement, for parse_placement.
void add_placement(CLI::App& verb, std::string& placement);

/// --format table|json|csv, and markdown for reports.
void add_format(CLI::App& verb, Format& format, bool report = false);

/// The algorithm that a verb works on: one of the catalogue by its names, or one from a file.
struct Subject {
  std::string collective, algorithm, import;
  std::vector<std::string> ranks;
};
/// The positional COLLECTIVE, --algorithm, --ranks and --import.
void add_subject(CLI::App& verb, Subject& subject, const std::string& algorithm_help);
/// Reads --import, and completes the subject from the file; none without --import. Throws InputError if the
/// file contradicts what was given, or too little was given.
std::optional<ImportedAlgorithm> import(Subject& subject, CallText& options);
/// The message of size `size`; if that is empty, the sum of the counts, or without counts 1 MiB.
Bytes whole_message(const std::string& size, const CallText& call, Collective collective, Rank ranks);

}  // namespace collcast::cli
