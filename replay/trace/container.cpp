// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/container.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "replay/trace/codec.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"

namespace collcast::trace {
namespace {

constexpr std::string_view magic = "CCTRACE\n";
constexpr std::string_view end_mark = "CCT-END\n";
constexpr std::uint32_t piece_mark = 0x31454350;  // "PCE1"
constexpr std::size_t preamble_bytes = 16, header_bytes = 28, trailer_bytes = 16;
constexpr int compression_level = 3;

using Buffer = std::vector<std::uint8_t>;

struct Header {
  std::uint32_t mark, kind, rank, count, stored, raw, check;
};

template <typename T>
void put_little(Buffer& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

template <typename T>
T get_little(const std::uint8_t* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(from[i]) << (8 * i));
  return value;
}

void put_text(Buffer& to, std::string_view text) {
  to.insert(to.end(), text.begin(), text.end());
}

std::uint32_t fnv1a(ByteSpan bytes) {
  std::uint32_t hash = 2166136261u;
  for (auto byte : bytes) hash = (hash ^ byte) * 16777619u;
  return hash;
}

Header parse_header(const std::uint8_t* from) {
  auto word = [&](int i) { return get_little<std::uint32_t>(from + 4 * i); };
  return {word(0), word(1), word(2), word(3), word(4), word(5), word(6)};
}

bool intact(const Header& header, const std::uint8_t* bytes) {
  return header.mark == piece_mark && header.check == fnv1a({bytes, header_bytes - 4}) && header.kind >= 1 &&
         header.kind <= 5 &&
         header.raw <= (header.kind == static_cast<std::uint32_t>(PieceKind::communicators) ||
                                header.kind == static_cast<std::uint32_t>(PieceKind::index)
                            ? max_list_bytes
                            : max_piece_bytes);
}

/// A file descriptor, open while a read lasts.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : path_(path), number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) throw InputError(path + ": cannot be read: " + std::strerror(errno));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  std::uint64_t size() const {
    struct stat status {};
    if (fstat(number_, &status) != 0 || !S_ISREG(status.st_mode))
      throw InputError(path_ + ": is not a file: a trace (.cct) is expected");
    return static_cast<std::uint64_t>(status.st_size);
  }

  void read(std::uint64_t offset, std::uint8_t* to, std::size_t size) const {
    while (size > 0) {
      const ssize_t got = pread(number_, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
      if (got == 0)
        throw InputError(path_ + ": ends at byte " + std::to_string(offset) + " while being read");
      to += got, offset += static_cast<std::uint64_t>(got), size -= static_cast<std::size_t>(got);
    }
  }

 private:
  const std::string& path_;
  int number_;
};

void check_preamble(const std::string& path, const std::uint8_t* bytes, FileKind kind) {
  const std::string_view begin(reinterpret_cast<const char*>(bytes), magic.size());
  if (const std::string_view what = kind_of_file(begin); what.starts_with("packed"))
    throw InputError(path + ": is " + std::string(what) + ", as a recording is packed inside");
  if (begin != magic) throw InputError(path + ": is no collcast trace (it does not begin with CCTRACE)");
  const auto version = get_little<std::uint32_t>(bytes + 8);
  if (version != format_version)
    throw InputError(path + ": has trace format version " + std::to_string(version) +
                     "; this program reads version " + std::to_string(format_version));
  const auto found = get_little<std::uint32_t>(bytes + 12);
  if (found == static_cast<std::uint32_t>(kind)) return;
  if (found == static_cast<std::uint32_t>(FileKind::recording))
    throw InputError(path + ": is one rank's part of a recording; merge its folder into a trace first");
  throw InputError(path + ": is of kind " + std::to_string(found) +
                   "; one rank's part of a recording is expected");
}

}  // namespace

std::vector<std::uint8_t> preamble(FileKind kind) {
  Buffer bytes;
  bytes.reserve(preamble_bytes);
  put_text(bytes, magic);
  put_little(bytes, format_version);
  put_little(bytes, static_cast<std::uint32_t>(kind));
  return bytes;
}

std::vector<std::uint8_t> pack(PieceKind kind, std::uint32_t rank, std::uint32_t count, ByteSpan raw) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level);
  Buffer body(ZSTD_compressBound(raw.size()));
  const std::size_t stored = ZSTD_compress2(context.get(), body.data(), body.size(), raw.data(), raw.size());
  if (ZSTD_isError(stored)) throw SubstrateError(std::string("zstd: ") + ZSTD_getErrorName(stored));
  Buffer piece;
  piece.reserve(header_bytes + stored);
  for (std::uint32_t word : {piece_mark, static_cast<std::uint32_t>(kind), rank, count,
                             static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(raw.size())})
    put_little(piece, word);
  put_little(piece, fnv1a(piece));
  piece.insert(piece.end(), body.begin(), body.begin() + static_cast<std::ptrdiff_t>(stored));
  return piece;
}

std::vector<std::uint8_t> pack_index(const std::vector<PieceRef>& pieces, std::uint64_t offset) {
  Buffer raw;
  std::uint64_t last = 0;
  for (const auto& piece : pieces) {
    put_varint(raw, static_cast<std::uint64_t>(piece.kind));
    put_varint(raw, piece.rank);
    put_varint(raw, piece.count);
    put_varint(raw, piece.offset - last);
    last = piece.offset;
  }
  auto bytes = pack(PieceKind::index, 0, static_cast<std::uint32_t>(pieces.size()), raw);
  put_little(bytes, offset);
  put_text(bytes, end_mark);
  return bytes;
}

PieceFile::PieceFile(const std::string& path, FileKind kind) : path_(path) {
  const Descriptor file(path_);
  bytes_ = file.size();
  if (bytes_ < preamble_bytes)
    throw InputError(path_ + ": has " + std::to_string(bytes_) + " bytes: too short for a collcast trace");
  std::array<std::uint8_t, preamble_bytes> bytes;
  file.read(0, bytes.data(), bytes.size());
  check_preamble(path_, bytes.data(), kind);
  if (read_index()) return;
  if (kind == FileKind::recording) tail_ = read_tail_header(path_);
  scan();
  if (tail_) add_tail();
  if (kind == FileKind::trace) cut_short_ = true;
}

std::string PieceFile::where(std::uint64_t offset) const {
  return path_ + ", byte " + std::to_string(offset);
}

const std::vector<PieceRef>& PieceFile::events(int rank) const {
  static const std::vector<PieceRef> nothing;
  const auto found = events_.find(static_cast<std::uint32_t>(rank));
  return found == events_.end() ? nothing : found->second;
}

std::uint64_t PieceFile::room() const {
  return std::max<std::uint64_t>(std::uint64_t{1} << 28, 64 * bytes_);
}

void PieceFile::add(const PieceRef& piece) {
  if (piece.kind != PieceKind::events) return others_.push_back(piece);
  constexpr std::uint32_t most_ranks = 1u << 26;
  if (piece.rank >= most_ranks)
    throw InputError(where(piece.offset) + ": rank " + std::to_string(piece.rank) + " is out of any range");
  events_[piece.rank].push_back(piece);
}

bool PieceFile::read_index() {
  if (bytes_ < preamble_bytes + header_bytes + trailer_bytes) return false;
  std::array<std::uint8_t, trailer_bytes> trailer;
  Descriptor(path_).read(bytes_ - trailer_bytes, trailer.data(), trailer.size());
  if (std::memcmp(trailer.data() + 8, end_mark.data(), end_mark.size()) != 0) return false;
  const PieceRef index{get_little<std::uint64_t>(trailer.data()), PieceKind::index, 0, 0};
  Buffer raw;
  read(index, raw);
  VarintSource source(raw, where(index.offset) + ": index");
  std::uint64_t offset = 0;
  while (!source.empty()) {
    PieceRef piece;
    piece.kind = static_cast<PieceKind>(source.next());
    piece.rank = static_cast<std::uint32_t>(source.next());
    piece.count = static_cast<std::uint32_t>(source.next());
    const std::uint64_t step = source.next();
    if (step < (offset == 0 ? preamble_bytes : header_bytes) || step > bytes_)
      source.damaged("pieces overlap");  // a piece that is named often would be read as often
    piece.offset = offset += step;
    add(piece);
  }
  return true;
}

void PieceFile::add_tail() {
  if (cut_short_) throw InputError(tail_of(path_) + ": damaged: it does not begin where its recording ends");
  add({bytes_, PieceKind::events, static_cast<std::uint32_t>(tail_->rank),
       static_cast<std::uint32_t>(tail_->filled >> 32)});
}

void PieceFile::scan() {
  const Descriptor file(path_);
  const std::uint64_t end = tail_ ? tail_->begin : bytes_;  // the file may also contain what the tail holds
  std::uint64_t at = preamble_bytes;
  while (at <= end && end - at >= header_bytes && end <= bytes_) {
    std::array<std::uint8_t, header_bytes> bytes;
    file.read(at, bytes.data(), bytes.size());
    const Header header = parse_header(bytes.data());
    if (!intact(header, bytes.data()))
      throw InputError(where(at) + ": damaged: no piece of a trace begins here");
    if (end - at - header_bytes < header.stored) break;
    if (static_cast<PieceKind>(header.kind) != PieceKind::index)
      add({at, static_cast<PieceKind>(header.kind), header.rank, header.count});
    at += header_bytes + header.stored;
  }
  cut_short_ = at != end;
}

void PieceFile::read(const PieceRef& piece, std::vector<std::uint8_t>& raw) const {
  if (tail_ && piece.offset == bytes_) return read_tail(path_, tail_->filled & 0xffffffff, raw);
  auto damaged = [&](const std::string& what) {
    return InputError(where(piece.offset) + ": damaged: " + what);
  };
  if (piece.offset > bytes_ || bytes_ - piece.offset < header_bytes)
    throw damaged("the file ends before this piece");
  const Descriptor file(path_);
  std::array<std::uint8_t, header_bytes> bytes;
  file.read(piece.offset, bytes.data(), bytes.size());
  const Header header = parse_header(bytes.data());
  if (!intact(header, bytes.data()) || header.kind != static_cast<std::uint32_t>(piece.kind))
    throw damaged("no piece of the expected kind begins here");
  if (bytes_ - piece.offset - header_bytes < header.stored) throw damaged("the file ends inside this piece");
  if (header.raw > room()) throw damaged("the piece is too large for its file");
  Buffer body(header.stored);
  file.read(piece.offset + header_bytes, body.data(), body.size());
  raw.resize(header.raw);
  const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), body.data(), body.size());
  if (ZSTD_isError(size)) throw damaged(std::string("zstd says: ") + ZSTD_getErrorName(size));
  if (size != raw.size()) throw damaged("the piece is shorter than it says");
}

}  // namespace collcast::trace
