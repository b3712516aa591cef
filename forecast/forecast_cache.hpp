// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/library.hpp"
#include "support/lru_cache.hpp"

namespace collcast {

/// Keeps platforms with ranks on them from one question to the next. For one thread.
class ForecastCache {
 public:
  /// Ranks on a platform.
  struct Seating {
    const Description& platform;
    Rank ranks = 1;
    std::string placement = "block";
    Memory memory = Memory::device;
    int workers = 0;
    std::optional<Transport> transport = {};
  };

  ForecastCache();

  /// A platform by name or file, with parameters set, and warnings about these. Throws InputError.
  Description platform(const std::string& name, const std::vector<std::string>& set,
                       std::vector<std::string>& notes);
  std::shared_ptr<const Forecaster> forecaster(const Seating& seating);
  std::shared_ptr<const Library> library(const std::string& policy, const Seating& seating);

 private:
  struct Platform {
    Description description;
    std::vector<std::string> notes;
  };
  /// Something made from a platform, and a copy of the platform. The cache's name for it contains the address
  /// of the platform's JSON, which the copy keeps alive.
  template <class Thing>
  struct WithPlatform {
    Description platform;
    Thing thing;
    template <class... Arguments>
    explicit WithPlatform(const Description& d, const Arguments&... arguments)
        : platform(d), thing(arguments...) {}
  };
  LruCache<Description> loaded_;
  LruCache<Platform> platforms_;
  LruCache<std::vector<std::string>>
      unused_;  ///< warnings by platform and parameters set, whatever their values
  std::shared_ptr<SharedCutGraphs> graphs_;
  LruCache<WithPlatform<Forecaster>> forecasters_;
  LruCache<WithPlatform<Library>> libraries_;
};

}  // namespace collcast
