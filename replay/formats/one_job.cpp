// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/one_job.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {

void claim_rank(std::map<Rank, std::string>& claimed, Rank rank, const std::string& path) {
  if (const auto [other, is_new] = claimed.emplace(rank, path); !is_new)
    throw InputError("two files claim rank " + std::to_string(rank) + ": " + other->second + " and " + path);
}

void SaidAlike::say(const std::string& path, const std::string& value) {
  if (value.empty()) return;
  if (value_.empty()) path_ = path, value_ = value;
  if (value != value_)
    throw InputError("ranks of two different jobs: " + path_ + " says " + value_ + ", " + path + " " + value);
}

Seconds longest_gap(std::vector<WallTime> periods) {
  std::ranges::sort(periods, {}, &WallTime::begin);
  Seconds longest;
  const WallTime* last = nullptr;  // of the periods before, the one that ends last
  for (const WallTime& p : periods) {
    const Seconds gap = last ? p.begin - last->end : Seconds();
    if (last && gap > last->patience)
      throw InputError("ranks of two different jobs: " + last->path + " ends " + text::seconds(gap.value) +
                       " before " + p.path + " begins, and its ranks wait for others " +
                       text::seconds(last->patience.value) + " at most");
    longest = std::max(longest, gap);
    if (!last || p.end > last->end) last = &p;
  }
  return longest;
}

std::string_view maker_of_gpu(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> makers[] = {
      {"nvidia", "NVIDIA"}, {"tesla", "NVIDIA"}, {"geforce", "NVIDIA"}, {"quadro", "NVIDIA"},
      {"titan", "NVIDIA"},  {"amd", "AMD"},      {"instinct", "AMD"},   {"radeon", "AMD"},
      {"gfx", "AMD"},       {"intel", "Intel"}};
  const std::string lower = text::lower(name);
  const auto found =
      std::ranges::find_if(makers, [&](const auto& m) { return lower.find(m.first) != std::string::npos; });
  return found == std::end(makers) ? std::string_view() : found->second;
}

std::string ranks_in_words(const std::vector<Rank>& ranks) {
  if (ranks.empty()) return {};
  std::vector<Rank> first(ranks.size());
  std::iota(first.begin(), first.end(), 0);
  const auto written = [](Rank r) { return std::to_string(r); };
  return text::counted(std::ssize(ranks), "rank") +
         (ranks == first ? "" : " (" + text::join(ranks, ", ", written) + ")");
}

}  // namespace collcast
