// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace collcast {

/// Describes a file with events in Chrome's form by no known tool.
inline constexpr std::string_view unknown_chrome_trace =
    "a Chrome trace of no tool that is known; those of torch's profiler and Horovod's timelines are read";

/// Describes a file that is no trace or profile for `inspect`, and says what to do with it: "a tar archive;
/// unpack it, and ..."; empty if it is unknown.
std::string_view unread(std::string_view head);

/// Whether a file that begins with `head` is a Chrome trace of JAX's or TensorFlow's profiler.
bool is_jax_trace(std::string_view head);

}  // namespace collcast
