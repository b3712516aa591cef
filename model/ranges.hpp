// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// Reads sizes and ranges of sizes: "4KiB", "1KiB:1GiB:x2" (by a factor), "64:512:+64" (by a step),
/// "1KiB:1MiB" (by a factor of 2). A range includes its end if a step meets it; a value of two ranges
/// is there once. Throws InputError for an empty range and for more than 100,000 values.
std::vector<Bytes> parse_sizes(std::span<const std::string> texts);
/// The same for numbers of ranks, 1 to 2^24.
std::vector<Rank> parse_rank_counts(std::span<const std::string> texts);
/// The same for any whole numbers from 0: "0:3:+1".
std::vector<std::int64_t> parse_counts(const std::string& text);
/// The same for any numbers from 0: "0.5:8:x2", "0:25:+2.5".
std::vector<double> parse_values(const std::string& text);
/// A single number of ranks.
Rank parse_ranks(const std::string& text);

/// Whether a text is a range, as "64:512:x2".
bool is_range(const std::string& text);
/// The parts of a text between these characters, empty ones too.
std::vector<std::string> split(const std::string& text, char at);
/// The parts of a list, between commas. A KEY=VALUE belongs to the name before it, and a number behind a
/// setting to that setting: "summit,nccl-2.8:algo=Ring,proto=LL" has two parts, and so has
/// "ddp:bucket=1MiB,25MiB,one". The name of an existing file is one part.
std::vector<std::string> listed(const std::string& text);
/// The same for a list of whole numbers; each range is replaced by its numbers.
std::vector<std::string> listed_counts(const std::string& text);

}  // namespace collcast
