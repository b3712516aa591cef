// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "replay/formats/chakra_nodes.hpp"
#include "replay/formats/conversion.hpp"
#include "replay/formats/protobuf.hpp"
#include "replay/source/merged.hpp"
#include "support/output_file.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

const std::map<Collective, std::uint64_t> chakra_types = {
    {Collective::allreduce, 0}, {Collective::reduce, 1},         {Collective::allgather, 2},
    {Collective::gather, 3},    {Collective::scatter, 4},        {Collective::broadcast, 5},
    {Collective::alltoall, 6},  {Collective::reduce_scatter, 7}, {Collective::barrier, 9}};

class NodeWriter {
 public:
  NodeWriter(const Source& source, Rank rank, std::ostream& out, LossCount& losses, TagsOfAll& tags)
      : source_(source), rank_(rank), out_(out), losses_(losses), tags_(tags) {
    std::string metadata;
    protobuf::put_field(metadata, 1, std::string_view("0.0.4"));
    put_fact(metadata, chakra::memory_attribute, source.info().memory == Memory::host ? "host" : "device");
    put_fact(metadata, chakra::library_attribute, source.info().by_mpi ? "MPI" : "NCCL");
    message(metadata);
  }

  void write(const Activity& a) {
    if (a.kind == Kind::wait) {
      for (const std::int64_t r : a.requests)
        if (const auto found = open_.find(r); found != open_.end())
          after_.insert(found->second), open_.erase(found);
      return;
    }
    if (a.kind == Kind::exchange) {
      const std::set<std::uint64_t> before = after_;
      Activity half = a;
      half.kind = Kind::send;
      const auto sent = node(half, before);
      half.kind = Kind::receive;
      after_ = {sent, node(half, before)};
      return;
    }
    const std::uint64_t id = node(a, after_);
    if (a.request >= 0)
      open_[a.request] = id;
    else
      after_ = {id};
  }

 private:
  /// An attribute of the whole file.
  static void put_fact(std::string& metadata, std::string_view name, std::string_view value) {
    std::string a;
    protobuf::put_field(a, 1, name);
    protobuf::put_field(a, 29, value);
    protobuf::put_field(metadata, 2, a);
  }

  static void attribute(std::string& node, std::string_view name, std::uint32_t kind, std::uint64_t value) {
    std::string a;
    protobuf::put_field(a, 1, name);
    protobuf::put_field(a, kind, value);
    protobuf::put_field(node, 10, a);
  }

  std::uint64_t node(const Activity& a, const std::set<std::uint64_t>& after) {
    constexpr std::uint32_t boolean = 27, int64 = 9, int32 = 7;
    std::string n, deps;
    const bool computes = a.kind == Kind::compute || a.kind == Kind::pause,
               collective = a.kind == Kind::collective, sends = a.kind == Kind::send;
    if (next_ > 0) protobuf::put_field(n, 1, next_);
    protobuf::put_field(n, 2, computes ? std::string_view("compute") : a.operation);
    protobuf::put_field(n, 3, computes ? 4u : collective ? 7u : sends ? 5u : 6u);
    for (const std::uint64_t d : after) protobuf::put_varint(deps, d);
    if (!deps.empty()) protobuf::put_field(n, 5, deps);
    const std::int64_t us = computes ? micros_(a.time) : std::llround(1e6 * a.duration.value);
    protobuf::put_field(n, 7, static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)));
    attribute(n, "is_cpu_op", boolean, 0);
    if (computes) {
      attribute(n, "duration_ns", int64, static_cast<std::uint64_t>(nanos_(a.time)));
      losses_.add("computation", "in whole us; duration_ns, an attribute of ours, has the rest", a.time);
    }
    if (collective) {
      const bool shared = a.collective == Collective::allgather || a.collective == Collective::gather ||
                          a.collective == Collective::scatter;
      attribute(n, "comm_type", int64, chakra_types.at(a.collective));
      attribute(n, "comm_size", int64,
                static_cast<std::uint64_t>(whole(
                    shared ? a.message / static_cast<double>(members_of(source_, a).size()) : a.message)));
      std::string pg;
      protobuf::put_field(pg, 1, std::string_view("pg_name"));
      protobuf::put_field(pg, 29, std::to_string(a.communicator));
      protobuf::put_field(n, 10, pg);
      if (definition(a.collective).rooted) {
        attribute(n, "comm_root", int32, static_cast<std::uint64_t>(a.root));
        const auto& members = members_of(source_, a);
        if (members.at(static_cast<std::size_t>(a.root)) == rank_)
          losses_.add(a.operation,
                      "has its root in comm_root, an attribute of ours that other tools pass over",
                      a.duration);
      }
    } else if (!computes) {
      const auto& members = members_of(source_, a);
      attribute(n, sends ? "comm_dst" : "comm_src", int32,
                static_cast<std::uint64_t>(members.at(static_cast<std::size_t>(sends ? a.to : a.from))));
      attribute(
          n, "comm_tag", int32,
          static_cast<std::uint64_t>(tags_(a.communicator, sends ? a.tag : a.received_tag)) & 0x7fffffff);
      attribute(n, "comm_size", int64, static_cast<std::uint64_t>(whole(sends ? a.bytes : a.received_bytes)));
    }
    message(n);
    return next_++;
  }

  void message(const std::string& text) {
    std::string length;
    protobuf::put_varint(length, text.size());
    out_ << length << text;
  }

  const Source& source_;
  Rank rank_;
  std::ostream& out_;
  LossCount& losses_;
  TagsOfAll& tags_;
  WholeTimes micros_{1e-6}, nanos_{1e-9};
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> after_;
  std::map<std::int64_t, std::uint64_t> open_;
};

}  // namespace

Holds chakra_holds(const Source& source) {
  return [sorted = in_order(source)](const Activity& a) {
    return chakra_types.contains(a.collective) && !a.direct && !a.counts &&
           sorted.at(static_cast<std::size_t>(a.communicator));
  };
}

std::string chakra_file(const std::string& prefix, Rank rank) {
  return prefix + "." + std::to_string(rank) + ".et";
}

Losses write_chakra(const Source& source, const std::string& prefix) {
  const OneStream merged(source);
  LossCount losses;
  TagsOfAll tags;
  const Holds holds = chakra_holds(source);
  for (Rank r = 0; r < source.ranks(); ++r) {
    OutputStream file(chakra_file(prefix, r));
    NodeWriter writer(source, r, file, losses, tags);
    for_each_activity(merged, r, losses, [&](const Activity& a) {
      if (a.kind == Kind::collective && !holds(a))
        return losses.add(a.operation, "has no type in the format", a.duration);
      writer.write(a);
    });
    file.commit();
  }
  losses.add(merged.losses());
  Losses all = losses.losses(source);
  add_facts_of_ours(all, source);
  return all;
}

}  // namespace collcast
