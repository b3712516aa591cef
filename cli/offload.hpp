// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "forecast/offload.hpp"

namespace collcast::cli {

/// --offload, --workers, --pieces, --compute.
void add_offload(CLI::App& verb, Offload& offload);

}  // namespace collcast::cli
