// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "workloads/job/job.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// The prices of a job's communication, at one end of their intervals, and what limits it.
class JobPrices {
 public:
  JobPrices(const Job& job, const PriceOf& price, Seconds Price::*end)
      : job_(job), price_(price), end_(end) {}

  /// Of a message that leaves whether or not its receiver has come.
  std::optional<Departure> departure(int role, const JobActivity& a) {
    return price_(call(role, a)).departure;
  }
  /// The price of an activity that is played; its `time` is that of the end.
  Price paid(int role, const JobActivity& a);
  void add(const std::string& limit, Seconds time) { limits_[limit] += time; }
  /// What limits most of the time that was paid.
  std::string limited_by() const;

 private:
  GroupCall call(int role, const JobActivity& a);
  GroupCall slowest(int role, int peer, Bytes bytes);

  const Job& job_;
  const PriceOf& price_;
  Seconds Price::*end_;
  std::map<std::pair<std::pair<int, int>, Bytes>, GroupCall> messages_;
  std::map<std::string, Seconds> limits_;
};

}  // namespace collcast::workloads
