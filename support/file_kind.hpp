// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace collcast {

/// What a file is, judged by its first bytes, and which verb takes it: "empty", "binary", "a recorded
/// application, which `collcast replay` takes"; empty if that is not known.
std::string_view kind_of_file(std::string_view head);

/// Throws InputError, "FILE: is KIND; expected WHAT", if the file's kind is known and is another than the
/// expected one; kinds are compared up to their first comma.
void refuse_other_kinds(const std::string& file, std::string_view text, std::string_view expected);

}  // namespace collcast
