// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace collcast {

/// Reads the bytes of a file piece by piece, plain or out of gzip, zstd or a zip archive of one file. Throws
/// InputError if the file cannot be read, or its compression is damaged or cut short.
class Input {
 public:
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& path() const { return path_; }
  /// Up to `most` more bytes; 0 at the end.
  std::size_t read(char* to, std::size_t most);
  /// The next line without its end; false at the end of the file. Throws InputError at lines over 16 MiB.
  bool line(std::string& line);
  /// Whether the last line was cut: the file ends without a line end.
  bool cut() const { return cut_; }

 private:
  struct Decoder;
  std::string path_;
  std::unique_ptr<Decoder> decoder_;
  std::string buffer_;
  std::size_t at_ = 0;
  bool cut_ = false;
};

/// Throws InputError if there is more than one file. `format` says why: "a GOAL text has all ranks in one
/// file".
void require_one(const std::vector<std::string>& files, const std::string& format);

/// The first bytes of the file, at most `most`, decompressed as far as they go.
std::string head_of(const std::string& path, std::size_t most = 65536);

/// The whole file, decompressed. Throws InputError beyond `most` bytes.
std::string text_of(const std::string& path, std::size_t most = std::size_t{1} << 30);

/// How many activities of a file are kept: in proportion to its size on disk, so that a small compressed file
/// cannot fill the memory.
std::size_t most_activities(const std::string& path);

/// The last number in a file's name, as in "trace.12.json" without its ending; -1 if there is none.
int number_in_name(const std::string& path);

/// The number after the last "rank" or "worker" in a path, as in "job/rank_12/trace.json"; -1 if there is
/// none.
int rank_in_name(const std::string& path);

}  // namespace collcast
