// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/unpack.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace collcast {
namespace {

constexpr std::size_t step = std::size_t{1} << 18;

}  // namespace

std::optional<std::string> unzipped(std::string_view packed, std::size_t most) {
  if (packed.size() > std::numeric_limits<unsigned>::max()) return {};
  z_stream stream{};
  constexpr int zlib_or_gzip = MAX_WBITS + 32;
  if (inflateInit2(&stream, zlib_or_gzip) != Z_OK) return {};
  std::string all;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<unsigned>(packed.size());
  int status = Z_OK;
  while (status == Z_OK && all.size() <= most) {
    const std::size_t before = all.size(), room = std::min(step, most + 1 - before);
    all.resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(all.data() + before);
    stream.avail_out = static_cast<unsigned>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    all.resize(before + room - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || all.size() > most) return {};
  return all;
}

}  // namespace collcast
