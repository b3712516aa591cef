// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json_fwd.hpp"

namespace collcast::workloads {

/// The JSON Schema (draft 7) of what `parse_job` reads, but that collectives have our names only.
Json job_schema();

}  // namespace collcast::workloads
