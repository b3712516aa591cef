// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

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
        {Words{"--tp", "--pp", "--dp", "--ep"}, "--framework", "--framework, as in megatron:tp=8,pp=4"},
        {Words{"--system", "--topology", "--network"}, "--platform", "--platform, a name or a file"},
        {Words{"--json", "--csv"}, "--format", "--format json or --format csv"}})
    if (std::ranges::find(theirs, word) != theirs.end() && std::ranges::find(known, ours) != known.end())
      return shown;
  return {};
}

std::string unknown_option(const std::string& verb, const std::string& word,
                           const std::vector<std::string>& known) {
  if (const std::string here = elsewhere(word, known); !here.empty())
    return verb + " has no " + word + "; here that is " + here;
  if (word[1] != '-')
    return verb + " has no " + word + "; see collcast " + (verb == "collcast" ? "" : verb + " ") + "--help";
  const std::string meant = did_you_mean(word, known, "");
  return verb + " has no " + word + "; " + (meant.empty() ? "it takes " + join(known) : meant);
}

bool is_collective(const std::string& word) try {
  definition(word);
  return true;
} catch (const InputError&) {
  return false;
}

/// Other programs are named by what they measure, or have a verb for all.
std::string no_verb(const std::string& word, const CLI::App& app) {
  const std::string what = "there is no verb '" + word + "'";
  if (is_collective(word)) return what + "; a collective is asked for by predict, as in predict " + word;
  for (const char* all : {"run", "simulate", "sim", "bench", "benchmark"})
    if (word == all) return what + "; predict forecasts a collective, replay a trace, train a training step";
  if (word == "list") return what + "; platforms, algorithms and models list what there is";
  return what + suggestion(word, verbs(app));
}

}  // namespace

void format_help(CLI::App& app) {
  const auto narrow = std::make_shared<Narrow>();
  app.formatter(narrow);
  for (CLI::App* verb : app.get_subcommands({})) verb->formatter(narrow);
}

std::string mistake(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  const std::vector<std::string> words(argv + std::min(1, argc), argv + argc);
  const auto parsed = app.get_subcommands();
  const std::string verb = parsed.empty() ? "" : parsed[0]->get_name();
  const CLI::App& asked = parsed.empty() ? app : *parsed[0];
  const std::vector<std::string> known = options(asked);
  if (!words.empty() && !is_option(words[0]) && !verb.empty() && words[0] != verb)
    return no_verb(words[0], app);
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (is_option(name) && std::ranges::find(known, name) == known.end() &&
        !(name[1] != '-' && std::ranges::find(known, name.substr(0, 2)) != known.end()))
      return unknown_option(verb.empty() ? app.get_name() : verb, name, known);
    if (parsed.empty() && !is_option(word)) return no_verb(word, app);
  }
  if (parsed.empty()) return "a verb is missing; expected one of: " + join(verbs(app));
  std::string what = error.what();
  if (const auto at = what.find(": At Most 1 required but received "); at != std::string::npos)
    what = what.substr(0, at) + " is given more than once";
  const auto above_zero = what.find(" not in range 0.000000 to ");  // CLI::PositiveNumber
  if (above_zero != std::string::npos) what = what.substr(0, above_zero) + " must be above 0";
  return what + (what.ends_with('?') ? "" : "; see collcast " + verb + " --help");
}

}  // namespace collcast::cli
