// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/trace/codec.hpp"
#include "replay/trace/container.hpp"
#include "replay/trace/event.hpp"
#include "replay/trace/event_checker.hpp"
#include "replay/trace/metadata.hpp"

namespace collcast::trace {

class Reader;

/// The memory that pieces of unusual size take, over all ranks, and the most that they may take.
struct PieceMemory {
  std::uint64_t bytes = 0, most = 0;
  std::vector<std::uint64_t> of_rank;  ///< the rank's largest piece so far
};

/// One rank's events in order, with one decompressed piece in memory. The reader has to outlive it.
class Cursor {
 public:
  /// Reads the next event into `event`; false at the rank's end. Throws InputError at a damaged piece, and at
  /// an event that makes no sense by itself: its peers, roots, communicators, sizes and lists have to be
  /// possible.
  bool next(Event& event);
  /// This rank's place in a communicator; none if it is not a member.
  int place(CommId comm) { return checker_.place(comm); }

 private:
  friend class Reader;
  Cursor(const Reader& reader, int rank);
  void load(const PieceRef& piece);

  const PieceFile* file_;
  const std::vector<PieceRef>* pieces_;
  int rank_;
  EventChecker checker_;
  PieceMemory* piece_memory_;
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
  const Communicators& communicators() const { return communicators_; }

  Cursor rank(int rank) const;

  /// How many events the rank has in the file.
  std::int64_t events(int rank) const;

  /// The recording of some rank ended before MPI_Finalize, or the file itself is cut short.
  bool truncated() const { return !notes_.empty(); }

  /// One line per reason why the trace is incomplete; empty if it is complete.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  friend class Cursor;
  void find_missing_ranks();

  PieceFile file_;
  Metadata metadata_;
  Communicators communicators_;
  std::vector<std::string> notes_;
  mutable PieceMemory piece_memory_;
};

}  // namespace collcast::trace
