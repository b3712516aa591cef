// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/tail.hpp"

#include <fstream>

#include "support/error.hpp"

namespace collcast::trace {
namespace {

bool read_bytes(const std::string& path, std::uint64_t offset, void* to, std::size_t size) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
}

}  // namespace

std::string tail_of(const std::string& recording) {
  return recording + ".tail";
}

std::optional<TailHeader> read_tail_header(const std::string& recording) {
  TailHeader header{};
  if (!read_bytes(tail_of(recording), 0, &header, sizeof header) || header.filled == 0) return std::nullopt;
  if (header.mark != tail_mark || (header.filled & 0xffffffff) > piece_bytes)
    throw InputError(tail_of(recording) + ": damaged: this is no tail of a recording");
  return header;
}

void read_tail(const std::string& recording, std::uint64_t bytes, std::vector<std::uint8_t>& body) {
  body.resize(bytes);
  if (!read_bytes(tail_of(recording), sizeof(TailHeader), body.data(), body.size()))
    throw InputError(tail_of(recording) + ": damaged: it ends before its events do");
}

}  // namespace collcast::trace
