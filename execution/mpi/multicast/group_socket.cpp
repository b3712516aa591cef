// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/multicast/group_socket.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/error.hpp"

namespace collcast::mpi {
namespace {

constexpr int wanted_buffer = 16 << 20;
constexpr std::size_t ip_and_udp_headers = 28, largest_datagram = 65507;

sockaddr_in socket_address(const GroupAddress& a) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(a.port);
  address.sin_addr.s_addr = a.group;
  return address;
}

template <class Value>
bool set(int socket, int level, int option, const Value& value) {
  return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

int get(int socket, int level, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(socket, level, option, &value, &size) == 0 ? value : 0;
}

/// Makes a socket's buffer as large as the system allows this user.
void enlarge(int socket, int option, int forced_option) {
  if (!set(socket, SOL_SOCKET, forced_option, wanted_buffer)) set(socket, SOL_SOCKET, option, wanted_buffer);
}

/// The bytes that a packet on the path to the group carries.
std::size_t packet_bytes(const GroupAddress& a, const ip_mreqn& membership) {
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  set(probe, IPPROTO_IP, IP_MULTICAST_IF, membership);
  const sockaddr_in address = socket_address(a);
  int bytes = 0;
  if (connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    bytes = get(probe, IPPROTO_IP, IP_MTU);
  close(probe);
  return bytes > 576 ? static_cast<std::size_t>(bytes) : 576;
}

}  // namespace

GroupSocket::GroupSocket(const GroupAddress& address, bool loop) : address_(address) {
  try {
    open(loop);
  } catch (...) {
    if (socket_ >= 0) close(socket_);
    throw;
  }
}

GroupSocket::~GroupSocket() {
  close(socket_);
}

void GroupSocket::refuse(const char* what) const {
  throw InputError("multicast group " + address_.words() + ": " + what + ": " + std::strerror(errno));
}

void GroupSocket::open(bool loop) {
  ip_mreqn membership{};
  membership.imr_multiaddr.s_addr = address_.group;
  if (!address_.interface.empty()) {
    membership.imr_ifindex = static_cast<int>(if_nametoindex(address_.interface.c_str()));
    if (membership.imr_ifindex == 0) refuse("no such interface");
  }
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) refuse("no socket");
  const sockaddr_in here = socket_address(address_);
  set(socket_, SOL_SOCKET, SO_REUSEADDR, 1);  // several ranks of a machine bind the port
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0)
    refuse("the port cannot be had");
  if (!set(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership))
    refuse(address_.interface.empty() ? "cannot be joined without %INTERFACE" : "cannot be joined");
  if (!set(socket_, IPPROTO_IP, IP_MULTICAST_IF, membership)) refuse("cannot be sent to");
  set(socket_, IPPROTO_IP, IP_MULTICAST_LOOP, int{loop});
  enlarge(socket_, SO_RCVBUF, SO_RCVBUFFORCE);
  enlarge(socket_, SO_SNDBUF, SO_SNDBUFFORCE);
  buffer_bytes_ = static_cast<std::size_t>(get(socket_, SOL_SOCKET, SO_RCVBUF));
  datagram_bytes_ = std::min(packet_bytes(address_, membership) - ip_and_udp_headers, largest_datagram);
}

bool GroupSocket::send(std::span<iovec> parts) {
  sockaddr_in to = socket_address(address_);
  msghdr message{};
  message.msg_name = &to;
  message.msg_namelen = sizeof to;
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (sendmsg(socket_, &message, 0) >= 0) return true;
  if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return false;
  throw SubstrateError("multicast group " + address_.words() + ": sending failed: " + std::strerror(errno));
}

std::ptrdiff_t GroupSocket::receive(std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return recvmsg(socket_, &message, 0);
}

void GroupSocket::wait(int milliseconds) const {
  pollfd one{socket_, POLLIN, 0};
  poll(&one, 1, milliseconds);
}

}  // namespace collcast::mpi
