// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forecast/library.hpp"

namespace collcast {

/// The things used last, by name.
template <class Thing>
class LruCache {
 public:
  template <class Make>
  std::shared_ptr<const Thing> get(const std::string& name, Make make) {
    const auto found = std::ranges::find(things_, name, &Entry::first);
    if (found != things_.end()) {
      things_.splice(things_.begin(), things_, found);
    } else {
      things_.emplace_front(name, make());
      if (things_.size() > most) things_.pop_back();
    }
    return things_.front().second;
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Thing>>;
  static constexpr std::size_t most = 32;
  std::list<Entry> things_;
};

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
  /// Something made from a platform, and the platform: its address is a part of the name.
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
