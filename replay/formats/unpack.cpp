// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/unpack.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#ifdef COLLCAST_BZIP2
#include <bzlib.h>
#endif

namespace collcast {
namespace {

/// As many bytes as the libraries can count in one call.
unsigned bounded(std::size_t bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

}  // namespace

struct Unpacker::Stream {
  explicit Stream(std::string_view text) : packed(text) {}
  virtual ~Stream() = default;
  virtual std::optional<std::size_t> read(char* to, std::size_t most) = 0;
  std::string_view packed;  ///< packed bytes that are left

  struct None;
  struct Zlib;
  struct Bzip2;
};

struct Unpacker::Stream::None : Stream {
  using Stream::Stream;
  std::optional<std::size_t> read(char* to, std::size_t most) override {
    const std::size_t n = packed.copy(to, most);
    packed.remove_prefix(n);
    return n;
  }
};

struct Unpacker::Stream::Zlib : Stream {
  explicit Zlib(std::string_view text) : Stream(text) {
    constexpr int zlib_or_gzip = MAX_WBITS + 32;
    inflateInit2(&z, zlib_or_gzip);
  }
  ~Zlib() override { inflateEnd(&z); }
  std::optional<std::size_t> read(char* to, std::size_t most) override {
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = bounded(most);
    const unsigned room = z.avail_out;
    while (z.avail_out == room && !(packed.empty() && ended)) {
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      z.avail_in = bounded(packed.size());
      const unsigned before = z.avail_in;
      if (ended) inflateReset(&z);
      const int status = inflate(&z, Z_NO_FLUSH);
      packed.remove_prefix(before - z.avail_in);
      ended = status == Z_STREAM_END;
      if (status != Z_OK && !ended) return {};
    }
    return room - z.avail_out;
  }
  z_stream z{};
  bool ended = false;  ///< a stream has ended; another may follow
};

#ifdef COLLCAST_BZIP2
struct Unpacker::Stream::Bzip2 : Stream {
  explicit Bzip2(std::string_view text) : Stream(text) { BZ2_bzDecompressInit(&z, 0, 0); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&z); }
  std::optional<std::size_t> read(char* to, std::size_t most) override {
    z.next_out = to;
    z.avail_out = bounded(most);
    const unsigned room = z.avail_out;
    while (z.avail_out == room && !(packed.empty() && ended)) {
      z.next_in = const_cast<char*>(packed.data());
      z.avail_in = bounded(packed.size());
      const unsigned before = z.avail_in;
      if (ended) {
        BZ2_bzDecompressEnd(&z);
        BZ2_bzDecompressInit(&z, 0, 0);
      }
      const int status = BZ2_bzDecompress(&z);
      packed.remove_prefix(before - z.avail_in);
      ended = status == BZ_STREAM_END;
      if (status != BZ_OK && !ended) return {};
      if (!ended && before == z.avail_in && z.avail_out == room) return {};  // it waits for more
    }
    return room - z.avail_out;
  }
  bz_stream z{};
  bool ended = false;
};
#endif

bool can_unpack([[maybe_unused]] Packing packing) {
#ifdef COLLCAST_BZIP2
  return true;
#else
  return packing != Packing::bzip2;
#endif
}

Unpacker::Unpacker(std::string_view packed, Packing packing) {
  if (packing == Packing::none) stream_ = std::make_unique<Stream::None>(packed);
  if (packing == Packing::zlib) stream_ = std::make_unique<Stream::Zlib>(packed);
#ifdef COLLCAST_BZIP2
  if (packing == Packing::bzip2) stream_ = std::make_unique<Stream::Bzip2>(packed);
#endif
}
Unpacker::~Unpacker() = default;

std::optional<std::size_t> Unpacker::read(char* to, std::size_t most) {
  return stream_ ? stream_->read(to, most) : std::nullopt;
}

std::optional<std::string> unpacked(std::string_view packed, Packing packing, std::size_t most) {
  constexpr std::size_t step = std::size_t{1} << 18;
  Unpacker unpacker(packed, packing);
  std::string all;
  while (true) {
    const std::size_t before = all.size();
    all.resize(before + std::min(step, most + 1 - before));
    const auto n = unpacker.read(all.data() + before, all.size() - before);
    all.resize(before + n.value_or(0));
    if (!n || all.size() > most) return {};
    if (*n == 0) return all;
  }
}

}  // namespace collcast
