// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forecast/sweep/journal.hpp"

namespace collcast::sweep {

/// The number of the next point; none: there are no more.
using Next = std::function<std::optional<std::int64_t>()>;
/// Answers a point.
using Answerer = std::function<Outcome(std::int64_t number)>;
using Done = std::function<void(std::int64_t number, const Outcome&)>;

/// Hands points out to workers until `next` has no more.
using HandOut = std::function<void(const Next&, const Answerer&, const Done&)>;

/// Hands points out to `count` processes of this machine; `done` is called in this one. A worker that dies is
/// replaced, and its point is lost. Workers end with this process. Throws Interrupted
/// (support/interrupt.hpp).
HandOut processes(int count);

/// Answers points one after the other in this process. A point that crashes ends the process.
HandOut here();

/// How many processors this machine has.
int processors();

/// The outcomes of points 0 to `count` - 1. `heard` is told of each as it comes, and how many have come.
std::vector<Outcome> outcomes(std::int64_t count, const HandOut& hand_out, const Answerer& answer,
                              const std::function<void(std::int64_t finished, const Outcome&)>& heard);

/// An outcome as one text, as workers send it, and back.
std::string packed(const Outcome& outcome);
Outcome unpacked(const std::string& text);

}  // namespace collcast::sweep
