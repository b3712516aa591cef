// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/text.hpp"

namespace collcast {

/// The candidates that `word` probably means: those that begin with it, add only a unit (`_GBps`), or differ
/// by a letter or two. Only the closest ones are returned; empty if there are none.
std::vector<std::string> alike(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'a'?", "did you mean 'a' or 'b'?"; empty if no candidate is similar.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view quote = "'");

/// What follows an unknown word: "; did you mean 'a'?", or "; expected one of: a, b, c" if none is alike.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

using text::join;

}  // namespace collcast
