// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json_fwd.hpp"
#include "validation/measurements/text.hpp"

namespace collcast::measurements {

/// Each reads one form of text. Throws InputError.
std::vector<Measurement> read_osu(const Text& text, const FileFacts& known);
std::vector<Measurement> read_nccl_tests(const Text& text, const FileFacts& known);
std::vector<Measurement> read_p2p(const Text& text, const FileFacts& known);
std::vector<Measurement> read_csv(const Text& text, const FileFacts& known);
std::vector<Measurement> read_json_lines(const Text& text, const FileFacts& known);

/// The JSON that nccl-tests writes with -J.
bool is_nccl_tests_report(const Json& document);
std::vector<Measurement> read_nccl_tests_report(const Text& text, const Json& document,
                                                const FileFacts& known);

/// Whether a line shows that the text is of that form.
bool looks_like_osu(const Line& line);
bool looks_like_nccl_tests(const Line& line);
bool looks_like_p2p(const Line& line);
bool looks_like_csv(const Line& line);
bool looks_like_json_lines(const Line& line);

}  // namespace collcast::measurements
