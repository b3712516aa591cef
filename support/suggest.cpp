// SPDX-License-Identifier: Apache-2.0
#include "support/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "support/edit_distance.hpp"

namespace collcast {
namespace {

constexpr std::size_t longest_word = 200;

/// The word in lower case, with hyphens for underscores and spaces.
std::string plain(std::string_view word) {
  std::string same(word);
  for (char& c : same)
    c = c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return same;
}

std::string_view without_unit(std::string_view candidate) {
  return candidate.substr(0, candidate.rfind('-'));
}

/// The edit distance, then minus the length of the common prefix; smaller is more similar.
using Unlike = std::pair<double, int>;
constexpr double unlike = 1e9;

double distance(const std::string& word, const std::string& candidate) {
  if (word == candidate) return 0;
  if (word.size() >= 2 && (candidate.starts_with(word) || candidate.ends_with("." + word))) return 0.5;
  const std::string_view last = std::string_view(candidate).substr(candidate.rfind('.') + 1);
  const bool tail = word.find('.') == std::string::npos;
  double least = unlike;
  for (const auto& [part, more] : {std::pair{std::string_view(candidate), 0.},
                                   {without_unit(candidate), 0.25},
                                   {tail ? last : std::string_view(candidate), 0.5},
                                   {tail ? without_unit(last) : std::string_view(candidate), 0.75}}) {
    const auto letters = static_cast<double>(edit_distance(word, part));
    if (letters <= std::max(1., static_cast<double>(word.size() / 3)) &&
        letters < static_cast<double>(word.size()))
      least = std::min(least, letters + more);
  }
  const bool holds = word.size() >= 4 && candidate.find(word) != std::string::npos;
  return holds ? std::min(least, 2.5) : least;
}

Unlike compared(const std::string& word, const std::string& candidate) {
  const auto common = std::ranges::mismatch(word, candidate).in1 - word.begin();
  const double letters = distance(word, candidate);
  return {letters, letters > 0.5 ? -static_cast<int>(common) : 0};
}

}  // namespace

std::vector<std::string> alike(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string asked = plain(word);
  Unlike least{unlike, 0};
  std::vector<std::string> best;
  for (const std::string& candidate : candidates) {
    const Unlike u = compared(asked, plain(candidate));
    if (u.first >= unlike || u > least) continue;
    if (u < least) best.clear();
    least = u;
    if (std::ranges::find(best, candidate) != best.end()) continue;
    best.push_back(candidate);
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view quote) {
  constexpr std::size_t most = 4;
  const std::vector<std::string> best = alike(word, candidates);
  if (best.empty()) return {};
  std::string words = "did you mean ";
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best.size() > most && i >= 2 && i + 1 < best.size()) continue;
    if (i > 0)
      words += best.size() > most && i + 1 == best.size() ? ", ... or " : i + 1 < best.size() ? ", " : " or ";
    words.append(quote).append(best[i]).append(quote);
  }
  return words + "?";
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = did_you_mean(word, candidates);
  return "; " + (meant.empty() ? "expected one of: " + join(candidates) : meant);
}

}  // namespace collcast
