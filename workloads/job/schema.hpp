// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json_fwd.hpp"

namespace collcast::workloads {

/// The JSON Schema (draft 7) of what `parse_job` reads; of the names of collectives it has only ours.
Json job_schema();

}  // namespace collcast::workloads
