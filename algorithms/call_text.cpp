// SPDX-License-Identifier: Apache-2.0
#include "algorithms/call_text.hpp"

#include <algorithm>
#include <cmath>

#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {

std::vector<std::string> untaken(const CallText& text, Collective collective,
                                 std::span<const Algorithm* const> algorithms, const std::string& chooser) {
  const std::string collective_name(definition(collective).name);
  std::vector<std::string> notes;
  if (!text.root.empty() && !definition(collective).rooted)
    notes.push_back(collective_name + " has no --root, which changes nothing");
  for (const auto& [given, parameter] : {std::pair{&text.radix, "radix"},
                                         {&text.segment, "segment"},
                                         {&text.channels, "channels"},
                                         {&text.buffer, "buffer"},
                                         {&text.ranks_per_node, "ranks-per-node"}}) {
    const auto takes = [name = std::string_view(parameter)](const Algorithm* a) {
      return std::ranges::count(parameters(*a), name) > 0;
    };
    if (given->empty() || (chooser.empty() && std::ranges::any_of(algorithms, takes))) continue;
    const std::string who = !chooser.empty()         ? chooser + " does not take"
                            : algorithms.size() == 1 ? full_name(*algorithms[0]) + " does not take"
                                                     : "no algorithm of " + collective_name + " takes";
    notes.push_back(who + " --" + parameter + ", which changes nothing");
  }
  return notes;
}

Bytes counted_message(const CallText& text, Collective collective, Rank ranks) {
  if (text.counts.empty()) throw InputError("--size is required");
  Bytes sum;
  for (const std::string& count : text.counts) sum += parse_size(count, "count");
  return sum / static_cast<double>(definition(collective).whole(ranks));
}

Call plain_call(const CallText& text, Collective collective, Rank ranks, Bytes message, Rank node) {
  constexpr std::int64_t most = std::numeric_limits<Rank>::max();
  const auto number = [](const std::string& given, const char* what, std::int64_t least, std::int64_t limit) {
    return static_cast<Rank>(parse_count(given, what, least, limit));
  };
  Call call;
  call.ranks = ranks;
  call.message = message;
  if (!text.root.empty()) call.root = number(text.root, "root", 0, ranks - 1);
  if (!text.radix.empty()) call.radix = number(text.radix, "radix", 2, most);
  if (!text.channels.empty()) call.channels = number(text.channels, "number of channels", 1, most);
  call.ranks_per_node = ranks % node == 0 ? node : 1;
  if (!text.ranks_per_node.empty())
    call.ranks_per_node = number(text.ranks_per_node, "number of ranks per node", 1, most);
  if (!text.buffer.empty()) call.buffer = parse_size(text.buffer, "buffer");
  for (const std::string& count : text.counts) call.counts.push_back(parse_size(count, "count"));
  check(collective, call);
  return call;
}

bool segment_exceeds(const CallText& text, Bytes message) {
  return !text.segment.empty() && text.segment != "auto" && parse_size(text.segment, "segment") > message;
}

std::optional<Bytes> parse_segment(const CallText& text, Bytes message, bool on_platform) {
  if (text.segment == "auto" && !on_platform)
    throw InputError(
        "--segment auto is the fastest on a platform, which this verb has not; give a size, or ask predict");
  if (text.segment == "auto" || (text.segment.empty() && on_platform)) return {};
  if (text.segment.empty()) return usual_segment;
  const Bytes segment = parse_size(text.segment, "segment");
  if (segment.value < 1) throw InputError("segment must be 1 byte or more, got " + text.segment);
  if (segment_exceeds(text, message))
    throw InputError("segment " + text.segment + " is larger than the message of " +
                     std::to_string(std::llround(message.value)) + " bytes");
  return segment;
}

Call make_call(const Algorithm& a, const CallText& text, const Call& call) {
  check(a, call);
  if (!a.segmented) return call;
  const Bytes segment = *parse_segment(text, call.message, false);
  Call made = call;
  if (call.message.value > 0)
    made.segments = std::max<Block>(1, static_cast<Block>(std::ceil(call.message / segment)));
  return made;
}

}  // namespace collcast
