// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_deepintrospect(std::string_view head);

/// DeepIntrospect's dumps, and what `inspect --like deepintrospect` writes: a profile of calls by operation
/// and message size, with their total times in us.
std::unique_ptr<Source> open_deepintrospect(const std::vector<std::string>& files,
                                            const OpenOptions& options);

}  // namespace collcast
