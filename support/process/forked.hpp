// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace collcast {

/// A copy of this process, made by fork(), that does some work and talks to this process through a socket. It
/// is killed when this object is destroyed, and when the thread that started it dies.
class Forked {
 public:
  /// The copy runs `work` and exits without exit handlers. If `work` throws, the copy aborts: it must not
  /// return into the code that made it, which is the parent's.
  explicit Forked(const std::function<void(int socket)>& work);
  ~Forked();
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  int socket() const { return socket_; }
  /// Waits for the copy to end and says how it did: "was killed by signal 9 (Killed)" or "ended with code 1".
  std::string end();

 private:
  pid_t pid_ = 0;
  int socket_ = -1;
};

/// Sends all these bytes, or returns false if the other end is gone.
bool send_all(int socket, const void* bytes, std::size_t count);
/// Receives this many bytes, or returns false if the other end is gone.
bool receive_all(int socket, void* bytes, std::size_t count);

}  // namespace collcast
