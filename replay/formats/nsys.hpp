// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_nsys(std::string_view head);

/// What `nsys export --type sqlite` writes: each GPU of each process is a rank, with streams as in
/// kineto.hpp. It has sizes only if it was exported with --include-blobs or --include-json.
std::unique_ptr<Source> open_nsys(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
