// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/chakra.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/chakra_nodes.hpp"
#include "replay/formats/graph.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/one_job.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using chakra::comm_coll, chakra::comm_recv, chakra::comm_send, chakra::EtFile, chakra::EtNode;

/// Makes communicators of process groups. The members are those that torch noted, or the ranks that use the
/// group's name.
class ProcessGroups {
 public:
  ProcessGroups(RecordedSource& source, const std::map<Rank, EtFile>& files) {
    std::map<std::string, std::vector<Rank>> members;
    std::int64_t alone = 0;
    for (const auto& [rank, file] : files)
      for (const std::string& name : used(file))
        if (!file.groups.contains(name)) members[name].push_back(rank);
    for (const auto& [name, ranks] : members) {
      alone += ranks.size() == 1;
      for (const Rank r : ranks) add(source, r, name, ranks);
    }
    for (const auto& [rank, file] : files)
      for (const auto& [name, ranks] : file.groups)
        if (possible(ranks, rank, source.ranks())) add(source, rank, name, ranks);
    if (alone)
      source.info().notes.push_back(std::to_string(alone) +
                                    " process groups are used by one rank alone: their members are the ranks "
                                    "whose files are here, so name those of all ranks");
  }

  int communicator(Rank rank, const EtNode& n) const {
    const auto found = numbers_.find({rank, n.group});
    return found == numbers_.end() ? 0 : found->second;
  }

 private:
  static std::set<std::string> used(const EtFile& file) {
    std::set<std::string> names;
    for (const EtNode& n : file.nodes)
      if (n.collects() && !n.group.empty()) names.insert(n.group);
    return names;
  }
  static bool possible(const std::vector<Rank>& ranks, Rank rank, Rank world) {
    const std::set<Rank> distinct(ranks.begin(), ranks.end());
    return distinct.size() == ranks.size() && distinct.contains(rank) && *distinct.begin() >= 0 &&
           *distinct.rbegin() < world;
  }
  void add(RecordedSource& source, Rank rank, const std::string& name, const std::vector<Rank>& ranks) {
    numbers_[{rank, name}] = ranks == source.communicators()[0] ? 0 : source.communicator(name, ranks);
  }

  std::map<std::pair<Rank, std::string>, int> numbers_;
};

/// The node's activity; its begin counts from `first_us`, if nodes have times. A communication without a size
/// counts as the host's work for it.
Node lowered(RecordedSource& source, int communicator, const EtNode& n,
             const std::optional<std::uint64_t>& first_us) {
  Node node;
  node.id = n.id;
  node.after = n.after;
  node.host = n.host;
  Activity& a = node.what;
  const Seconds lasts(n.duration_ns < 0 ? 1e-6 * static_cast<double>(n.duration_us)
                                        : 1e-9 * static_cast<double>(n.duration_ns));
  const Bytes size(static_cast<double>(std::max<std::int64_t>(n.size, 0)));
  const bool sends = n.type == comm_send;
  const std::int64_t peer = sends ? n.dest : n.source;
  const auto collective = n.collective < 0 ? collective_of(n.name) : chakra::collective_of_type(n.collective);
  if (n.collects() && collective) {
    const auto ranks =
        static_cast<Rank>(source.communicators()[static_cast<std::size_t>(communicator)].size());
    a = collective_activity(
        *collective, communicator,
        message_of(*collective, size, *collective == Collective::scatter ? size : Bytes(), ranks));
    a.sized = n.size >= 0;
    if (n.root >= 0 && n.root < ranks) a.root = static_cast<Rank>(n.root);
  } else if ((sends || n.type == comm_recv) && peer >= 0 && peer < source.ranks()) {
    a = message_activity(sends, 0, static_cast<Rank>(peer), size);
    (sends ? a.tag : a.received_tag) = static_cast<int>(n.tag & 0x7fffffff);
    a.sized = n.size >= 0;
  } else if (n.size >= 0 && (n.type == comm_coll || sends || n.type == comm_recv)) {
    a.kind = Activity::Kind::skipped;
    a.operation = a.call = source.keep(n.name);
    a.note = n.type == comm_coll ? "its comm_type is none that is known" : "its peer is not among the ranks";
  }
  a.time = lasts;
  if (a.kind == Activity::Kind::compute || lasts > Seconds()) a.duration = lasts;
  if (first_us) a.begin = Seconds(1e-6 * static_cast<double>(n.start_us - *first_us));
  return node;
}

/// The rank of a file, by the file's name or place; the only file of a job of one rank is rank 0.
Rank rank_of(const std::vector<std::string>& files, std::size_t i, Rank world) {
  const int number = number_in_name(files[i]);
  return world == 1 || number < 0 || (files.size() == 1 && number >= world) ? static_cast<Rank>(i) : number;
}

std::int64_t count_of(const std::map<Rank, EtFile>& files, bool (*wanted)(const EtNode&)) {
  std::int64_t n = 0;
  for (const auto& [rank, file] : files) n += std::ranges::count_if(file.nodes, wanted);
  return n;
}

/// Notes what in the nodes cannot be played, or is taken for something else.
void note_nodes(SourceInfo& info, const std::map<Rank, EtFile>& files) {
  if (const auto partly = count_of(files, [](const EtNode& n) { return n.collects() && n.partly; }))
    info.notes.push_back(
        std::to_string(partly) +
        " collectives along some dimensions of a network (involved_dim) are taken for all ranks'");
  if (const auto timeless = count_of(files, [](const EtNode& n) {
        return n.type == chakra::comp && !n.host && n.operations > 0 && n.duration_us == 0 &&
               n.duration_ns <= 0;
      }))
    info.notes.push_back(
        std::to_string(timeless) +
        " computations say how many operations they are (num_ops) and no time: they take none");
}

}  // namespace

bool is_chakra(std::string_view head) {
  return chakra::is_et(head);
}

std::unique_ptr<Source> open_chakra(const std::vector<std::string>& files, const OpenOptions&) {
  std::vector<EtFile> read;
  auto world = static_cast<Rank>(files.size());
  for (const std::string& file : files)
    world = std::max(world, read.emplace_back(chakra::read_et(file)).world);
  std::map<Rank, std::string> by_rank;
  std::map<Rank, EtFile> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Rank rank = rank_of(files, i, world);
    claim_rank(by_rank, rank, files[i]);
    all[rank] = std::move(read[i]);
  }
  if (by_rank.rbegin()->first >= world)
    throw InputError(by_rank.rbegin()->second + ": is rank " + std::to_string(by_rank.rbegin()->first) +
                     " by its name, of " + std::to_string(files.size()) + " files; name those of all ranks");
  auto source = std::make_unique<RecordedSource>(world);
  SourceInfo& info = source->info();
  info.memory = all.begin()->second.memory == "host" ? Memory::host : Memory::device;
  info.by_mpi = all.begin()->second.library == "MPI";
  for (const auto& [rank, file] : by_rank)
    if (std::ssize(files) < world) info.recorded_ranks.push_back(rank);
  info.unknown = {"members of process groups, but where torch noted them (those that use their names)",
                  "element types and algorithms",
                  "roots, but where comm_root has them (taken as the first rank)",
                  "times below 1 us, but where duration_ns has them"};
  std::int64_t missing = 0;
  const ProcessGroups groups(*source, all);
  if (world == 1 && std::ranges::any_of(all.begin()->second.nodes, &EtNode::collects))
    info.notes.push_back(
        "one file is a job of one rank, in which collectives move nothing: name those of all ranks");
  note_nodes(info, all);
  for (auto& [rank, file] : all) {
    std::vector<EtNode>& nodes = file.nodes;
    std::uint64_t first_us = ~std::uint64_t{0}, last_us = 0;
    for (const EtNode& n : nodes)
      first_us = std::min(first_us, n.start_us), last_us = std::max(last_us, n.start_us + n.duration_us);
    const bool timed = std::ranges::any_of(nodes, [&](const EtNode& n) { return n.start_us > first_us; });
    std::vector<Node> graph;
    for (const EtNode& n : nodes)
      graph.push_back(
          lowered(*source, groups.communicator(rank, n), n, timed ? std::optional(first_us) : std::nullopt));
    if (timed)
      info.recorded = std::max(info.recorded, Seconds(1e-6 * static_cast<double>(last_us - first_us)));
    nodes.clear(), nodes.shrink_to_fit();
    missing += add_graph(*source, rank, std::move(graph), by_rank.at(rank));
  }
  match_in_order(*source);
  info.lose("dependency", missing, "on nodes that the file does not have");
  compare_ranks(*source);
  mark_if_unscalable(*source);
  return source;
}

}  // namespace collcast
