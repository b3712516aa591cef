// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "replay/recorder/clocks.hpp"
#include "replay/trace/recording.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"

namespace collcast::recorder {
namespace {

constexpr std::int64_t flush_interval_ns = 1'000'000'000;

/// Keeps a file size limit from killing the application: the write fails instead.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&limit_);
    sigaddset(&limit_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit_, &before_);
  }
  ~NoFileSizeSignal() {
    const timespec no_wait{};
    sigtimedwait(&limit_, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t limit_, before_;
};

trace::ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

void Sink::open(const std::string& directory, int rank, const std::string& metadata) {
  directory_ = directory;
  path_ = directory + "/" + trace::recording_name(rank);
  rank_ = rank;
  mkdir(directory.c_str(), 0777);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    std::fprintf(stderr, "collcast: rank %d is not recorded: %s: %s\n", rank, path_.c_str(),
                 std::strerror(errno));
    return;
  }
  flushed_ns_ = wall_ns();
  write(trace::preamble(trace::FileKind::recording));
  write_piece(trace::PieceKind::metadata, 0, bytes_of(metadata));
  const NoFileSizeSignal guard;
  if (is_open()) tail_.open(path_, rank);
}

void Sink::put(const trace::Event& event, std::int64_t now_ns, std::int64_t recorded_ns) {
  write_groups();
  encoder_.put(event);
  if (encoder_.bytes().size() >= trace::piece_bytes || now_ns - flushed_ns_ > flush_interval_ns)
    flush(now_ns, recorded_ns, false);
  else
    tail_.hold(encoder_.bytes(), encoder_.count(), recorded_ns);
}

void Sink::flush(std::int64_t now_ns, std::int64_t recorded_ns, bool finished) try {
  write_groups();
  if (!is_open()) return;
  write_piece(trace::PieceKind::events, encoder_.count(), encoder_.bytes());
  encoder_.restart();
  write_piece(trace::PieceKind::status, 0, bytes_of(status(recorded_ns, finished)));
  flushed_ns_ = now_ns;
  finished ? tail_.remove() : tail_.begin(size_);
} catch (const std::exception&) {
  give_up(ENOMEM);  // no memory to compress: the application must not end because of us
}

void Sink::write_groups() try {
  if (groups_.empty()) return;
  write_piece(trace::PieceKind::communicators, static_cast<std::uint32_t>(groups_.size()),
              trace::encode_groups(groups_));
  groups_.clear();
  tail_.follow(size_);
} catch (const std::exception&) {
  give_up(ENOMEM);
}

std::string Sink::status(std::int64_t recorded_ns, bool finished) const {
  auto losses = Json::array();
  for (const Loss& l : losses_.all())
    losses.push_back({{"operation", l.operation}, {"count", l.count}, {"reason", l.reason}});
  const Json json = {{"finished", finished},
                     {"wall_s", static_cast<double>(recorded_ns) * 1e-9},
                     {"collectives", collectives_},
                     {"not_modelled", losses}};
  return dump(json);
}

void Sink::write_piece(trace::PieceKind kind, std::uint32_t count, trace::ByteSpan raw) {
  if (is_open()) write(trace::pack(kind, static_cast<std::uint32_t>(rank_), count, raw));
}

void Sink::write(trace::ByteSpan bytes) {
  const NoFileSizeSignal guard;
  if (!write_all(descriptor_, bytes)) return give_up(errno);
  size_ += static_cast<std::int64_t>(bytes.size());
}

void Sink::give_up(int reason) {
  // What precedes the failed piece stays readable.
  if (ftruncate(descriptor_, size_) != 0) reason = errno;
  close(descriptor_);
  descriptor_ = -1;
  tail_.remove();
  // The first rank that fails says so, and leaves a mark for the merge.
  const std::string mark = directory_ + "/" + trace::write_failure_mark;
  const int marked = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (marked < 0 && errno == EEXIST) return;
  if (marked >= 0) close(marked);
  std::fprintf(stderr, "collcast: %s: %s: recording stops here, the application goes on\n", path_.c_str(),
               std::strerror(reason));
}

}  // namespace collcast::recorder
