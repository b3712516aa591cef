// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/trace/codec.hpp"
#include "replay/trace/container.hpp"
#include "replay/trace/event.hpp"
#include "replay/trace/metadata.hpp"

namespace collcast::trace {

/// One rank's events in order, with one decompressed piece in memory. Outlives no reader.
class Cursor {
 public:
  /// Reads the next event into `event`; false at the rank's end. Throws InputError at a damaged piece.
  bool next(Event& event);

 private:
  friend class Reader;
  Cursor(const PieceFile& file, int rank, int communicators);
  void load(const PieceRef& piece);
  void validate(const Event& event) const;

  const PieceFile* file_;
  const std::vector<PieceRef>* pieces_;
  int rank_;
  int communicators_;
  std::size_t next_piece_ = 0;
  std::vector<std::uint8_t> raw_;
  Decoder decoder_;
};

/// A trace file (.cct), opened: its metadata, its communicators, and a cursor per rank.
class Reader {
 public:
  /// Throws InputError if the file is missing, no trace, of another version, damaged, or lacks a rank.
  explicit Reader(const std::string& path);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const std::string& path() const { return file_.path(); }
  const Metadata& metadata() const { return metadata_; }
  int ranks() const { return metadata_.ranks; }

  /// World ranks of each communicator, in the order of its ranks; index = CommId.
  const std::vector<std::vector<int>>& communicators() const { return communicators_; }

  Cursor rank(int rank) const;

  /// How many events the rank has in the file.
  std::int64_t events(int rank) const;

  /// The recording of some rank ended before MPI_Finalize, or the file itself is cut short.
  bool truncated() const { return !notes_.empty(); }

  /// One line per reason why the trace is incomplete; empty if it is complete.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_missing_ranks();

  PieceFile file_;
  Metadata metadata_;
  std::vector<std::vector<int>> communicators_;
  std::vector<std::string> notes_;
};

}  // namespace collcast::trace
