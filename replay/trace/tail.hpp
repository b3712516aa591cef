// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace collcast::trace {

/// How a tail begins: the file beside a rank's recording that holds the events not yet written into it. The
/// recorder has it in its memory, and the system keeps what is in it however the process ends.
struct TailHeader {
  std::uint64_t mark;   ///< tail_mark, in the byte order of the machine
  std::uint64_t begin;  ///< bytes of the recording that come before
  std::uint64_t
      filled;  ///< number of events << 32 | their bytes, in one word: both or none are new; 0: nothing
  std::int64_t wall_ns;  ///< wall-clock time recorded up to its last event
  std::uint64_t rank;
};
inline constexpr std::uint64_t tail_mark = 0x0a314c4941544343;  // "CCTAIL1\n"

/// The largest body of a tail, and the size at which the recorder ends a piece of events.
inline constexpr std::size_t piece_bytes = 1u << 16;

/// The tail of a recording.
std::string tail_of(const std::string& recording);

/// What the tail of a recording says of itself; nothing if there is none, or nothing is in it. Throws
/// InputError if it is damaged.
std::optional<TailHeader> read_tail_header(const std::string& recording);
/// Reads its first `bytes` bytes of events. Throws InputError if they are not there.
void read_tail(const std::string& recording, std::uint64_t bytes, std::vector<std::uint8_t>& body);

}  // namespace collcast::trace
