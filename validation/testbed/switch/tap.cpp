// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/tap.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "support/error.hpp"

namespace collcast::testbed {
namespace {

int require(int result, const std::string& what) {
  if (result < 0) throw SubstrateError(what + ": " + std::strerror(errno));
  return result;
}

struct Descriptor {
  int value;
  ~Descriptor() { close(value); }
};

/// Opens a TUN device in a network namespace, to which it then belongs.
int open_in(const std::string& network_namespace) {
  const Descriptor home{require(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net")};
  const Descriptor there{require(open(network_namespace.c_str(), O_RDONLY | O_CLOEXEC), network_namespace)};
  require(setns(there.value, CLONE_NEWNET), "setns " + network_namespace);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const int error = errno;
  require(setns(home.value, CLONE_NEWNET), "setns back");
  errno = error;
  return require(device, "/dev/net/tun");
}

}  // namespace

Tap::Tap(const std::string& network_namespace, const std::string& interface)
    : descriptor_(open_in(network_namespace)) {
  ifreq request = {};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  require(ioctl(descriptor_, TUNSETIFF, &request), "making the interface " + interface);
}

Tap::~Tap() {
  if (descriptor_ >= 0) close(descriptor_);
}

Tap::Tap(Tap&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::optional<std::span<const std::byte>> Tap::read(std::span<std::byte> buffer) const {
  const auto size = ::read(descriptor_, buffer.data(), buffer.size());
  if (size >= 0) return buffer.first(static_cast<std::size_t>(size));
  // An interface that is still down gives no frames.
  if (errno == EAGAIN || errno == EINTR || errno == EBADFD || errno == EIO) return std::nullopt;
  throw SubstrateError(std::string("reading from an interface: ") + std::strerror(errno));
}

bool Tap::write(std::span<const std::byte> frame) const {
  return ::write(descriptor_, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
}

}  // namespace collcast::testbed
