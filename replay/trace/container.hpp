// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/trace/tail.hpp"

namespace collcast::trace {

inline constexpr std::uint32_t format_version = 1;
/// Larger pieces count as damage: the limit for pieces of communicators, and that for all others.
inline constexpr std::uint32_t max_list_bytes = 1u << 28, max_piece_bytes = 1u << 24;

enum class FileKind : std::uint32_t { trace = 1, recording = 2 };
enum class PieceKind : std::uint32_t { metadata = 1, communicators = 2, events = 3, status = 4, index = 5 };

/// Where a piece lies in its file.
struct PieceRef {
  std::uint64_t offset = 0;
  PieceKind kind{};
  std::uint32_t rank = 0;
  std::uint32_t count = 0;  ///< events or communicators in it
};

using ByteSpan = std::span<const std::uint8_t>;

/// The sixteen bytes that open every file.
std::vector<std::uint8_t> preamble(FileKind kind);

/// A piece as it lies in a file: header and compressed body with checksum.
std::vector<std::uint8_t> pack(PieceKind kind, std::uint32_t rank, std::uint32_t count, ByteSpan raw);

/// The index piece of `pieces`, at `offset`, and the trailer that points to it: what closes a file.
std::vector<std::uint8_t> pack_index(const std::vector<PieceRef>& pieces, std::uint64_t offset);

/// A file of pieces, found by its index and read one by one. Keeps no descriptor open, as a merge has many
/// files.
class PieceFile {
 public:
  /// Throws InputError if the file is unreadable, of another kind or version, or damaged.
  PieceFile(const std::string& path, FileKind kind);

  const std::string& path() const { return path_; }
  /// Whether the file ends in the middle of a piece, or has no index.
  bool cut_short() const { return cut_short_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Pieces that are not events, in file order.
  const std::vector<PieceRef>& others() const { return others_; }
  /// The event pieces of one rank, in order.
  const std::vector<PieceRef>& events(int rank) const;
  /// One more than the largest rank that has events.
  int ranks() const { return events_.empty() ? 0 : static_cast<int>(events_.rbegin()->first) + 1; }
  /// The header of its tail, if the file is a recording that ended before everything was written into it.
  const std::optional<TailHeader>& tail() const { return tail_; }
  /// How many bytes may be allocated for the file's contents: 64 times its size, or 256 MiB.
  std::uint64_t room() const;

  /// Decompresses one piece into `raw`. Throws InputError if it is damaged.
  void read(const PieceRef& piece, std::vector<std::uint8_t>& raw) const;
  /// "trace.cct, byte 1234": for error messages.
  std::string where(std::uint64_t offset) const;

 private:
  bool read_index();
  void scan();
  void add_tail();
  void add(const PieceRef& piece);

  std::string path_;
  std::uint64_t bytes_ = 0;
  bool cut_short_ = false;
  std::optional<TailHeader> tail_;  ///< its events count as the last piece, behind the file's end
  std::vector<PieceRef> others_;
  std::map<std::uint32_t, std::vector<PieceRef>> events_;  ///< by rank; only ranks that have events
};

}  // namespace collcast::trace
