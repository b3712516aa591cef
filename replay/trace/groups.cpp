// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "replay/trace/codec.hpp"

namespace collcast::trace {
namespace {

/// How many ranks from `at` on have the stride of the first two.
std::size_t run_length(const std::vector<int>& group, std::size_t at) {
  std::size_t end = at + 1;
  while (end < group.size() && (end < at + 2 || group[end] - group[end - 1] == group[at + 1] - group[at]))
    ++end;
  return end - at;
}

void put_group(std::vector<std::uint8_t>& to, const std::vector<int>& group) {
  put_varint(to, group.size());
  for (std::size_t at = 0; at < group.size();) {
    const std::size_t length = run_length(group, at);
    put_varint(to, length);
    put_varint(to, zigzag(group[at]));
    if (length > 1) put_varint(to, zigzag(group[at + 1] - group[at]));
    at += length;
  }
}

void get_run(VarintSource& source, std::uint64_t size, int ranks, std::vector<int>& group) {
  const std::uint64_t length = source.next();
  if (length == 0 || length > size - group.size())
    source.damaged("a communicator has more ranks than it says");
  const int first = source.next_int();
  const int stride = length > 1 ? source.next_int() : 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::int64_t rank = first + static_cast<std::int64_t>(i) * stride;
    if (rank < 0 || rank >= ranks)
      source.damaged("a communicator has rank " + std::to_string(rank) + " of " + std::to_string(ranks));
    group.push_back(static_cast<int>(rank));
  }
}

std::vector<int> get_group(VarintSource& source, int ranks, std::uint64_t& room) {
  const std::uint64_t size = source.next();
  if (size > static_cast<std::uint64_t>(ranks))
    source.damaged("a communicator has more ranks than the trace");
  const std::uint64_t bytes = sizeof(std::vector<int>) + 2 * sizeof(int) * size;  // and once more to sort
  if (bytes > room) source.damaged("its communicators have too many ranks for a file of its size");
  room -= bytes;
  std::vector<int> group;
  group.reserve(size);
  while (group.size() < size) get_run(source, size, ranks, group);
  std::vector<int> sorted = group;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    source.damaged("a communicator has rank " + std::to_string(*twice) + " twice");
  return group;
}

}  // namespace

std::vector<std::uint8_t> encode_groups(const std::vector<std::vector<int>>& groups) {
  std::vector<std::uint8_t> bytes;
  for (const auto& group : groups) put_group(bytes, group);
  return bytes;
}

void decode_groups(VarintSource source, std::uint32_t count, int ranks, std::uint64_t room,
                   std::vector<std::vector<int>>& groups) {
  for (const auto& group : groups) room -= std::min<std::uint64_t>(room, 2 * sizeof(int) * group.size());
  for (std::uint32_t i = 0; i < count; ++i) groups.push_back(get_group(source, ranks, room));
  if (!source.empty()) source.damaged("bytes follow the last communicator");
}

}  // namespace collcast::trace
