// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace collcast {

/// What a file is by its head, and who takes it: "empty", "binary", "a recorded application, which `collcast
/// replay` takes"; nothing where that is not known.
std::string_view kind_of_file(std::string_view head);

/// For a file that is not what a reader expects: throws InputError, "FILE: is KIND; expected WHAT", where the
/// kind is known and not the expected one, of the same words up to a comma.
void refuse_other_kinds(const std::string& file, std::string_view text, std::string_view expected);

}  // namespace collcast
