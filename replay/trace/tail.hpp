// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace collcast::trace {

/// The header of a tail, the file beside a rank's recording that holds the events not yet written into the
/// recording. The recorder maps it into its memory, so that the system keeps its contents however the process
/// ends.
struct TailHeader {
  std::uint64_t mark;   ///< tail_mark, in the byte order of the machine
  std::uint64_t begin;  ///< bytes of the recording that come before the tail
  std::uint64_t
      filled;  ///< number of events << 32 | their bytes; one word, so that both change at once; 0: none
  std::int64_t wall_ns;  ///< wall-clock time recorded up to its last event
  std::uint64_t rank;
};
inline constexpr std::uint64_t tail_mark = 0x0a314c4941544343;  // "CCTAIL1\n"

/// The largest body of a tail, and the size at which the recorder ends a piece of events.
inline constexpr std::size_t piece_bytes = 1u << 16;

/// The path of a recording's tail.
std::string tail_of(const std::string& recording);

/// The header of a recording's tail; nothing if there is no tail, or no event in it. Throws InputError if it
/// is damaged.
std::optional<TailHeader> read_tail_header(const std::string& recording);
/// Reads the first `bytes` bytes of the tail's events. Throws InputError if they are not there.
void read_tail(const std::string& recording, std::uint64_t bytes, std::vector<std::uint8_t>& body);

}  // namespace collcast::trace
