// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forecast/answer.hpp"
#include "libraries/policy.hpp"
#include "platforms/machine/machine.hpp"
#include "support/notes.hpp"

namespace collcast {

/// An answer, row by row.
class GrowingAnswer {
 public:
  explicit GrowingAnswer(Answer begun) : answer_(std::move(begun)) {}

  void note(std::string text) { add_once(answer_.notes, std::move(text)); }

  /// The rows that follow are of this platform, an index into those of the answer, ...
  void go_to(std::size_t platform) { which_ = platform; }
  /// ... and of these ranks on it.
  void go_to(const Machine& machine);

  Answer::Row& add(Prediction prediction);
  void add(Prediction prediction, std::shared_ptr<const SynthesizedSchedule> schedule);

  /// There is no row of a size.
  void skip(const std::string& what, const std::string& why, Bytes size);
  /// The same, because the segment that was asked for is larger.
  void skip_too_small(const std::string& what, const std::string& segment, Bytes size);
  /// The same, because a library's choice is not known.
  void skip(Collective collective, const NoRule& why, Bytes size);
  /// Notes what was skipped since.
  void tell_skipped();

  /// Notes that watched messages took another time than the row's.
  void tell_played(Seconds played, Seconds row);
  /// Notes once that messages share links that the critical path ignores.
  void tell_shared(const Algorithm& a, const Call& call, const Fabric& fabric);

  /// The answer. If it has no rows, throws the reason, as far as that is known.
  Answer done(const CallText& asked) &&;

 private:
  Answer answer_;
  std::size_t which_ = 0;
  Occupancy occupancy_;
  bool shared_told_ = false;
  std::map<std::string, std::map<std::string, std::vector<Bytes>>> skipped_;  ///< sizes by what and why
  std::optional<Bytes> too_small_;  ///< the first size that is smaller than the segment asked for
  std::optional<NoRule> unruled_;   ///< the first reason why a library's choice is not known
};

}  // namespace collcast
