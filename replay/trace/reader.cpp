// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/reader.hpp"

#include "support/json.hpp"

#include "support/error.hpp"

namespace collcast::trace {
namespace {

Metadata read_metadata(const PieceFile& file) {
  if (file.others().empty() || file.others().front().kind != PieceKind::metadata)
    throw InputError(file.path() + ": has no metadata: the file ends in its header or is damaged");
  const PieceRef& piece = file.others().front();
  std::vector<std::uint8_t> raw;
  file.read(piece, raw);
  return metadata_from_json(parse_json(raw), file.where(piece.offset));
}

Communicators read_communicators(const PieceFile& file, int ranks) {
  Communicators all;
  std::vector<std::uint8_t> raw;
  for (const auto& piece : file.others()) {
    if (piece.kind != PieceKind::communicators) continue;
    file.read(piece, raw);
    decode_groups({raw, file.where(piece.offset)}, piece.count, ranks, file.room(), all);
  }
  if (all.empty() || all[world].size() != static_cast<std::size_t>(ranks))
    throw InputError(file.path() + ": has no world communicator of " + std::to_string(ranks) + " ranks");
  return all;
}

/// Counts the memory of pieces, as those of all ranks are in memory at once. Pieces of usual size are free.
/// Larger ones have to be in proportion to the file: an event takes up to twelve times its bytes.
void charge(PieceMemory& memory, int rank, std::size_t bytes, const std::string& path) {
  constexpr std::size_t usual = std::size_t{1} << 17;
  std::uint64_t& largest = memory.of_rank[static_cast<std::size_t>(rank)];
  const std::uint64_t charged = bytes > usual ? 12 * bytes : 0;
  if (charged <= largest) return;
  memory.bytes += charged - largest;
  largest = charged;
  if (memory.bytes > memory.most) throw InputError(path + ": damaged: its pieces are too large for its size");
}

}  // namespace

Reader::Reader(const std::string& path)
    : file_(path, FileKind::trace),
      metadata_(read_metadata(file_)),
      communicators_(read_communicators(file_, metadata_.ranks)),
      notes_(metadata_.notes) {
  if (static_cast<std::uint64_t>(ranks()) > file_.bytes())
    throw InputError(path + ": says it has " + std::to_string(ranks()) + " ranks, in " +
                     std::to_string(file_.bytes()) + " bytes");
  if (file_.ranks() > ranks())
    throw InputError(path + ": has events of rank " + std::to_string(file_.ranks() - 1) +
                     ", but says it has " + std::to_string(ranks()) + " ranks");
  if (file_.cut_short())
    notes_.push_back("the file is cut short at byte " + std::to_string(file_.bytes()) +
                     "; what precedes is used");
  find_missing_ranks();
  piece_memory_ = {0, file_.room(), std::vector<std::uint64_t>(static_cast<std::size_t>(ranks()))};
}

void Reader::find_missing_ranks() {
  int missing = 0, first = 0;
  for (int r = ranks() - 1; r >= 0; --r)
    if (file_.events(r).empty()) first = r, ++missing;
  if (missing == 0) return;
  const std::string text = "rank " + std::to_string(first) + " of " + std::to_string(ranks()) + " is missing";
  if (!file_.cut_short()) throw InputError(path() + ": " + text + "; a trace has events of every rank");
  const std::string others = missing > 1 ? " (and " + std::to_string(missing - 1) + " more)" : "";
  notes_.push_back(text + others + ": the file is cut short before its events");
}

std::int64_t Reader::events(int rank) const {
  std::int64_t count = 0;
  for (const auto& piece : file_.events(rank)) count += piece.count;
  return count;
}

Cursor Reader::rank(int rank) const {
  if (rank < 0 || rank >= ranks())
    throw InputError(path() + ": has no rank " + std::to_string(rank) + "; its ranks are 0 to " +
                     std::to_string(ranks() - 1));
  return Cursor(*this, rank);
}

Cursor::Cursor(const Reader& reader, int rank)
    : file_(&reader.file_),
      pieces_(&reader.file_.events(rank)),
      rank_(rank),
      checker_(reader.communicators_, rank, reader.metadata_.threads),
      piece_memory_(&reader.piece_memory_) {}

bool Cursor::next(Event& event) {
  while (!decoder_.next(event)) {
    if (next_piece_ == pieces_->size()) return false;
    load((*pieces_)[next_piece_++]);
  }
  if (const std::string what = checker_.complaint(event); !what.empty())
    throw InputError(file_->path() + ": " + what);
  return true;
}

void Cursor::load(const PieceRef& piece) {
  file_->read(piece, raw_);
  charge(*piece_memory_, rank_, raw_.size(), file_->path());
  const auto ranks = static_cast<int>(piece_memory_->of_rank.size());
  decoder_ = Decoder(raw_, file_->where(piece.offset) + ", rank " + std::to_string(rank_), ranks);
}

}  // namespace collcast::trace
