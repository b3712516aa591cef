// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engines/player/player.hpp"

namespace collcast {

/// Runs `work` in a child process and returns its result. Its observer's and progress function's calls are
/// passed on to those of `options`, and its exceptions are thrown, in this process.
Result in_child(const PlayOptions& options, const std::function<Result(const PlayOptions&)>& work);

}  // namespace collcast
