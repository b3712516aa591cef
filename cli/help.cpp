// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <algorithm>

#include "model/collective.hpp"
#include "support/error.hpp"
#include "support/narrow_help.hpp"
#include "support/strict_options.hpp"
#include "support/suggest.hpp"

namespace collcast::cli {
namespace {

std::vector<std::string> verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

/// What an option of nccl-tests, OSU's benchmarks, a launcher, a simulator or a training program is called
/// here; empty: not known.
std::string elsewhere(const std::string& word, const std::vector<std::string>& known) {
  using Words = std::vector<std::string_view>;
  for (const auto& [theirs, ours, shown] :
       {std::tuple{
            Words{"-b", "-e", "-f", "-m", "--minbytes", "--maxbytes", "--stepfactor", "--message-size"},
            "--size", "--size, as in --size 8:128MiB:x2"},
        {Words{"-N", "-g", "--np", "--ntasks", "--ngpus", "--gpus", "--world-size"}, "--ranks", "--ranks"},
        {Words{"--nodes", "--nnodes"}, "--ranks", "--ranks, those of all nodes together"},
        {Words{"--proto", "--protocol"}, "--transport", "--transport, as in --transport nccl:LL128"},
        {Words{"--library"}, "--for", "--for, as in --for nccl"},
        {Words{"--library", "--nccl", "--mpi"}, "--policy", "--policy, as in --policy nccl-2.18"},
        {Words{"--collective", "--coll", "--op"}, "--radix", "the first word, as in predict allreduce"},
        {Words{"--batch-size", "--bs"}, "--batch", "--batch"},
        {Words{"--global-batch-size", "--gbs"}, "--global-batch", "--global-batch"},
        {Words{"--tp", "--pp", "--dp", "--cp", "--ep", "--tensor-model-parallel-size",
               "--pipeline-model-parallel-size", "--micro-batch-size", "--recompute", "--zero"},
         "--framework", "--framework, as in megatron:tp=8,pp=4"},
        {Words{"--bf16", "--fp16", "--fp8", "--dtype"}, "--precision", "--precision, as in --precision bf16"},
        {Words{"--seq", "--seq-length", "--sequence"}, "--model", "--model, as in llama3-8b:sequence=4096"},
        {Words{"--platform", "-p"}, "--base", "--base, a name or a file"},
        {Words{"--system", "--topology", "--network", "--system-configuration", "--network-configuration"},
         "--platform", "--platform, a name or a file"},
        {Words{"--workload", "--workload-configuration"}, "--platform",
         "a trace, as in collcast replay trace.0.et trace.1.et"},
        {Words{"--budget"}, "--max-power", "--cost"},
        {Words{"--json", "--csv"}, "--format", "--format json or --format csv"}})
    if (std::ranges::find(theirs, word) != theirs.end() && std::ranges::find(known, ours) != known.end())
      return shown;
  return {};
}

/// The verbs that have the option; none if all have it.
std::vector<std::string> verbs_with(const std::string& option, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({}))
    if (verb->get_option_no_throw(option)) names.push_back(verb->get_name());
  return names;
}

std::string what_of_unknown(const CLI::App& verb, const std::string& word, const CLI::App& app) {
  const std::vector<std::string> known = options_of(verb);
  const std::string what = verb.get_name() + " has no " + word + "; ";
  if (const std::string here = elsewhere(word, known); !here.empty()) return what + "here that is " + here;
  const bool in_short = word[1] != '-';
  const std::string meant = in_short ? "" : did_you_mean(word, known, "");
  const CLI::Option* command = verb.get_option_no_throw("command");
  if (meant.empty() && command && command->count() > 0)
    return what + "options of the command to run stand behind --, as in -- mpirun -np 4 ./app";
  if (in_short) return what + "see collcast " + (&verb == &app ? "" : verb.get_name() + " ") + "--help";
  if (const auto others = verbs_with(word, app); !others.empty())
    return what + "that is an option of " + join(others);
  return what + (meant.empty() ? "it takes " + join(known) : meant);
}

bool is_collective(const std::string& word) try {
  definition(word);
  return true;
} catch (const InputError&) {
  return false;
}

}  // namespace

/// Hints at words that users of other programs take for verbs: a collective's name, `run`, `bench`, `list`.
std::string no_verb(const std::string& word, const CLI::App& app) {
  if (std::ranges::count(verbs(app), word) > 0) return {};
  const std::string what = "there is no verb '" + word + "'";
  if (is_collective(word)) return what + "; a collective is asked for by predict, as in predict " + word;
  for (const char* all : {"run", "simulate", "sim", "bench", "benchmark"})
    if (word == all) return what + "; predict forecasts a collective, replay a trace, train a training step";
  if (word == "list") return what + "; platforms, algorithms and models list what there is";
  return what + suggestion(word, verbs(app));
}

void format_help(CLI::App& app) {
  const auto narrow = std::make_shared<NarrowHelp>();
  app.formatter(narrow);
  for (CLI::App* verb : app.get_subcommands({})) verb->formatter(narrow);
}

std::string mistake(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& asked = parsed.empty() ? app : *parsed[0];
  const std::vector<std::string> known = options_of(asked);
  const std::string unknown = unknown_option({argv + std::min(1, argc), argv + argc}, known);
  if (!unknown.empty()) return what_of_unknown(asked, unknown, app);
  if (parsed.empty()) return "a verb is missing; expected one of: " + join(verbs(app));
  const std::string what = plain_words(error.what());
  return what + (what.ends_with('?') ? "" : "; see collcast " + asked.get_name() + " --help");
}

}  // namespace collcast::cli
