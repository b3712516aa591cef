// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <algorithm>

#include "model/collective.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/wrap.hpp"

namespace collcast::cli {
namespace {

constexpr std::size_t width = 80;

class Narrow : public CLI::Formatter {
 public:
  Narrow() { column_width(28); }

  std::string make_option_desc(const CLI::Option* option) const override {
    const bool required = option->get_required();
    return wrap(option->get_description() + (required ? " (required)" : ""), width - get_column_width());
  }
  std::string make_description(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_description(app), width);
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_name(), wrap(verb->get_description(), width - get_column_width()),
                             get_column_width());
    return out.str();
  }
  std::string make_footer(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_footer(app), width, "    ", " \\");
  }
};

std::vector<std::string> verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

/// "--format", "-o", ... of a verb.
std::vector<std::string> options(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/// What an option of nccl-tests, OSU's benchmarks, a launcher or a simulator is called here; empty: nothing
/// that is known.
std::string elsewhere(const std::string& word, const std::vector<std::string>& known) {
  using Words = std::vector<std::string_view>;
  for (const auto& [theirs, ours, shown] :
       {std::tuple{
            Words{"-b", "-e", "-f", "-m", "--minbytes", "--maxbytes", "--stepfactor", "--message-size"},
            "--size", "--size, as in --size 8:128MiB:x2"},
        {Words{"-N", "-g", "--np", "--ntasks", "--ngpus"}, "--ranks", "--ranks"},
        {Words{"--nodes"}, "--ranks", "--ranks, those of all nodes together"},
        {Words{"--proto", "--protocol"}, "--transport", "--transport, as in --transport nccl:LL128"},
        {Words{"--library", "--nccl", "--mpi"}, "--policy", "--policy, as in --policy nccl-2.18"},
        {Words{"--collective", "--coll", "--op"}, "--radix", "the first word, as in predict allreduce"},
        {Words{"--batch-size", "--bs"}, "--batch", "--batch"},
        {Words{"--tp", "--pp", "--dp", "--cp", "--ep"}, "--framework",
         "--framework, as in megatron:tp=8,pp=4"},
        {Words{"--system", "--topology", "--network"}, "--platform", "--platform, a name or a file"},
        {Words{"--json", "--csv"}, "--format", "--format json or --format csv"}})
    if (std::ranges::find(theirs, word) != theirs.end() && std::ranges::find(known, ours) != known.end())
      return shown;
  return {};
}

/// The verbs that have the option; none for one that all have.
std::vector<std::string> verbs_with(const std::string& option, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({}))
    if (verb->get_option_no_throw(option)) names.push_back(verb->get_name());
  return names;
}

std::string unknown_option(const CLI::App& verb, const std::string& word, const CLI::App& app) {
  const std::vector<std::string> known = options(verb);
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

/// CLI11's words of common mistakes, as this program says them.
std::string said_here(std::string what) {
  const auto behind = [&](const std::string& words) {
    const auto at = what.find(words);
    return at == std::string::npos ? std::string() : what.substr(at + words.size());
  };
  const auto before = [&](const std::string& words) { return what.substr(0, what.find(words)); };
  if (!behind(": At Most 1 required but received ").empty())
    return before(": At Most 1") + " is given more than once";
  if (!behind(" not in range 0.000000 to ").empty())  // CLI::PositiveNumber
    return before(" not in range") + " must be above 0";
  if (const std::string range = behind(" not in range "); !range.empty() && !behind(": Value ").empty())
    return before(": Value ") + ": '" + before(" not in range ").substr(before(": Value ").size() + 8) +
           "' is not from " + range;
  if (!behind(": 1 required ").empty()) return before(": 1 required ") + " needs a value";
  for (const std::string known : {"argument was not expected: ", "arguments were not expected: "})
    if (const std::string words = behind(known); !words.empty()) return "too many words: " + words;
  return what;
}

}  // namespace

/// Other programs are named by what they measure, or have a verb for all.
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
  const auto narrow = std::make_shared<Narrow>();
  app.formatter(narrow);
  for (CLI::App* verb : app.get_subcommands({})) verb->formatter(narrow);
}

std::string mistake(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& asked = parsed.empty() ? app : *parsed[0];
  const std::vector<std::string> known = options(asked);
  for (const std::string& word : std::vector<std::string>(argv + std::min(1, argc), argv + argc)) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (is_option(name) && std::ranges::find(known, name) == known.end() &&
        !(name[1] != '-' && std::ranges::find(known, name.substr(0, 2)) != known.end()))
      return unknown_option(asked, name, app);
  }
  if (parsed.empty()) return "a verb is missing; expected one of: " + join(verbs(app));
  const std::string what = said_here(error.what());
  return what + (what.ends_with('?') ? "" : "; see collcast " + asked.get_name() + " --help");
}

}  // namespace collcast::cli
