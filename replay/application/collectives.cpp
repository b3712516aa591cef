// SPDX-License-Identifier: Apache-2.0
#include "replay/application/collectives.hpp"

#include <numeric>

namespace collcast {
namespace {

using trace::Op;

Bytes bytes(std::int64_t n) {
  return Bytes(static_cast<double>(n));
}

Bytes sum(const std::vector<std::int64_t>& counts) {
  return bytes(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

RecordedCollective by_shares(Collective collective, const std::vector<std::int64_t>& counts) {
  RecordedCollective c{collective, sum(counts), {}};
  for (std::int64_t n : counts) c.sizes.push_back(bytes(n));
  return c;
}

}  // namespace

std::optional<RecordedCollective> as_collective(const trace::Event& e, Rank p) {
  const Bytes sent = bytes(e.send_bytes), received = bytes(e.recv_bytes);
  switch (e.op) {
    case Op::barrier:
      return {{Collective::barrier, {}, {}}};
    case Op::bcast:
      return {{Collective::broadcast, sent, {}}};
    case Op::reduce:
      return {{Collective::reduce, sent, {}}};
    case Op::allreduce:
      return {{Collective::allreduce, sent, {}}};
    case Op::scan:
      return {{Collective::scan, sent, {}}};
    case Op::exscan:
      return {{Collective::exscan, sent, {}}};
    case Op::reduce_scatter_block:
      return {{Collective::reduce_scatter, sent, {}}};
    case Op::reduce_scatter:
      return by_shares(Collective::reduce_scatter, e.recv_counts);
    case Op::gather:
      return {{Collective::gather, p * sent, {}}};
    case Op::scatter:
      return {{Collective::scatter, p * received, {}}};
    case Op::allgather:
      return {{Collective::allgather, p * sent, {}}};
    case Op::allgatherv:
      return by_shares(Collective::allgather, e.recv_counts);
    case Op::alltoall:
      return {{Collective::alltoall, p * sent, {}}};
    case Op::gatherv:
      return {{Collective::gather, e.recv_counts.empty() ? p * sent : sum(e.recv_counts), {}, true}};
    case Op::scatterv:
      return {{Collective::scatter, e.send_counts.empty() ? p * received : sum(e.send_counts), {}, true}};
    case Op::alltoallv:
    case Op::alltoallw:
      return {{Collective::alltoall, sum(e.send_counts), {}, true}};
    case Op::comm_free:
      return {};
    default:
      break;
  }
  if (class_of(e.op) == trace::OpClass::communicator) return {{Collective::allreduce, Bytes(8), {}}};
  return {};
}

Bytes own_size(const trace::Event& e, Rank rank, Rank from, Rank to) {
  const auto entry = [](const std::vector<std::int64_t>& counts, Rank r, std::int64_t otherwise) {
    return bytes(counts.empty() ? otherwise : counts[static_cast<std::size_t>(r)]);
  };
  return from == rank ? entry(e.send_counts, to, e.send_bytes) : entry(e.recv_counts, from, e.recv_bytes);
}

}  // namespace collcast
