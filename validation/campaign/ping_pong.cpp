// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/ping_pong.hpp"

#include <cmath>
#include <set>

#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::campaign {
namespace {

Request request(const char* test, Bytes message, int pairs, int window) {
  const Json what{{"collective", test}, {"message_bytes", std::llround(message.value)},
                  {"ranks", 2 * pairs}, {"pairs", pairs},
                  {"window", window},   {"buffers", "host"}};
  return {what, std::string(test) + " of " + text::bytes(message.value) + ", " + std::to_string(pairs) +
                    (pairs == 1 ? " pair" : " pairs")};
}

std::vector<Request> requests(const PingPongs& wanted, int pairs) {
  std::vector<Request> all;
  for (const Bytes size : wanted.sizes) all.push_back(request("latency", size, pairs, 1));
  if (wanted.window == 0) return all;
  for (const char* test : {"bandwidth", "both-ways bandwidth"})
    for (const Bytes size : wanted.sizes)
      if (size <= wanted.longest_in_window) all.push_back(request(test, size, pairs, wanted.window));
  return all;
}

Request star(const char* kind, Bytes message, int ranks, int window) {
  const Json what{{"collective", kind},
                  {"message_bytes", std::llround(message.value)},
                  {"ranks", ranks},
                  {"window", window},
                  {"buffers", "host"}};
  return {what,
          std::string(kind) + " of " + text::bytes(message.value) + ", " + std::to_string(ranks) + " ranks"};
}

/// Bursts to one rank and both ways with it; the same with several, and from several.
std::vector<Request> stars(int ranks) {
  std::vector<Request> all;
  for (const double size : {1., 1024., 8192., 65536.}) {
    const Bytes message(size);
    for (const char* kind : {"fan-out", "exchange"})
      for (const int window : {1, 8})
        if (ranks == 2) all.push_back(star(kind, message, 2, window));
    for (const char* kind : {"fan-out", "fan-in", "exchange"})
      for (const int window : {1, 4})
        if (ranks > 2) all.push_back(star(kind, message, ranks, window));
  }
  return all;
}

/// The keys that tell one request from another, of a request or of its answer.
std::string key(const Json& line) {
  Json key = Json::array();
  for (const char* name : {"collective", "message_bytes", "ranks", "window"})
    key.push_back(line.value(name, Json()));
  return dump(key);
}

}  // namespace

PingPongs standard_ping_pongs() {
  PingPongs p;
  for (const double size : {1., 64., 1024., 4096., 8192., 16384., 32768., 61440., 65536., 81920., 262144.,
                            1048576., 4194304., 16777216.})
    p.sizes.emplace_back(size);
  p.settings = {.least = 6, .most = 50, .interval = 0.01};
  return p;
}

void measure_ping_pongs(const PingPongs& wanted, const Launcher& launcher, const std::filesystem::path& file,
                        const Progress& progress) {
  Journal journal(file);
  std::set<std::string> done;
  for (const Json& line : journal.lines()) done.insert(key(line));
  const auto folder = std::filesystem::absolute(file).parent_path();
  const auto measure_left = [&](std::vector<Request> left, Rank ranks) {
    std::erase_if(left, [&](const Request& r) { return done.contains(key(r.what)); });
    if (!left.empty()) measure(left, ranks, wanted.settings, launcher, folder, journal, progress);
  };
  for (const int pairs : wanted.pairs) measure_left(requests(wanted, pairs), 2 * pairs);
  for (const int ranks : std::set{2, wanted.star})
    if (wanted.star > 1) measure_left(stars(ranks), ranks);
}

}  // namespace collcast::campaign
