// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace collcast {

/// What a file is that has events in Chrome's form, and none of a tool that is known.
inline constexpr std::string_view unknown_chrome_trace =
    "a Chrome trace of no tool that is known; those of torch's profiler and Horovod's timelines are read";

/// What a file is that is no trace or profile for `inspect`, and where it belongs: "a tar archive; unpack it,
/// and ..."; empty if nobody knows.
std::string_view unread(std::string_view head);

/// Whether a file that begins with `head` is a Chrome trace of JAX's or TensorFlow's profiler.
bool is_jax_trace(std::string_view head);

}  // namespace collcast
