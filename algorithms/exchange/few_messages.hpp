// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/schedule.hpp"

namespace collcast {

/// Throws InputError, which begins with `refusal`, if a schedule has more than `most` messages.
void require_few_messages(const Schedule& schedule, std::int64_t most, const std::string& refusal);

}  // namespace collcast
