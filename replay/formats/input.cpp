// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/input.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "replay/formats/zip.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1} << 24;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what);
}

}  // namespace

struct Input::Decoder {
  virtual ~Decoder() = default;
  virtual std::size_t read(char* to, std::size_t most) = 0;

  struct Plain;
  struct Gzip;
  struct Zstd;
  struct Zip;
  static std::unique_ptr<Decoder> make(const std::string& path);
};

struct Input::Decoder::Plain : Decoder {
  explicit Plain(const std::string& path) : file(path, std::ios::binary) {}
  std::size_t read(char* to, std::size_t most) override {
    file.read(to, static_cast<std::streamsize>(most));
    return static_cast<std::size_t>(file.gcount());
  }
  std::ifstream file;
};

struct Input::Decoder::Gzip : Decoder {
  explicit Gzip(std::string file_path) : path(std::move(file_path)), file(gzopen(path.c_str(), "rb")) {
    if (!file) refuse(path, "cannot be read");
  }
  ~Gzip() override { gzclose(file); }
  std::size_t read(char* to, std::size_t most) override {
    const int n = gzread(file, to, static_cast<unsigned>(std::min(most, piece)));
    int error = Z_OK;
    gzerror(file, &error);
    if (n <= 0 && error == Z_BUF_ERROR) refuse(path, "its gzip stream is cut short");
    if (n < 0 || (error != Z_OK && error != Z_STREAM_END && error != Z_BUF_ERROR))
      refuse(path, "its gzip stream is damaged");
    return static_cast<std::size_t>(n);
  }
  std::string path;
  gzFile file;
};

struct Input::Decoder::Zstd : Decoder {
  explicit Zstd(const std::string& path) : compressed(path), name(path), stream(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27);
  }
  ~Zstd() override { ZSTD_freeDStream(stream); }
  std::size_t read(char* to, std::size_t most) override {
    ZSTD_outBuffer out{to, most, 0};
    while (out.pos == 0) {
      if (in.pos == in.size && !refill()) return 0;
      const std::size_t status = ZSTD_decompressStream(stream, &out, &in);
      if (ZSTD_isError(status)) refuse(name, "its zstd stream is damaged");
      inside = status != 0;
    }
    return out.pos;
  }
  bool refill() {
    in = {bytes.data(), compressed.read(bytes.data(), bytes.size()), 0};
    if (in.size == 0 && inside) refuse(name, "its zstd stream is cut short");
    return in.size != 0;
  }
  Plain compressed;
  std::string name;
  ZSTD_DStream* stream;
  std::vector<char> bytes = std::vector<char>(piece);
  ZSTD_inBuffer in{nullptr, 0, 0};
  bool inside = false;
};

/// Reads the only file of a zip archive.
struct Input::Decoder::Zip : Decoder {
  explicit Zip(const std::string& path) : archive(path), name(path) {
    const ZipMember member = only_member(archive.file, path);
    archive.file.seekg(static_cast<std::streamoff>(member.at));
    left = member.packed;
    stored = !member.deflated;
    if (!stored && inflateInit2(&z, -MAX_WBITS) != Z_OK) refuse(name, "cannot be unpacked");
  }
  ~Zip() override { inflateEnd(&z); }
  std::size_t read(char* to, std::size_t most) override {
    if (stored) {
      const std::size_t n = archive.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(most, left)));
      if (n == 0 && left > 0) cut();
      left -= n;
      return n;
    }
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = static_cast<unsigned>(std::min(most, piece));
    const unsigned room = z.avail_out;
    while (!ended && z.avail_out == room) {
      if (z.avail_in == 0) {
        z.next_in = reinterpret_cast<Bytef*>(bytes.data());
        z.avail_in = static_cast<unsigned>(archive.read(bytes.data(), bytes.size()));
        if (z.avail_in == 0) cut();
      }
      const int status = inflate(&z, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END) refuse(name, "its zip archive is damaged");
      ended = status == Z_STREAM_END;
    }
    return room - z.avail_out;
  }

 private:
  [[noreturn]] void cut() const { refuse(name, "its zip archive is cut short"); }

  Plain archive;
  std::string name;
  z_stream z{};
  std::vector<char> bytes = std::vector<char>(piece);
  std::uint64_t left = 0;  ///< bytes left of a file that is stored uncompressed
  bool stored = false, ended = false;
};

std::unique_ptr<Input::Decoder> Input::Decoder::make(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status kind = std::filesystem::status(path, error);
  if (is_directory(kind)) refuse(path, "is a folder; a trace is a file, or several");
  if (exists(kind) && !is_regular_file(kind))
    refuse(path, "is no regular file; a trace is read more than once");
  Plain plain(path);
  unsigned char first[4] = {};
  if (!plain.file) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  plain.file.read(reinterpret_cast<char*>(first), 4);
  if (first[0] == 0x1f && first[1] == 0x8b) return std::make_unique<Gzip>(path);
  if (std::memcmp(first, "PK\3\4", 4) == 0) return std::make_unique<Zip>(path);
  constexpr unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  if (std::memcmp(first, zstd, 4) == 0) return std::make_unique<Zstd>(path);
  return std::make_unique<Plain>(path);
}

/// Skips the byte order mark that editors on Windows put before a text.
Input::Input(const std::string& path) : path_(path), decoder_(Decoder::make(path)) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  buffer_.resize(mark.size());
  std::size_t got = 0;
  while (got < mark.size())
    if (const std::size_t n = decoder_->read(buffer_.data() + got, mark.size() - got); n > 0)
      got += n;
    else
      break;
  buffer_.resize(got);
  if (buffer_ == mark) buffer_.clear();
}
Input::~Input() = default;

std::size_t Input::read(char* to, std::size_t most) {
  if (at_ == buffer_.size()) return decoder_->read(to, most);
  const std::size_t n = std::min(most, buffer_.size() - at_);
  std::memcpy(to, buffer_.data() + at_, n);
  at_ += n;
  return n;
}

bool Input::line(std::string& line) {
  line.clear();
  while (true) {
    if (at_ == buffer_.size()) {
      buffer_.resize(piece);
      buffer_.resize(decoder_->read(buffer_.data(), piece));
      at_ = 0;
      if (buffer_.empty()) return cut_ = !line.empty();
    }
    const std::size_t end = buffer_.find('\n', at_);
    line.append(buffer_, at_, std::min(end, buffer_.size()) - at_);
    if (line.size() > longest_line) refuse(path_, "has a line over 16 MiB");
    at_ = std::min(end, buffer_.size());
    if (end == std::string::npos) continue;
    ++at_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  }
}

void require_one(const std::vector<std::string>& files, const std::string& format) {
  if (files.size() != 1) throw InputError(files[1] + ": " + format + "; " + files[0] + " is one already");
}

std::string head_of(const std::string& path, std::size_t most) {
  Input input(path);
  std::string head;
  std::size_t got = 0;
  try {
    while (got < most) {
      if (got == head.size()) head.resize(std::min(most, std::max(piece, 2 * got)));
      const std::size_t n = input.read(head.data() + got, head.size() - got);
      if (n == 0) break;
      got += n;
    }
  } catch (const InputError&) {
    if (got == 0) throw;
  }
  head.resize(got);
  return head;
}

std::string text_of(const std::string& path, std::size_t most) {
  Input input(path);
  std::string text;
  std::size_t got = 0;
  do {
    text.resize(text.size() + piece);
    const std::size_t n = input.read(text.data() + got, text.size() - got);
    if (n == 0) break;
    got += n;
    if (got > most)
      refuse(path,
             "is larger than " + std::to_string(most >> 20) + " MiB, which its format is not read beyond");
    text.resize(got);
  } while (true);
  text.resize(got);
  return text;
}

std::size_t most_activities(const std::string& path) {
  return (std::size_t{1} << 18) + static_cast<std::size_t>(std::filesystem::file_size(path) / 2);
}

int number_in_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return -1;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  return end - begin < 7 ? std::stoi(name.substr(begin, end - begin + 1)) : -1;
}

int rank_in_name(const std::string& path) {
  static const std::regex said("(?:rank|worker)[-_.=]?([0-9]{1,7})(?![0-9])", std::regex::icase);
  int rank = -1;
  for (std::sregex_iterator at(path.begin(), path.end(), said), end; at != end; ++at)
    rank = std::stoi(at->str(1));
  return rank;
}

}  // namespace collcast
