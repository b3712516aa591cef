// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "forecast/offload.hpp"

namespace collcast::cli {

/// --offload, --workers, --pieces, --compute.
void add_offload(CLI::App& verb, Offload& offload);

/// Whether DPUs write into the receivers' own memory (`on_dpu`): "staged" or "direct", as `what` says.
bool is_direct(const std::string& what, const std::string& delivery);

}  // namespace collcast::cli
