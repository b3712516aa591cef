// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// The catalogue as a page of Markdown: docs/generated/algorithms.md.
std::string document();

}  // namespace collcast
