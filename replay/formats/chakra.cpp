// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/chakra.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/graph.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/protobuf.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using protobuf::Field;
using protobuf::take_field;

/// et_def.proto's NodeType and CollectiveCommType.
enum NodeType : std::uint64_t { comp = 4, comm_send = 5, comm_recv = 6, comm_coll = 7 };
constexpr Collective collectives[] = {
    Collective::allreduce,      Collective::reduce,    Collective::allgather, Collective::gather,
    Collective::scatter,        Collective::broadcast, Collective::alltoall,  Collective::reduce_scatter,
    Collective::reduce_scatter, Collective::barrier};
struct EtNode {
  std::uint64_t id = 0, type = 0, start_us = 0, duration_us = 0;
  std::int64_t duration_ns = -1;  ///< in files of our own
  std::string name, group;
  std::vector<std::uint64_t> after, parents;  ///< data_deps, ctrl_deps
  std::int64_t collective = -1, size = -1, source = -1, dest = -1, tag = 0, root = 0;
  bool host = false, partly = false;

  /// A collective, and no host's call that launches one.
  bool collects() const {
    return type == comm_coll && (size >= 0 || (!host && collective_of(name).has_value()));
  }
};

[[noreturn]] void damaged(const std::string& path, std::size_t at) {
  throw InputError(path + ": damaged or cut short at byte " + std::to_string(at) +
                   "; a Chakra trace is messages, each after its length");
}

/// An attribute's number, whichever of the integer kinds the writer took.
std::int64_t integer(const Field& f) {
  const bool zigzag = f.number == 15 || f.number == 17;
  return zigzag ? static_cast<std::int64_t>(f.value >> 1) ^ -static_cast<std::int64_t>(f.value & 1)
                : static_cast<std::int64_t>(f.value);
}

void read_attribute(std::string_view message, EtNode& node) {
  std::string_view name, text;
  std::int64_t value = 0;
  while (const auto f = take_field(message)) {
    if (f->number == 1)
      name = f->bytes;
    else if (f->number == 28 || f->number == 29)
      text = f->bytes;
    else if (f->wire != 2)
      value = integer(*f);
  }
  if (name == "is_cpu_op") node.host = value != 0;
  if (name == "comm_type") node.collective = value;
  if (name == "comm_size") node.size = value;
  if (name == "comm_src") node.source = value;
  if (name == "comm_dst") node.dest = value;
  if (name == "comm_tag") node.tag = value;
  if (name == "comm_root") node.root = value;
  if (name == "duration_ns") node.duration_ns = value;
  if (name == "pg_name") node.group = text;
  if (name == "involved_dim") node.partly = text.find('\0') != std::string_view::npos;
}

EtNode read_node(const std::string& path, std::string_view message, std::size_t at) {
  EtNode node;
  while (const auto f = take_field(message)) {
    switch (f->number) {
      case 1:
        node.id = f->value;
        break;
      case 2:
        node.name = f->bytes;
        break;
      case 3:
        node.type = f->value;
        break;
      case 4:
      case 5:
        if (f->wire == 0) {
          (f->number == 4 ? node.parents : node.after).push_back(f->value);
        } else {
          for (std::string_view packed = f->bytes; !packed.empty();) {
            const auto id = protobuf::take_varint(packed);
            if (!id) damaged(path, at);
            (f->number == 4 ? node.parents : node.after).push_back(*id);
          }
        }
        break;
      case 6:
        node.start_us = f->value;
        break;
      case 7:
        node.duration_us = f->value;
        break;
      case 10:
        read_attribute(f->bytes, node);
        break;
      default:
        break;
    }
  }
  if (!message.empty()) damaged(path, at);
  return node;
}

std::vector<EtNode> read_messages(const std::string& path) {
  const std::string text = text_of(path);
  std::string_view rest = text;
  std::vector<EtNode> nodes;
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t at = text.size() - rest.size();
    const auto length = protobuf::take_varint(rest);
    if (!length || *length > rest.size()) damaged(path, at);
    if (!first) nodes.push_back(read_node(path, rest.substr(0, *length), at));
    rest.remove_prefix(*length);
  }
  return nodes;
}

/// As Chakra's feeder reads JSON.
EtNode read_node(const std::string& path, const JsonValue& json) {
  EtNode node;
  const auto number = [&](std::string_view key, std::int64_t otherwise) {
    const JsonValue value = json[key];
    const auto n = value.integer();
    if (!value.null() && !n)
      throw InputError(path + ": has a node whose " + std::string(key) + " is no whole number");
    return n.value_or(otherwise);
  };
  const auto count = [&](std::string_view key) {
    const std::int64_t n = number(key, 0);
    if (n < 0) throw InputError(path + ": has a node whose " + std::string(key) + " is below 0");
    return static_cast<std::uint64_t>(n);
  };
  const auto ids = [&](std::string_view key, std::vector<std::uint64_t>& all) {
    for (const JsonValue& id : json[key].items())
      if (const auto n = id.integer()) all.push_back(static_cast<std::uint64_t>(*n));
  };
  node.id = count("Id");
  node.name = json["Name"].text();
  node.type = count("NodeType");
  node.host = json["is_cpu_op"].truth();
  node.duration_us = count("runtime");
  ids("ctrlDeps", node.parents), ids("data_deps", node.after);
  node.collective = number("comm_type", -1), node.size = number("comm_size", -1);
  node.source = number("comm_src", -1), node.dest = number("comm_dst", -1);
  node.tag = number("comm_tag", 0), node.root = number("comm_root", 0);
  node.group = json["pg_name"].text();
  for (const JsonValue& dimension : json["involved_dim"].items()) node.partly |= !dimension.truth();
  return node;
}

bool is_chakra_json(std::string_view head) {
  return head.find("\"workload_graph\"") != std::string_view::npos &&
         head.find("\"NodeType\"") != std::string_view::npos;
}

std::vector<EtNode> read_nodes(const std::string& path) {
  std::vector<EtNode> nodes;
  if (is_chakra_json(head_of(path))) {
    const JsonEnd end = read_elements(path, "workload_graph",
                                      [&](const JsonValue& json) { nodes.push_back(read_node(path, json)); });
    if (!end.closed || end.damaged > 0) throw InputError(path + ": the JSON is damaged or cut short");
  } else {
    nodes = read_messages(path);
  }
  // The parents of the call tree are circular in real traces, and count only where nothing else is said.
  if (std::ranges::all_of(nodes, [](const EtNode& n) { return n.after.empty(); }))
    for (EtNode& n : nodes) n.after = std::move(n.parents);
  return nodes;
}

/// The communicators of process groups: their members are the ranks that use their names.
class ProcessGroups {
 public:
  ProcessGroups(RecordedSource& source, const std::map<Rank, std::vector<EtNode>>& all) {
    std::map<std::string, std::vector<Rank>> members;
    for (const auto& [rank, nodes] : all) {
      std::set<std::string> used;
      for (const EtNode& n : nodes)
        if (n.collects() && !n.group.empty()) used.insert(n.group);
      for (const std::string& name : used) members[name].push_back(rank);
    }
    std::int64_t alone = 0;
    for (const auto& [name, ranks] : members) {
      alone += ranks.size() == 1;
      numbers_[name] = ranks == source.communicators()[0] ? 0 : source.communicator(name, ranks);
    }
    if (alone)
      source.info().notes.push_back(std::to_string(alone) +
                                    " process groups are used by one rank alone: their members are the ranks "
                                    "whose files are here, so name those of all ranks");
  }

  int communicator(const EtNode& n) const {
    const auto found = numbers_.find(n.group);
    return found == numbers_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

/// The node's activity; a communication without a size is what the host does for it.
Node lowered(RecordedSource& source, const ProcessGroups& groups, const EtNode& n, std::uint64_t first_us) {
  Node node;
  node.id = n.id;
  node.after = n.after;
  node.host = n.host;
  Activity& a = node.what;
  const Seconds lasts(n.duration_ns < 0 ? 1e-6 * static_cast<double>(n.duration_us)
                                        : 1e-9 * static_cast<double>(n.duration_ns));
  const Bytes size(static_cast<double>(std::max<std::int64_t>(n.size, 0)));
  const auto kind = static_cast<std::size_t>(n.collective);
  const bool sends = n.type == comm_send;
  const std::int64_t peer = sends ? n.dest : n.source;
  const auto named = n.collective < 0 ? collective_of(n.name) : std::nullopt;
  if (n.collects() && (named || kind < std::size(collectives))) {
    const int communicator = groups.communicator(n);
    const auto ranks =
        static_cast<Rank>(source.communicators()[static_cast<std::size_t>(communicator)].size());
    const Collective collective = named ? *named : collectives[kind];
    a = collective_activity(collective, communicator, message_of(collective, size, {}, ranks));
    a.sized = n.size >= 0;
    if (n.root >= 0 && n.root < ranks) a.root = static_cast<Rank>(n.root);
  } else if ((sends || n.type == comm_recv) && peer >= 0 && peer < source.ranks()) {
    a.kind = sends ? Activity::Kind::send : Activity::Kind::receive;
    a.operation = a.call = sends ? "send" : "recv";
    (sends ? a.to : a.from) = static_cast<Rank>(peer);
    (sends ? a.tag : a.received_tag) = static_cast<int>(n.tag & 0x7fffffff);
    (sends ? a.bytes : a.received_bytes) = size;
    a.sized = n.size >= 0;
  } else if (n.size >= 0 && (n.type == comm_coll || sends || n.type == comm_recv)) {
    a.kind = Activity::Kind::skipped;
    a.operation = a.call = source.keep(n.name);
    a.note = n.type == comm_coll ? "its comm_type is none that is known" : "its peer is not among the ranks";
  }
  a.time = a.duration = lasts;
  a.begin = Seconds(1e-6 * static_cast<double>(n.start_us - first_us));
  return node;
}

}  // namespace

bool is_chakra(std::string_view head) {
  if (is_chakra_json(head)) return true;
  const auto length = protobuf::take_varint(head);
  if (!length || *length > 65536) return false;
  // GlobalMetadata: a version, or attributes whose first field is their name.
  std::string_view message = head.substr(0, *length);
  while (!message.empty()) {
    const auto f = take_field(message);
    if (!f || f->wire != 2 || (f->number != 1 && f->number != 2)) return false;
  }
  if (head.size() <= *length) return *length > 0;
  head.remove_prefix(*length);
  const auto next = protobuf::take_varint(head);
  if (!next || *next == 0) return false;
  std::string_view node = head.substr(0, *next);
  const auto f = take_field(node);
  return f && ((f->number == 1 && f->wire == 0) || (f->number == 2 && f->wire == 2));
}

std::unique_ptr<Source> open_chakra(const std::vector<std::string>& files, const OpenOptions&) {
  std::map<Rank, std::string> by_rank;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const int number = number_in_name(files[i]);
    const Rank rank = files.size() == 1 || number < 0 ? static_cast<Rank>(i) : number;
    if (const auto [other, is_new] = by_rank.emplace(rank, files[i]); !is_new)
      throw InputError("two files claim rank " + std::to_string(rank) + ": " + other->second + " and " +
                       files[i]);
  }
  if (by_rank.rbegin()->first != static_cast<Rank>(files.size()) - 1)
    throw InputError(by_rank.rbegin()->second + ": is rank " + std::to_string(by_rank.rbegin()->first) +
                     " by its name, of " + std::to_string(files.size()) + " files; name those of all ranks");
  auto source = std::make_unique<RecordedSource>(static_cast<Rank>(files.size()));
  SourceInfo& info = source->info();
  info.unknown = {"members of process groups (those that use their names)", "element types and algorithms",
                  "roots, but where comm_root has them (taken as the first rank)",
                  "times below 1 us, but where duration_ns has them"};
  std::int64_t missing = 0;
  std::map<Rank, std::vector<EtNode>> all;
  for (const auto& [rank, file] : by_rank) all[rank] = read_nodes(file);
  const ProcessGroups groups(*source, all);
  if (files.size() == 1 && std::ranges::any_of(all.begin()->second, &EtNode::collects))
    info.notes.push_back(
        "one file is a job of one rank, in which collectives move nothing: name those of all ranks");
  std::int64_t partly = 0;
  for (const auto& [rank, nodes] : all)
    partly += std::ranges::count_if(nodes, [&](const EtNode& n) { return n.collects() && n.partly; });
  if (partly)
    info.notes.push_back(
        std::to_string(partly) +
        " collectives along some dimensions of a network (involved_dim) are taken for all ranks'");
  for (auto& [rank, nodes] : all) {
    std::uint64_t first_us = ~std::uint64_t{0}, last_us = 0;
    for (const EtNode& n : nodes)
      first_us = std::min(first_us, n.start_us), last_us = std::max(last_us, n.start_us + n.duration_us);
    std::vector<Node> graph;
    for (const EtNode& n : nodes) graph.push_back(lowered(*source, groups, n, first_us));
    if (!nodes.empty() && std::ranges::max(nodes, {}, &EtNode::start_us).start_us > first_us)
      info.recorded = std::max(info.recorded, Seconds(1e-6 * static_cast<double>(last_us - first_us)));
    nodes.clear(), nodes.shrink_to_fit();
    missing += add_graph(*source, rank, std::move(graph), by_rank.at(rank));
  }
  if (missing) info.losses.push_back({"dependency", missing, "on nodes that the file does not have"});
  compare_ranks(*source);
  return source;
}

}  // namespace collcast
