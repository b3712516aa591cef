// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/zip.hpp"

#include <algorithm>

#include "replay/formats/bytes.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Bytes of a file's header, of its entry in the directory, and of the directory's end record.
constexpr std::size_t head_bytes = 30, entry_bytes = 46, end_bytes = 22;

std::string bytes_at(std::istream& archive, const std::string& path, std::uint64_t at, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  archive.clear();
  archive.seekg(static_cast<std::streamoff>(at));
  archive.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(archive.gcount()) < bytes.size())
    throw InputError(path + ": its zip archive is cut short");
  return bytes;
}

/// The archive's directory, which stands at its end, before a comment of up to 64 KiB.
std::string directory_of(std::istream& archive, const std::string& path) {
  constexpr std::uint64_t comment = 1 << 16, most = 1 << 26;
  archive.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(archive.tellg(), 0));
  const std::uint64_t tail = std::min<std::uint64_t>(size, comment + end_bytes);
  const std::string last = bytes_at(archive, path, size - tail, tail);
  const auto found = last.rfind("PK\5\6");
  if (found == std::string::npos || last.size() - found < end_bytes)
    throw InputError(path + ": its zip archive is cut short");
  const std::uint64_t begin = little_endian(last, found + 16, 4), length = little_endian(last, found + 12, 4);
  if (begin > size || length > size - begin || length > most)
    throw InputError(path + ": its zip archive is damaged");
  return bytes_at(archive, path, begin, length);
}

}  // namespace

ZipMember only_member(std::istream& archive, const std::string& path) {
  const std::string directory = directory_of(archive, path);
  ZipMember only;
  std::size_t files = 0;
  std::uint64_t method = 0, flags = 0;
  for (std::size_t at = 0; at + entry_bytes <= directory.size();) {
    const auto named = static_cast<std::size_t>(little_endian(directory, at + 28, 2));
    const std::string name = directory.substr(at + entry_bytes, named);
    if (!name.ends_with('/') && !name.starts_with("__MACOSX/")) {
      ++files;
      flags = little_endian(directory, at + 8, 2), method = little_endian(directory, at + 10, 2);
      only = {little_endian(directory, at + 42, 4), little_endian(directory, at + 20, 4), method != 0};
    }
    at +=
        entry_bytes + named +
        static_cast<std::size_t>(little_endian(directory, at + 30, 2) + little_endian(directory, at + 32, 2));
  }
  if (files != 1)
    throw InputError(path + ": is a zip archive of " + std::to_string(files) +
                     " files; unpack it, and name them");
  constexpr std::uint64_t unsaid = 0xffffffff, encrypted = 1, deflate = 8;
  if ((flags & encrypted) != 0 || only.at == unsaid || (method == 0 && only.packed == unsaid) ||
      (method != 0 && method != deflate))
    throw InputError(path + ": is a zip archive that is encrypted, or packed in an unusual way; unpack it");
  const std::string head = bytes_at(archive, path, only.at, head_bytes);
  only.at += head_bytes + little_endian(head, 26, 2) + little_endian(head, 28, 2);
  return only;
}

}  // namespace collcast
