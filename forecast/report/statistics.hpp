// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/player/player.hpp"
#include "forecast/report/machine.hpp"
#include "forecast/report/page.hpp"
#include "forecast/report/usage.hpp"

namespace collcast::report {

/// What a report says of a run beyond its answer: how often operations of which size took how long, what
/// ranks did when, and which links were used.
class Statistics : public Observer {
 public:
  /// `sketch` of the machine: without boxes there is no picture of the machine.
  explicit Statistics(Sketch sketch = {}) : sketch_(std::move(sketch)) {}
  /// The observer of a run on this fabric: this object.
  Observer* watch(const Fabric& fabric, NameOf name);
  void done(const Interval& interval) override;
  void used(const Use& use) override;

  /// For a run that took `time`. Empty chapters are left out.
  std::vector<Chapter> chapters(Seconds time) const;
  /// The same numbers: {"operations_by_size": [...], "links_by_kind": [...], "links": [...]}.
  Json json(Seconds time) const;

 private:
  struct Tally {
    std::int64_t count = 0;
    Seconds total, least, most;
    std::int64_t sizes = 1;
  };
  using Operations = std::map<std::pair<std::string, double>, Tally>;  ///< by name and bytes
  Operations grouped() const;
  Section by_size() const;
  Section links(Seconds time, std::size_t most) const;
  std::vector<LinkUse> uses() const;
  Chapter on_machine(Seconds time) const;
  Chapter overview(Seconds time) const;
  Curve over_time(const Usage& usage, const std::string& name, const Usage::Thing& use, double whole,
                  Seconds time, bool short_uses) const;

  Sketch sketch_;
  const Fabric* fabric_ = nullptr;  ///< while it runs
  Rank ranks_of_run_ = 0;
  NameOf name_;
  bool links_ = false;
  std::unordered_map<std::uint32_t, LinkUse> resources_;  ///< ports or links
  Operations operations_;
  Usage ranks_, usage_;
};

}  // namespace collcast::report
