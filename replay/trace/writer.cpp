// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/writer.hpp"

#include "support/json.hpp"

namespace collcast::trace {

Writer::Writer(const std::string& path, const Metadata& metadata,
               const std::vector<std::vector<int>>& communicators)
    : file_(path),
      encoders_(static_cast<std::size_t>(metadata.ranks)),
      written_(static_cast<std::size_t>(metadata.ranks)) {
  file_.write(preamble(FileKind::trace));
  const std::string text = dump(to_json(metadata));
  add_piece(PieceKind::metadata, 0, 0, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  add_piece(PieceKind::communicators, 0, static_cast<std::uint32_t>(communicators.size()),
            encode_groups(communicators));
}

void Writer::add_piece(PieceKind kind, int rank, std::uint32_t count, ByteSpan raw) {
  pieces_.push_back({file_.written(), kind, static_cast<std::uint32_t>(rank), count});
  file_.write(pack(kind, static_cast<std::uint32_t>(rank), count, raw));
}

void Writer::put(int rank, const Event& event) {
  auto& encoder = encoders_.at(static_cast<std::size_t>(rank));
  encoder.put(event);
  if (encoder.bytes().size() >= piece_bytes) flush(rank);
}

void Writer::flush(int rank) {
  auto& encoder = encoders_.at(static_cast<std::size_t>(rank));
  add_piece(PieceKind::events, rank, encoder.count(), encoder.bytes());
  encoder.restart();
  written_[static_cast<std::size_t>(rank)] = true;
}

void Writer::close() {
  for (std::size_t r = 0; r < encoders_.size(); ++r)
    if (encoders_[r].count() > 0 || !written_[r]) flush(static_cast<int>(r));
  file_.write(pack_index(pieces_, file_.written()));
  file_.commit();
}

}  // namespace collcast::trace
