// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace collcast {

/// JSON whose objects keep the order of their keys.
using Json = nlohmann::ordered_json;

}  // namespace collcast
