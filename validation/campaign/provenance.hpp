// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json.hpp"

namespace collcast::campaign {

/// Where and with what the lines of this program are made: {"commit", "version", "date", "machine",
/// "processor", "processors", "kernel", "compiler", "simgrid"}.
Json provenance();

}  // namespace collcast::campaign
