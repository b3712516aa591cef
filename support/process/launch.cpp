// SPDX-License-Identifier: Apache-2.0
#include "support/process/launch.hpp"

#include <unistd.h>

#include "support/process/child.hpp"

namespace collcast {

Ended launch(const std::vector<std::string>& command) {
  Child child(command, {STDERR_FILENO});
  std::string errors = child.read_all();
  return {child.wait(), std::move(errors)};
}

}  // namespace collcast
