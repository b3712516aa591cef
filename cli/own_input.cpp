// SPDX-License-Identifier: Apache-2.0
#include "cli/own_input.hpp"

#include <algorithm>
#include <filesystem>

#include "support/error.hpp"

namespace collcast::cli {

void refuse_own_input(const std::string& out, const std::vector<std::string>& read, const std::string& what) {
  const auto same = [&](const std::string& in) {
    std::error_code unreadable;  // not every input is a file: it may be the name of a platform
    return std::filesystem::equivalent(in, out, unreadable);
  };
  if (std::ranges::any_of(read, same))
    throw InputError("'" + out + "' is " + what + " itself; choose another name");
}

}  // namespace collcast::cli
