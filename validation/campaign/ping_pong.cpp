// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/ping_pong.hpp"

#include <cmath>
#include <set>

#include "support/error.hpp"
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

/// The stars: bursts to one rank, and both ways with it; the same with several ranks, and bursts from
/// several.
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

/// The keys that tell one request from another, as a text; of a request or of its answer.
std::string key(const Json& line) {
  Json key = Json::array();
  for (const char* name : {"collective", "message_bytes", "ranks", "window"})
    key.push_back(line.value(name, Json()));
  return dump(key);
}

/// All requests, by the number of ranks to launch.
std::vector<std::pair<Rank, std::vector<Request>>> launches(const PingPongs& wanted) {
  std::vector<std::pair<Rank, std::vector<Request>>> all;
  for (const int pairs : wanted.pairs) all.emplace_back(2 * pairs, requests(wanted, pairs));
  for (const int ranks : std::set{2, wanted.star})
    if (wanted.star > 1) all.emplace_back(ranks, stars(ranks));
  return all;
}

/// Throws InputError if the line is of another launcher. Older lines have only its first word.
void require_same(const Json& line, const Launcher& launcher, const std::filesystem::path& file) {
  const std::string command = text::join(launcher.words(), " ");
  const bool whole = line.contains("command");
  const std::string was = whole ? line.value("command", "") : line.value("launcher", "");
  if (was != (whole ? command : launcher.words()[0]))
    throw InputError(file.string() + ": holds measurements by another command (" + was + ", not " + command +
                     "); delete it, or choose another output with -o");
}

std::set<std::string> keys_of(const Journal& journal) {
  std::set<std::string> all;
  for (const Json& line : journal.lines()) all.insert(key(line));
  return all;
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

Coverage coverage(const PingPongs& wanted, const Launcher& launcher, const std::filesystem::path& file) {
  const Journal journal(file);
  for (const Json& line : journal.lines()) require_same(line, launcher, file);
  const std::set<std::string> done = keys_of(journal);
  Coverage found;
  for (const auto& [ranks, asked] : launches(wanted)) {
    found.wanted += asked.size();
    for (const Request& r : asked) found.already += done.count(key(r.what));
  }
  return found;
}

void measure_ping_pongs(const PingPongs& wanted, const Launcher& launcher, const std::filesystem::path& file,
                        const Progress& progress) {
  Journal journal(file);
  for (const Json& line : journal.lines()) require_same(line, launcher, file);
  const std::set<std::string> done = keys_of(journal);
  const auto folder = std::filesystem::absolute(file).parent_path();
  for (const auto& [ranks, asked] : launches(wanted)) {
    std::vector<Request> left;
    for (const Request& r : asked)
      if (!done.contains(key(r.what))) left.push_back(r);
    if (!left.empty()) measure(left, ranks, wanted.settings, launcher, folder, journal, progress);
  }
}

}  // namespace collcast::campaign
