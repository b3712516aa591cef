// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_graph.hpp"

#include <algorithm>
#include <iterator>

#include "replay/formats/nccl_calls.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::nccl {
namespace {

constexpr std::string_view names_of_patterns[] = {"",     "balanced tree", "split tree",    "tree",
                                                  "ring", "NVLS",          "CollNet direct"};
constexpr std::int64_t ring_pattern = 4;

std::string name_of_pattern(std::int64_t n) {
  const bool known = n > 0 && n < static_cast<std::int64_t>(std::size(names_of_patterns));
  return known ? std::string(names_of_patterns[n]) : "pattern " + std::to_string(n);
}

/// Reads "24.0/12.0": speeds of a channel inside nodes, and between them.
void set_speeds(SetUp& row, std::string_view words) {
  row.within_GBps = leading_or(words, -1.0);
  if (const auto slash = words.find('/'); slash != std::string_view::npos)
    row.between_GBps = leading_or(words.substr(slash + 1), -1.0);
}

/// "NET/IB/GDRDMA" of "NET/IB/0/GDRDMA(PCI)": without the card's number.
std::string transport(std::string_view via) {
  via = via.substr(0, via.find_first_of(" (\r"));
  std::string all;
  while (!via.empty()) {
    const std::string_view part = via.substr(0, via.find('/'));
    if (part.find_first_not_of("0123456789") != std::string_view::npos)
      all += (all.empty() ? "" : "/") + std::string(part);
    via.remove_prefix(std::min(part.size() + 1, via.size()));
  }
  return all;
}

/// The ranks of a ring as NCCL lists them, separated by single spaces.
std::string order(std::string_view words) {
  std::string all;
  for (std::size_t at = 0; (at = words.find_first_not_of(" \r", at)) != std::string_view::npos;) {
    const std::string_view word = words.substr(at, words.find_first_of(" \r", at) - at);
    all += (all.empty() ? "" : " ") + std::string(word);
    at += word.size();
  }
  return all;
}

}  // namespace

void Graph::read(std::string_view text) {
  if (text.starts_with("Channel ")) return channel(text);
  if (text.starts_with("Pattern ")) return pattern(text);
  if (text.find(" coll channels") != std::string_view::npos) channels_in_use(text);
}

/// "Channel 00/08 : 0 1 2 3" is a ring, "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC" a connection.
void Graph::channel(std::string_view text) {
  const std::string_view number_and_all = text.substr(std::string_view("Channel ").size());
  const auto colon = text.find(" : ");
  const auto channel = number(number_and_all);
  if (colon == std::string_view::npos || channel < 0) return;
  const std::string_view rest = text.substr(colon + 3);
  if (const auto via = rest.find(" via "); via != std::string_view::npos)
    ++by_transport_[transport(rest.substr(via + 5))];
  else if (rest.find_first_not_of("0123456789. \r") == std::string_view::npos)
    rings_[channel] = order(rest);
}

/// "Pattern 4, crossNic 0, nChannels 8, bw 24.0/12.0, type NVL/PIX, sameChannels 1"; before 2.12 "speed", not
/// "bw".
void Graph::pattern(std::string_view text) {
  SetUp row;
  const auto pattern = number(word_after(text, "Pattern "));
  row.channels = number(word_after(text, "nChannels "));
  const std::string_view bandwidth = word_after(text, "bw ");
  set_speeds(row, bandwidth.empty() ? word_after(text, "speed ") : bandwidth);
  row.links = word_after(text, "type ");
  std::erase(row.links, ',');
  if (pattern < 0 || row.channels < 0) return;
  row.graph = name_of_pattern(pattern);
  patterns_.try_emplace(pattern, row);
}

/// "8 coll channels, 0 collnet channels, 0 nvls channels, 8 p2p channels, 2 p2p channels per peer"
void Graph::channels_in_use(std::string_view text) {
  const auto before = [&](std::string_view words) -> std::int64_t {
    const auto end = text.find(words);
    if (end == std::string_view::npos) return 0;
    return number(text.substr(text.find_last_not_of("0123456789", end - 1) + 1), std::int64_t{0});
  };
  in_use_["collectives"] = before(" coll channels");
  in_use_["NVLS"] = before(" nvls channels");
  in_use_["messages"] = before(" p2p channels,");
}

void Graph::add(const Graph& other) {
  patterns_.insert(other.patterns_.begin(), other.patterns_.end());
  rings_.insert(other.rings_.begin(), other.rings_.end());
  in_use_.insert(other.in_use_.begin(), other.in_use_.end());
  for (const auto& [name, count] : other.by_transport_) by_transport_[name] += count;
}

std::vector<SetUp> Graph::rows(const std::string& communicator) const {
  std::map<std::int64_t, SetUp> patterns = patterns_;
  if (!rings_.empty()) {
    SetUp& ring = patterns[ring_pattern];
    ring.graph = name_of_pattern(ring_pattern);
    ring.channels = std::max<std::int64_t>(ring.channels, std::ssize(rings_));
    for (const auto& [channel, ranks] : rings_) ring.orders.push_back(ranks);
  }
  std::vector<SetUp> all;
  for (const auto& [number, row] : patterns) all.push_back(row);
  for (const auto& [what, channels] : in_use_)
    if (channels > 0) all.emplace_back().graph = "in use for " + what, all.back().channels = channels;
  for (const auto& [name, count] : by_transport_)
    all.emplace_back().graph = text::counted(count, "connection"), all.back().links = name;
  for (SetUp& row : all) row.communicator = communicator;
  return all;
}

}  // namespace collcast::nccl
