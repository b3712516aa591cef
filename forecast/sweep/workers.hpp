// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forecast/sweep/journal.hpp"

namespace collcast::sweep {

/// What comes next, by number; nothing: that was all.
using Next = std::function<std::optional<std::int64_t>()>;
/// What comes of a point.
using Answerer = std::function<Outcome(std::int64_t number)>;
using Done = std::function<void(std::int64_t number, const Outcome&)>;

/// How points reach those who answer them.
using HandOut = std::function<void(const Next&, const Answerer&, const Done&)>;

/// Processes of this machine, which `answer` as they get round to it; `done` is told here. One that dies is
/// replaced, and its point lost. They die with this process.
HandOut processes(int count);

/// How many processors this machine has.
int processors();

/// The outcomes of points 0 to `count` - 1. `heard` is told of each as it comes, and how many have come.
std::vector<Outcome> outcomes(std::int64_t count, const HandOut& hand_out, const Answerer& answer,
                              const std::function<void(std::int64_t finished, const Outcome&)>& heard);

/// What a worker sends: the outcome as one text, and back.
std::string packed(const Outcome& outcome);
Outcome unpacked(const std::string& text);

}  // namespace collcast::sweep
