// SPDX-License-Identifier: Apache-2.0
#include "model/fabric.hpp"

#include <sstream>

namespace collcast {
namespace {

std::vector<Link> port_links(Rank ranks, SecondsPerByte per_byte) {
  return std::vector<Link>(2 * static_cast<std::size_t>(ranks), {1.0 / per_byte});
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

std::string joined(const std::vector<std::string>& words, std::size_t first, std::size_t end) {
  std::string all;
  for (std::size_t i = first; i < end; ++i) all += (all.empty() ? "" : " ") + words[i];
  return all;
}

}  // namespace

std::string alike(const std::string& name) {
  std::istringstream in(name);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, ' ');) words.push_back(word);
  const std::size_t n = words.size();
  if (n > 3 && (words[n - 2] == "up" || words[n - 2] == "down") && is_number(words[n - 3]))
    return joined(words, 0, n - 3) + " " + words[n - 2];  // LEVEL 3 up 1
  if (n > 2 && words[0] == "node" && is_number(words[1])) return joined(words, 2, n);
  if (n == 3 && words[0] == "rank") return "rank " + words[2];
  if (n > 7 && words[0] == "group" && words[5] == "group")  // group 1 switch 2 to group 1 switch 3
    return words[1] == words[6] ? "switch to switch of a group" : "group to group";
  if (name.find("other groups") != std::string::npos) return "group to group";
  if (name.find("its group") != std::string::npos || name.find("other chassis") != std::string::npos)
    return "switch to switch of a group";                         // of adaptive routing
  if (n == 4 && words[0] == "switch") return "switch to switch";  // switch (0,1) to (0,2)
  return name;
}

UniformFabric::UniformFabric(const AlphaBetaGamma& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.beta)) {}

UniformFabric::UniformFabric(const LogGP& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.G)) {}

std::string UniformFabric::port_name(Port port) const {
  const auto ranks = static_cast<Port>(ranks_);
  return "rank " + std::to_string(port % ranks) + (port < ranks ? " out" : " in");
}

void UniformFabric::route(Place from, Place to, std::vector<LinkId>& links) const {
  if (from.rank == to.rank) return;
  links.push_back(static_cast<LinkId>(from.rank));
  links.push_back(static_cast<LinkId>(to.rank + ranks_));
}

}  // namespace collcast
