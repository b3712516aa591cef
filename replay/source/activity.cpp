// SPDX-License-Identifier: Apache-2.0
#include "replay/source/activity.hpp"

#include <utility>

namespace collcast {

Activity collective_activity(Collective collective, int communicator, Bytes message) {
  Activity a;
  a.kind = Activity::Kind::collective;
  a.collective = collective;
  a.operation = a.call = definition(collective).name;
  a.communicator = communicator;
  a.message = message;
  return a;
}

Activity message_activity(bool sends, int communicator, Rank peer, Bytes bytes) {
  Activity a;
  a.kind = sends ? Activity::Kind::send : Activity::Kind::receive;
  a.operation = a.call = sends ? "send" : "recv";
  a.communicator = communicator;
  (sends ? a.to : a.from) = peer;
  (sends ? a.bytes : a.received_bytes) = bytes;
  return a;
}

Activity wait_activity(std::vector<std::int64_t> requests) {
  Activity a;
  a.kind = Activity::Kind::wait;
  a.operation = a.call = "wait";
  a.requests = std::move(requests);
  return a;
}

Activity await_activity(int stream, std::int64_t count) {
  Activity a;
  a.kind = Activity::Kind::await;
  a.stream = stream;
  a.count = count;
  return a;
}

}  // namespace collcast
