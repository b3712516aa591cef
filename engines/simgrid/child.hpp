// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engines/player/player.hpp"

namespace collcast {

/// Runs `work` in a child process and returns its result. In this process, the observer and progress function
/// of `options` are called as `work` calls its own, and the exceptions of `work` are thrown.
Result in_child(const PlayOptions& options, const std::function<Result(const PlayOptions&)>& work);

}  // namespace collcast
