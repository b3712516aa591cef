// SPDX-License-Identifier: Apache-2.0
#include "forecast/known.hpp"

#include <algorithm>

#include "platforms/description/load.hpp"
#include "platforms/machine/paths.hpp"

namespace collcast {
namespace {

/// Parameters that were set and move nothing.
std::vector<std::string> unmoved(const Description& description) {
  std::vector<std::string> notes;
  const auto what_if = [](const Parameter& p) { return p.stamp == Stamp::what_if; };
  if (std::ranges::none_of(description.parameters(), what_if)) return notes;
  for (const Parameter& p : unused_parameters(description))
    if (what_if(p)) notes.push_back(p.path + " moves no message and no reduction");
  return notes;
}

std::string name_of(const Known::Platform& platform, const Known::Seating& s) {
  return platform.name + '\n' + std::to_string(s.ranks) + '\n' + s.placement + '\n' +
         std::to_string(static_cast<int>(s.memory)) + '\n' + std::to_string(s.workers);
}

}  // namespace

std::shared_ptr<const Known::Platform> Known::platform(const std::string& name,
                                                       const std::vector<std::string>& set) {
  std::string values = name, keys = name;
  for (const std::string& assignment : set) {
    values += '\n' + assignment;
    keys += '\n' + assignment.substr(0, assignment.find('='));
  }
  return platforms_.get(values, [&] {
    Description d = load_platform(name);
    set_all(d, set);
    const auto notes =
        unused_.get(keys, [&] { return std::make_shared<std::vector<std::string>>(unmoved(d)); });
    return std::make_shared<Platform>(Platform{values, std::move(d), *notes});
  });
}

std::shared_ptr<const Forecaster> Known::forecaster(const Platform& platform, const Seating& s) {
  return forecasters_.get(name_of(platform, s), [&] {
    return std::make_shared<Forecaster>(platform.description, s.ranks, parse_placement(s.placement), s.memory,
                                        s.workers);
  });
}

std::shared_ptr<const Library> Known::library(const Platform& platform, const Seating& s,
                                              const std::string& policy) {
  return libraries_.get(name_of(platform, s) + '\n' + policy, [&] {
    return std::make_shared<Library>(policy, platform.description, s.ranks, parse_placement(s.placement),
                                     s.memory);
  });
}

}  // namespace collcast
