// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/json.hpp"
#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

using testing::HasSubstr;

class TraceDamage : public ::testing::Test {
 protected:
  TraceDamage() : path_(folder_ / "t.cct") {
    std::vector<Event> events(30'000, message(Op::send, 0, none, 1, 64));
    for (std::size_t i = 0; i < events.size(); ++i)
      events[i].compute = Seconds(static_cast<double>(i) * 1e-9);
    write_trace(path_, 2, events);
    bytes_ = read_file(path_);
  }

  std::string complaint_after(const Bytes& bytes) {
    write_file(path_, bytes);
    return complaint([&] {
      const Reader reader(path_);
      read_through(reader);
    });
  }

  /// Where the nth piece of a kind begins.
  std::size_t piece(PieceKind kind, int nth) {
    const Bytes mark = {'P', 'C', 'E', '1', static_cast<std::uint8_t>(kind)};
    auto at = bytes_.begin();
    for (;; ++at) {
      at = std::search(at, bytes_.end(), mark.begin(), mark.end());
      if (at == bytes_.end() || nth-- == 0) return static_cast<std::size_t>(at - bytes_.begin());
    }
  }

  Folder folder_;
  std::string path_;
  Bytes bytes_;
};

TEST_F(TraceDamage, MissingFile) {
  EXPECT_THAT(complaint([&] { Reader(folder_ / "none.cct"); }),
              HasSubstr("none.cct: cannot be read: No such file"));
}

TEST_F(TraceDamage, FolderInsteadOfAFile) {
  EXPECT_THAT(complaint([&] { Reader(folder_.path()); }), HasSubstr("is not a file"));
}

TEST_F(TraceDamage, EmptyFile) {
  EXPECT_THAT(complaint_after({}), HasSubstr("has 0 bytes: too short"));
}

TEST_F(TraceDamage, WrongMagic) {
  bytes_[0] = 'X';
  EXPECT_THAT(complaint_after(bytes_), HasSubstr("is no collcast trace"));
}

TEST_F(TraceDamage, WrongVersion) {
  bytes_[8] = 9;
  EXPECT_THAT(complaint_after(bytes_), HasSubstr("version 9; this program reads version 1"));
}

TEST_F(TraceDamage, OneRanksRecordingIsNoTrace) {
  bytes_[12] = 2;
  EXPECT_THAT(complaint_after(bytes_), HasSubstr("one rank's part of a recording"));
}

TEST_F(TraceDamage, CorruptedPieceNamesFilePlaceAndRank) {
  const std::size_t at = piece(PieceKind::events, 1);
  bytes_[at + 100] ^= 0x40;
  const std::string text = complaint_after(bytes_);
  EXPECT_THAT(text, HasSubstr("t.cct, byte " + std::to_string(at)));
  EXPECT_THAT(text, HasSubstr("damaged"));
}

TEST_F(TraceDamage, CorruptedPieceHeader) {
  bytes_[piece(PieceKind::events, 0) + 8] ^= 1;
  EXPECT_THAT(complaint_after(bytes_), HasSubstr("damaged"));
}

TEST_F(TraceDamage, MissingRank) {
  Metadata more = metadata(3);
  const std::string text = dump(to_json(more));
  Bytes file = preamble(FileKind::trace);
  std::vector<PieceRef> pieces;
  auto add = [&](PieceKind kind, std::uint32_t rank, std::uint32_t count, ByteSpan raw) {
    pieces.push_back({file.size(), kind, rank, count});
    const auto packed = pack(kind, rank, count, raw);
    file.insert(file.end(), packed.begin(), packed.end());
  };
  add(PieceKind::metadata, 0, 0, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(3)}));
  add(PieceKind::events, 0, 0, {});
  add(PieceKind::events, 2, 0, {});
  const auto index = pack_index(pieces, file.size());
  file.insert(file.end(), index.begin(), index.end());
  EXPECT_THAT(complaint_after(file), HasSubstr("rank 1 of 3 is missing"));
}

TEST_F(TraceDamage, TruncatedAnywhereIsReadToItsEndOrRefused) {
  std::size_t read = 0, refused = 0;
  for (std::size_t size = 0; size < bytes_.size(); size += 1499) {
    write_file(path_, Bytes(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size)));
    const std::string text = complaint([&] {
      const Reader reader(path_);
      EXPECT_TRUE(reader.truncated());
      EXPECT_THAT(reader.notes().front(), HasSubstr("cut short at byte " + std::to_string(size)));
      read_rank(reader, 0);
      ++read;
    });
    refused += !text.empty();
  }
  EXPECT_GT(read, 0u);
  EXPECT_LT(refused, 20u);  // only files that end in the header
}

TEST_F(TraceDamage, TruncatedKeepsWholePieces) {
  const std::size_t third = piece(PieceKind::events, 2);
  bytes_.resize(third + 50);
  write_file(path_, bytes_);
  const Reader reader(path_);
  EXPECT_GT(reader.events(0), 1000);
  EXPECT_EQ(static_cast<std::int64_t>(read_rank(reader, 0).size()), reader.events(0));
}

TEST_F(TraceDamage, NoSuchRank) {
  const Reader reader(path_);
  EXPECT_THAT(complaint([&] { reader.rank(2); }), HasSubstr("has no rank 2; its ranks are 0 to 1"));
}

/// A trace of these bytes' own making, with sound checksums.
class ForgedTrace : public ::testing::Test {
 protected:
  ForgedTrace() : file_(preamble(FileKind::trace)) {}

  void add(PieceKind kind, std::uint32_t rank, std::uint32_t count, ByteSpan raw) {
    pieces_.push_back({file_.size(), kind, rank, count});
    const auto packed = pack(kind, rank, count, raw);
    file_.insert(file_.end(), packed.begin(), packed.end());
  }
  void add_metadata(const Json& ranks) {
    Json json = to_json(metadata(1));
    json["ranks"] = ranks;
    const std::string text = dump(json);
    add(PieceKind::metadata, 0, 0, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  std::string refusal(bool with_index = true) {
    const auto index = pack_index(pieces_, file_.size());
    if (with_index) file_.insert(file_.end(), index.begin(), index.end());
    write_file(folder_ / "t.cct", file_);
    return complaint([&] {
      const Reader reader(folder_ / "t.cct");
      read_through(reader);
    });
  }

  Folder folder_;
  Bytes file_;
  std::vector<PieceRef> pieces_;
};

TEST_F(ForgedTrace, RanksAreAWholeNumber) {
  add_metadata(2.9);
  EXPECT_THAT(refusal(), HasSubstr("ranks is 2.9; a whole number from 1 to 67108864 is expected"));
}

TEST_F(ForgedTrace, RanksAreNotWhatIsLeftOfALargeNumber) {
  add_metadata(std::int64_t{1} << 32 | 2);
  EXPECT_THAT(refusal(), HasSubstr("ranks is 4294967298; a whole number"));
}

TEST_F(ForgedTrace, MoreRanksThanBytes) {
  add_metadata(1 << 20);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(1 << 20)}));
  EXPECT_THAT(refusal(false), HasSubstr("says it has 1048576 ranks, in "));
}

TEST_F(ForgedTrace, CommunicatorsThatFillTheMemory) {
  constexpr int ranks = 1 << 22;
  add_metadata(ranks);
  const Bytes one = encode_groups({world_of(ranks)});
  Bytes hundred;
  for (int i = 0; i < 100; ++i) hundred.insert(hundred.end(), one.begin(), one.end());
  add(PieceKind::communicators, 0, 100, hundred);
  EXPECT_THAT(refusal(), HasSubstr("its communicators have too many ranks for a file of its size"));
}

TEST_F(ForgedTrace, EventsOfALateRankTakeNoMemoryForTheOthers) {
  add_metadata(1);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(1)}));
  add(PieceKind::events, (1 << 26) - 1, 0, {});
  EXPECT_THAT(refusal(), HasSubstr("has events of rank 67108863, but says it has 1 ranks"));
}

TEST_F(ForgedTrace, IndexThatNamesAPieceOften) {
  add_metadata(1);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(1)}));
  add(PieceKind::events, 0, 0, {});
  for (int i = 0; i < 41; ++i) pieces_.push_back(PieceRef(pieces_.back()));
  EXPECT_THAT(refusal(), HasSubstr("index: damaged: pieces overlap"));
}

TEST_F(ForgedTrace, ListLongerThanThereAreRanks) {
  Encoder encoder;
  Event e = event(Op::alltoallv, world);
  e.send_counts.assign(1 << 20, 0);
  encoder.put(e);
  add_metadata(1);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(1)}));
  add(PieceKind::events, 0, 1, encoder.bytes());
  EXPECT_THAT(refusal(), HasSubstr("damaged: has a list longer than there are ranks"));
}

TEST_F(ForgedTrace, PieceOfEventsThatGrowsWithoutBounds) {
  add_metadata(1);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(1)}));
  add(PieceKind::events, 0, 1, Bytes((1 << 24) + 1));
  EXPECT_THAT(refusal(), HasSubstr("damaged: no piece of the expected kind begins here"));
}

TEST_F(ForgedTrace, PiecesOfAllRanksThatTogetherAreTooMuch) {
  add_metadata(3);
  add(PieceKind::communicators, 0, 1, encode_groups({world_of(3)}));
  for (std::uint32_t r = 0; r < 3; ++r) add(PieceKind::events, r, 1, Bytes(1 << 23));
  EXPECT_THAT(refusal(), HasSubstr("damaged: its pieces are too large for its size"));
}

TEST_F(TraceDamage, UnwritablePlace) {
  EXPECT_THAT(complaint([&] { Writer(folder_ / "no/such/t.cct", metadata(1), {world_of(1)}); }),
              HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace collcast::trace::test
