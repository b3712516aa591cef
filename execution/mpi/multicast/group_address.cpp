// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/multicast/group_address.hpp"

#include <arpa/inet.h>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast::mpi {

GroupAddress parse_group(const std::string& text) {
  const auto refuse = [&](const std::string& why) -> InputError {
    return InputError("multicast group '" + text + "' " + why +
                      "; groups are like 239.1.2.3:5000 or 239.1.2.3:5000%eth0");
  };
  const std::size_t percent = text.find('%'), colon = text.find(':');
  if (colon == std::string::npos || colon > percent) throw refuse("has no port");
  GroupAddress a;
  if (percent != std::string::npos) a.interface = text.substr(percent + 1);
  if (percent != std::string::npos && a.interface.empty()) throw refuse("names no interface behind %");
  in_addr group{};
  if (inet_pton(AF_INET, text.substr(0, colon).c_str(), &group) != 1) throw refuse("is no IPv4 address");
  if (!IN_MULTICAST(ntohl(group.s_addr))) throw refuse("is not between 224.0.0.0 and 239.255.255.255");
  a.group = group.s_addr;
  const std::string port =
      text.substr(colon + 1, percent == std::string::npos ? percent : percent - colon - 1);
  a.port = number_in<std::uint16_t>(port).value_or(0);
  if (a.port == 0) throw refuse("has a port that is not between 1 and 65535");
  return a;
}

std::string GroupAddress::words() const {
  char text[INET_ADDRSTRLEN] = "?";
  inet_ntop(AF_INET, &group, text, sizeof text);
  return std::string(text) + ":" + std::to_string(port) + (interface.empty() ? "" : "%" + interface);
}

}  // namespace collcast::mpi
