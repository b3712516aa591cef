// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace/codec.hpp"
#include "replay/trace/container.hpp"
#include "replay/trace/event.hpp"
#include "replay/trace/metadata.hpp"
#include "support/output_file.hpp"

namespace collcast::trace {

/// Writes a trace. The file gets its name only when it is closed, so that no one sees a half-written trace.
class Writer {
 public:
  /// `communicators[0]` is world. Throws InputError if the file cannot be made.
  Writer(const std::string& path, const Metadata& metadata,
         const std::vector<std::vector<int>>& communicators);

  /// Appends to one rank's events. Throws SubstrateError if the disk is full.
  void put(int rank, const Event& event);

  /// Ends the rank's piece now; the next event opens another.
  void flush(int rank);

  /// Writes what is buffered and the index, and gives the file its name.
  void close();

 private:
  void add_piece(PieceKind kind, int rank, std::uint32_t count, ByteSpan raw);

  OutputFile file_;
  std::vector<Encoder> encoders_;
  std::vector<bool> written_;
  std::vector<PieceRef> pieces_;
};

}  // namespace collcast::trace
