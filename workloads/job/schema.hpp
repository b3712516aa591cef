// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json_fwd.hpp"

namespace collcast::workloads {

/// The JSON Schema (draft 7) of what `parse_job` reads. It has only our own names of collectives.
Json job_schema();

}  // namespace collcast::workloads
