// SPDX-License-Identifier: Apache-2.0
#include "workloads/applications/script.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

constexpr std::size_t most_of_a_role = 1'000'000;

}  // namespace

int Script::add(JobActivity activity) {
  if (activities_.size() == most_of_a_role)
    throw InputError("the application makes more activities than a million");
  activities_.push_back(std::move(activity));
  return static_cast<int>(activities_.size()) - 1;
}

std::string one_of(Settings& settings, const std::string& setting, const std::string& otherwise,
                   const std::vector<std::string>& words) {
  const std::string word = settings.word(setting, otherwise);
  if (std::ranges::find(words, word) != words.end()) return word;
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : w == words.back() ? " or " : ", ") + w;
  throw InputError("application " + settings.name() + ": " + setting + " takes " + all + ", got '" + word +
                   "'");
}

double efficiency(Settings& settings) {
  const double share = settings.real("efficiency", 0.7);
  if (share < 1e-9 || share > 1)
    throw InputError("application " + settings.name() + ": efficiency takes a share from 1e-9 to 1");
  return share;
}

Progress host_progress(Settings& settings) {
  return one_of(settings, "progress", "host", {"always", "host"}) == "host" ? Progress::host
                                                                            : Progress::always;
}

}  // namespace collcast::workloads
