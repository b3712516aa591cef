// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace collcast {

/// What is packed in a part of a file: all of it or, beyond `most` bytes, nothing, as where it is damaged or
/// cut short. Streams that follow each other are one.
std::optional<std::string> unzipped(std::string_view packed, std::size_t most);  ///< zlib's, or gzip's

}  // namespace collcast
