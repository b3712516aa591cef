// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/reader.hpp"

#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace collcast::trace {
namespace {

Metadata read_metadata(const PieceFile& file) {
  if (file.others().empty() || file.others().front().kind != PieceKind::metadata)
    throw InputError(file.path() + ": has no metadata: the file ends in its header or is damaged");
  const PieceRef& piece = file.others().front();
  std::vector<std::uint8_t> raw;
  file.read(piece, raw);
  return metadata_from_json(nlohmann::json::parse(raw, nullptr, false), file.where(piece.offset));
}

std::vector<std::vector<int>> read_communicators(const PieceFile& file, int ranks) {
  std::vector<std::vector<int>> all;
  std::vector<std::uint8_t> raw;
  for (const auto& piece : file.others()) {
    if (piece.kind != PieceKind::communicators) continue;
    file.read(piece, raw);
    auto some = decode_groups({raw, file.where(piece.offset)}, piece.count, ranks);
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  if (all.empty() || all[world].size() != static_cast<std::size_t>(ranks))
    throw InputError(file.path() + ": has no world communicator of " + std::to_string(ranks) + " ranks");
  return all;
}

}  // namespace

Reader::Reader(const std::string& path)
    : file_(path, FileKind::trace),
      metadata_(read_metadata(file_)),
      communicators_(read_communicators(file_, metadata_.ranks)),
      notes_(metadata_.notes) {
  if (file_.ranks() > ranks())
    throw InputError(path + ": has events of rank " + std::to_string(file_.ranks() - 1) +
                     ", but says it has " + std::to_string(ranks()) + " ranks");
  if (file_.cut_short())
    notes_.push_back("the file is cut short at byte " + std::to_string(file_.bytes()) +
                     "; what precedes is used");
  find_missing_ranks();
}

void Reader::find_missing_ranks() {
  for (int r = 0; r < ranks(); ++r) {
    if (!file_.events(r).empty()) continue;
    const std::string text = "rank " + std::to_string(r) + " of " + std::to_string(ranks()) + " is missing";
    if (!file_.cut_short()) throw InputError(path() + ": " + text + "; a trace has events of every rank");
    notes_.push_back(text + ": the file is cut short before its events");
  }
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
  return Cursor(file_, rank, static_cast<int>(communicators_.size()));
}

Cursor::Cursor(const PieceFile& file, int rank, int communicators)
    : file_(&file), pieces_(&file.events(rank)), rank_(rank), communicators_(communicators) {}

bool Cursor::next(Event& event) {
  while (!decoder_.next(event)) {
    if (next_piece_ == pieces_->size()) return false;
    load((*pieces_)[next_piece_++]);
  }
  validate(event);
  return true;
}

void Cursor::load(const PieceRef& piece) {
  file_->read(piece, raw_);
  decoder_ = Decoder(raw_, file_->where(piece.offset) + ", rank " + std::to_string(rank_));
}

void Cursor::validate(const Event& event) const {
  for (CommId comm : {event.comm, event.new_comm})
    if (comm < none || comm >= communicators_)
      decoder_.damaged("communicator " + std::to_string(comm) + " is unknown");
}

}  // namespace collcast::trace
