// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engines/player/player.hpp"

namespace collcast {

/// Runs `work` in a child process and returns its result. What it tells its observer and its progress
/// function is told to those of `options`, here; its exceptions are thrown here.
Result in_child(const PlayOptions& options, const std::function<Result(const PlayOptions&)>& work);

}  // namespace collcast
