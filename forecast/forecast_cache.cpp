// SPDX-License-Identifier: Apache-2.0
#include "forecast/forecast_cache.hpp"

#include <cstdint>

#include "model/bounds/cut_graphs.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/paths.hpp"

namespace collcast {
namespace {

/// The address stands for the platform: copies of a description share their JSON.
std::string name_of(const ForecastCache::Seating& s) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(&s.platform.json())) + '\n' +
         std::to_string(s.ranks) + '\n' + s.placement + '\n' + std::to_string(static_cast<int>(s.memory)) +
         '\n' + std::to_string(s.workers) + '\n' + (s.transport ? s.transport->name() : "");
}

}  // namespace

ForecastCache::ForecastCache() : graphs_(std::make_shared<SharedCutGraphs>()) {}

Description ForecastCache::platform(const std::string& name, const std::vector<std::string>& set,
                                    std::vector<std::string>& notes) {
  std::string values = name, keys = name;
  for (const std::string& assignment : set) {
    values += '\n' + assignment;
    keys += '\n' + assignment.substr(0, assignment.find('='));
  }
  const auto found = platforms_.get(values, [&] {
    Description d = *loaded_.get(name, [&] { return std::make_shared<Description>(load_platform(name)); });
    set_all(d, set);
    std::vector<std::string> all =
        *unused_.get(keys, [&] { return std::make_shared<std::vector<std::string>>(notes_on_unused(d)); });
    for (std::string& words : implausible(d)) all.push_back(std::move(words));
    return std::make_shared<Platform>(Platform{std::move(d), std::move(all)});
  });
  notes = found->notes;
  return found->description;
}

std::shared_ptr<const Forecaster> ForecastCache::forecaster(const Seating& s) {
  const auto kept = forecasters_.get(name_of(s), [&] {
    return std::make_shared<WithPlatform<Forecaster>>(s.platform, s.platform, s.ranks,
                                                      parse_placement(s.placement), s.memory, s.workers,
                                                      s.transport, graphs_);
  });
  return {kept, &kept->thing};
}

std::shared_ptr<const Library> ForecastCache::library(const std::string& policy, const Seating& s) {
  const auto kept = libraries_.get(name_of(s) + '\n' + policy, [&] {
    return std::make_shared<WithPlatform<Library>>(s.platform, policy, s.platform, s.ranks,
                                                   parse_placement(s.placement), s.memory, s.transport);
  });
  return {kept, &kept->thing};
}

}  // namespace collcast
