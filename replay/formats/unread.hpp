// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace collcast {

/// What a file is that is no trace or profile for `inspect`, and where it belongs: "a tar archive; unpack it,
/// and ..."; empty if nobody knows.
std::string_view unread(std::string_view head);

}  // namespace collcast
