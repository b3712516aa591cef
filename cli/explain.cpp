// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast::cli {

extern const char* const glossary;  ///< docs/glossary.md

namespace {

struct Entry {
  std::string words, meaning;
  std::vector<std::string> each;  ///< "rank", "ranks", "p" of "rank, ranks (p)"
};

std::vector<std::string> split_words(const std::string& words) {
  std::string text = words;
  std::ranges::replace_if(
      text, [](char c) { return c == '(' || c == ')'; }, ',');
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');)
    if (std::string trimmed = CLI::detail::trim_copy(word); !trimmed.empty())
      all.push_back(std::move(trimmed));
  return all;
}

/// The rows "| word | meaning |" of the page, without its head.
std::vector<Entry> entries() {
  std::vector<Entry> all;
  std::istringstream lines(glossary);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t middle = line.find(" | ");
    if (!line.starts_with("| ") || middle == std::string::npos || line.starts_with("| word |")) continue;
    const std::string words = line.substr(2, middle - 2);
    const std::string meaning = line.substr(middle + 3, line.rfind(" |") - middle - 3);
    all.push_back({words, meaning, split_words(words)});
  }
  return all;
}

struct ExplainOptions {
  std::vector<std::string> words;  ///< of one name
  Format format = Format::table;
};

/// The algorithms of that name, one for each collective.
std::vector<Entry> algorithms_called(const std::string& word) {
  std::vector<Entry> all;
  for (const Algorithm* a : catalogue())
    if (a->name == word)
      all.push_back({a->name + ", an algorithm of " + std::string(definition(a->collective).name),
                     std::string(a->description),
                     {}});
  return all;
}

/// The entry of a word; null: there is none.
const Entry* find(const std::vector<Entry>& all, const std::string& word) {
  for (const Entry& e : all)
    for (const std::string& w : e.each)
      if (CLI::detail::to_lower(w) == CLI::detail::to_lower(word)) return &e;
  return nullptr;
}

/// The entries of the words of a name, such as "node 5 NIC 0 out".
std::vector<Entry> of_each_word(const std::vector<Entry>& all, const std::string& name) {
  std::vector<Entry> found;
  std::istringstream words(name);
  for (std::string word; words >> word;)
    if (const Entry* e = find(all, word); e != nullptr && word.size() > 1)
      if (std::ranges::find(found, e->words, &Entry::words) == found.end()) found.push_back(*e);
  return found;
}

/// "; did you mean 'latency'?" for a word of the glossary that a name is like, or that one of its words is
/// like; empty if there is none.
std::string nearest_word(const std::vector<Entry>& all, const std::string& name) {
  std::vector<std::string> known;
  for (const Entry& e : all) known.insert(known.end(), e.each.begin(), e.each.end());
  std::string meant = did_you_mean(name, known);
  std::istringstream words(name);
  for (std::string word; meant.empty() && words >> word;)
    if (word.size() > 1) meant = did_you_mean(word, known);
  return meant.empty() ? "" : "; " + meant;
}

std::vector<Entry> asked(const std::string& word) {
  std::vector<Entry> all = entries();
  if (word.empty()) return all;
  if (auto named = algorithms_called(CLI::detail::to_lower(word)); !named.empty()) return named;
  if (const Entry* e = find(all, word)) return {*e};
  if (auto parts = of_each_word(all, word); parts.size() > 1) return parts;
  throw InputError("the glossary has no '" + word + "'" + nearest_word(all, word) +
                   "; collcast explain lists its words");
}

void run_explain(const ExplainOptions& options) {
  const std::vector<Entry> found = asked(text::join(options.words, " "));
  Json rows = Json::array();
  for (const Entry& e : found) rows.push_back({{"word", e.words}, {"meaning", e.meaning}});
  if (options.format == Format::json) return print_json(rows);
  if (options.format == Format::csv) return print_csv(rows);
  for (const Entry& e : found) print_text(e.words + ": " + e.meaning + "\n");
}

}  // namespace

void add_explain(CLI::App& app, int&) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = app.add_subcommand("explain", "What a word of the tables and documents means");
  verb->add_option("word", options->words,
                   "A word of the glossary, an algorithm, or the name of a link or port (default: all words)")
      ->option_text("WORD...");
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast explain busbw\n"
      "Example: collcast explain node 5 NIC 0 out");
  verb->callback([options] { run_explain(*options); });
}

}  // namespace collcast::cli
