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

/// The last things that were made, by name.
template <class Thing>
class Recent {
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

/// Platforms with ranks on them as one question after the other needs them, each made once. Of one thread.
class Known {
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

  Known();

  /// A platform by name or file, with parameters set, and what is to be said of it. Throws InputError.
  Description platform(const std::string& name, const std::vector<std::string>& set,
                       std::vector<std::string>& notes);
  std::shared_ptr<const Forecaster> forecaster(const Seating& seating);
  std::shared_ptr<const Library> library(const std::string& policy, const Seating& seating);

 private:
  struct Platform {
    Description description;
    std::vector<std::string> notes;
  };
  /// What was made of a platform keeps it, so that no other takes its address.
  template <class Made>
  struct Kept {
    Description platform;
    Made made;
    template <class... Arguments>
    explicit Kept(const Description& d, const Arguments&... arguments) : platform(d), made(arguments...) {}
  };
  Recent<Description> loaded_;
  Recent<Platform> platforms_;
  Recent<std::vector<std::string>> unused_;  ///< by platform and what is set, whatever to
  std::shared_ptr<SharedCutGraphs> graphs_;
  Recent<Kept<Forecaster>> forecasters_;
  Recent<Kept<Library>> libraries_;
};

}  // namespace collcast
