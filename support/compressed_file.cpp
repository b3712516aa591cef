// SPDX-License-Identifier: Apache-2.0
#include "support/compressed_file.hpp"

#include <zlib.h>

#include <array>

#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast {

struct CompressedFile::Stream {
  OutputFile file;
  bool zipped;
  z_stream z{};

  explicit Stream(const std::string& path) : file(path), zipped(path.ends_with(".gz")) {
    constexpr int window = 15, gzip = 16, memory = 8;
    if (zipped &&
        deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, window + gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw SubstrateError("zlib has no memory");
  }
  ~Stream() {
    if (zipped) deflateEnd(&z);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void plain(std::string_view text) {
    file.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  void deflate_all(std::string_view text, int flush) {
    std::array<std::uint8_t, 1 << 16> out{};
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    do {
      z.next_out = out.data();
      z.avail_out = out.size();
      deflate(&z, flush);
      file.write({out.data(), out.size() - z.avail_out});
    } while (z.avail_out == 0);
  }
};

CompressedFile::CompressedFile(const std::string& path) : stream_(std::make_unique<Stream>(path)) {}
CompressedFile::~CompressedFile() = default;

void CompressedFile::write(std::string_view text) {
  constexpr std::size_t piece = 1 << 20;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    const std::string_view part = text.substr(0, piece);
    if (stream_->zipped)
      stream_->deflate_all(part, Z_NO_FLUSH);
    else
      stream_->plain(part);
  }
}

void CompressedFile::commit() {
  if (stream_->zipped) stream_->deflate_all({}, Z_FINISH);
  stream_->file.commit();
}

}  // namespace collcast
