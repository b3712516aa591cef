// SPDX-License-Identifier: Apache-2.0
#include "model/collective.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Holdings = std::vector<Holding>;

Block none(Rank) {
  return 0;
}
Block one(Rank) {
  return 1;
}
Block per_rank(Rank p) {
  return p;
}
Block per_pair(Rank p) {
  return Block{p} * p;
}

template <Block Faces>
Block per_face(Rank p) {
  return Faces * p;
}

double no_factor(double) {
  return 1;
}
double gather_factor(double p) {
  return (p - 1) / p;
}
double allreduce_factor(double p) {
  return 2 * (p - 1) / p;
}

/// Rank r's own share of the blocks.
Chunk share(Rank r, Rank p, Block blocks) {
  return {r * (blocks / p), blocks / p};
}

Holdings own_value_of_all(Rank r, Rank, Block blocks, Rank) {
  return {{{0, blocks}, {r, r}}};
}
Holdings sum_of_all(Rank, Rank p, Block blocks, Rank) {
  return {{{0, blocks}, {0, p - 1}}};
}
Holdings sum_of_share(Rank r, Rank p, Block blocks, Rank) {
  return {{share(r, p, blocks), {0, p - 1}}};
}
Holdings own_share(Rank r, Rank p, Block blocks, Rank) {
  return {{share(r, p, blocks), {r, r}}};
}
Holdings roots_message(Rank, Rank, Block blocks, Rank root) {
  return {{{0, blocks}, {root, root}}};
}
Holdings roots_share(Rank r, Rank p, Block blocks, Rank root) {
  return {{share(r, p, blocks), {root, root}}};
}
Holdings prefix(Rank r, Rank, Block blocks, Rank) {
  return {{{0, blocks}, {0, r}}};
}
Holdings prefix_before(Rank r, Rank, Block blocks, Rank) {
  if (r == 0) return {};
  return {{{0, blocks}, {0, r - 1}}};
}
Holdings every_share(Rank, Rank p, Block blocks, Rank) {
  Holdings all;
  for (Rank r = 0; r < p; ++r) all.push_back({share(r, p, blocks), {r, r}});
  return all;
}
template <auto Holds>
Holdings at_root(Rank r, Rank p, Block blocks, Rank root) {
  return r == root ? Holds(r, p, blocks, root) : Holdings{};
}
/// Alltoall: share i * p + j of the blocks travels from rank i to rank j.
Holdings row(Rank r, Rank p, Block blocks, Rank) {
  return {{{r * (blocks / p), blocks / p}, {r, r}}};
}
Holdings column(Rank r, Rank p, Block blocks, Rank) {
  Holdings all;
  const Block pair = blocks / per_pair(p);
  for (Rank i = 0; i < p; ++i) all.push_back({{(Block{i} * p + r) * pair, pair}, {i, i}});
  return all;
}
Holdings share_of_previous(Rank r, Rank p, Block blocks, Rank) {
  const Rank previous = (r + p - 1) % p;
  return {{share(previous, p, blocks), {previous, previous}}};
}
/// Multi-broadcast: ranks 0 to root have a message each.
Holdings sources_message(Rank r, Rank, Block blocks, Rank root) {
  if (r > root) return {};
  return {{share(r, root + 1, blocks), {r, r}}};
}
Holdings every_source(Rank, Rank, Block blocks, Rank root) {
  return every_share(0, root + 1, blocks, 0);
}

/// Halo exchange: each rank has one block per face, and gets its neighbours' blocks for the faces that they
/// share.
template <int Dimensions>
Holdings facing(Rank r, Rank p, Block blocks, Rank) {
  const Grid grid(p, Dimensions);
  const Block face = blocks / p / grid.faces();
  Holdings all;
  for (int f = 0; f < grid.faces(); ++f) {
    const Rank other = grid.neighbour(r, f);
    all.push_back({{(Block{other} * grid.faces() + (f ^ 1)) * face, face}, {other, other}});
  }
  return all;
}

const std::vector<Definition> table = {
    // collective, name, rooted, reduces, repeats, plain, whole, blocks, bus factor, initially, finally
    {Collective::allreduce, "allreduce", false, true, false, Collective::allreduce, one, one,
     allreduce_factor, own_value_of_all, sum_of_all},
    {Collective::reduce_scatter, "reduce-scatter", false, true, false, Collective::reduce_scatter, one,
     per_rank, gather_factor, own_value_of_all, sum_of_share},
    {Collective::allgather, "allgather", false, false, false, Collective::allgather, one, per_rank,
     gather_factor, own_share, every_share},
    {Collective::broadcast, "broadcast", true, false, false, Collective::broadcast, one, one, no_factor,
     at_root<roots_message>, roots_message},
    {Collective::reduce, "reduce", true, true, false, Collective::reduce, one, one, no_factor,
     own_value_of_all, at_root<sum_of_all>},
    {Collective::gather, "gather", true, false, false, Collective::gather, one, per_rank, gather_factor,
     own_share, at_root<every_share>},
    {Collective::scatter, "scatter", true, false, false, Collective::scatter, one, per_rank, gather_factor,
     at_root<roots_message>, roots_share},
    {Collective::alltoall, "alltoall", false, false, false, Collective::alltoall, per_rank, per_pair,
     gather_factor, row, column},
    {Collective::scan, "scan", false, true, false, Collective::scan, one, one, no_factor, own_value_of_all,
     prefix},
    {Collective::exscan, "exscan", false, true, false, Collective::exscan, one, one, no_factor,
     own_value_of_all, prefix_before},
    {Collective::barrier, "barrier", false, true, true, Collective::barrier, none, one, no_factor,
     own_value_of_all, sum_of_all},
    {Collective::sendrecv, "sendrecv", false, false, false, Collective::sendrecv, per_rank, per_rank,
     no_factor, own_share, share_of_previous},
    {Collective::alltoallv, "alltoallv", false, false, false, Collective::alltoall, per_rank, per_pair,
     gather_factor, row, column},
    {Collective::allgatherv, "allgatherv", false, false, false, Collective::allgather, one, per_rank,
     gather_factor, own_share, every_share},
    {Collective::reduce_scatterv, "reduce-scatterv", false, true, false, Collective::reduce_scatter, one,
     per_rank, gather_factor, own_value_of_all, sum_of_share},
    {Collective::gatherv, "gatherv", true, false, false, Collective::gather, one, per_rank, gather_factor,
     own_share, at_root<every_share>},
    {Collective::scatterv, "scatterv", true, false, false, Collective::scatter, one, per_rank, gather_factor,
     at_root<roots_message>, roots_share},
    {Collective::halo_1d, "halo-1d", false, false, false, Collective::halo_1d, per_rank, per_face<2>,
     no_factor, own_share, facing<1>},
    {Collective::halo_2d, "halo-2d", false, false, false, Collective::halo_2d, per_rank, per_face<4>,
     no_factor, own_share, facing<2>},
    {Collective::halo_3d, "halo-3d", false, false, false, Collective::halo_3d, per_rank, per_face<6>,
     no_factor, own_share, facing<3>},
    {Collective::multi_broadcast, "multi-broadcast", true, false, false, Collective::multi_broadcast, one,
     one, no_factor, sources_message, every_source},
};

/// What others call our collectives.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"all-reduce", "allreduce"},
    {"all-gather", "allgather"},
    {"bcast", "broadcast"},
    {"all-to-all", "alltoall"},
    {"reducescatter", "reduce-scatter"},
    {"reduce-scatter-block", "reduce-scatter"}};

/// Our name of a collective from that of nccl-tests (all_reduce), OSU (osu_bcast) or MPI (MPI_Allgather,
/// MPI_Iallgather).
std::string our_name(std::string_view theirs) {
  std::string name;
  for (const char c : theirs)
    name += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view prefix : {"mpi-i", "osu-i", "mpi-", "osu-", "nccl"})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name.ends_with("-perf")) name.erase(name.size() - 5);
  for (const auto& [other, ours] : other_names)
    if (name == other) return std::string(ours);
  return name;
}

/// What each rank must do at least, as factors of n: bytes in or out of its port, bytes reduced.
struct Least {
  double bytes, reduced;
};

Least least(Collective c, double p) {
  const double part = (p - 1) / p;
  switch (plain(c)) {
    case Collective::allreduce:
      return {2 * part, part};
    case Collective::reduce_scatter:
      return {part, part};
    case Collective::reduce:
      return {1, part};
    case Collective::broadcast:
      return {1, 0};
    case Collective::scan:
      return {1, part};
    case Collective::exscan:  // no rank's result has more than p - 1 contributions
      return {1, (p - 2) / p};
    case Collective::barrier:
      return {0, 0};
    case Collective::sendrecv:
    case Collective::halo_1d:
      return {1, 0};
    case Collective::halo_2d:  // a grid of one row has neighbours in one dimension only
      return {1 / 2., 0};
    case Collective::halo_3d:
      return {1 / 3., 0};
    default:
      return {part, 0};
  }
}

}  // namespace

const std::vector<Definition>& definitions() {
  return table;
}

const Definition& definition(Collective collective) {
  return table[static_cast<std::size_t>(collective)];
}

const Definition& definition(std::string_view name) {
  std::vector<std::string> names;
  const std::string ours = our_name(name);
  for (const Definition& d : table) {
    if (d.name == ours) return d;
    names.emplace_back(d.name);
  }
  if (name.find(',') != std::string_view::npos)
    throw InputError("'" + std::string(name) + "' is a list; one collective is taken here");
  std::vector<std::string> others;
  for (const auto& [other, unused] : other_names) others.emplace_back(other);
  const std::string meant = alike(ours, names).empty() ? did_you_mean(ours, others) : "";
  throw InputError("unknown collective '" + std::string(name) + "'" +
                   (meant.empty() ? suggestion(ours, names) : "; " + meant));
}

std::string names(const std::vector<Collective>& collectives) {
  if (collectives.size() > 3) return "collective";
  return text::join(collectives, ", ", [](Collective c) { return definition(c).name; });
}

Grid::Grid(Rank ranks, int d) : dimensions(d) {
  for (int i = 0; i < d; ++i) {
    const int left = d - i;
    auto side = static_cast<Rank>(std::floor(std::pow(ranks, 1.0 / left) + 1e-9));
    while (ranks % side != 0) --side;
    size[static_cast<std::size_t>(left - 1)] = left == 1 ? ranks : side;
    ranks /= side;
  }
}

Rank Grid::neighbour(Rank rank, int face) const {
  Rank stride = 1;
  for (int i = dimensions - 1; i > face / 2; --i) stride *= size[static_cast<std::size_t>(i)];
  const Rank side = size[static_cast<std::size_t>(face / 2)], at = rank / stride % side;
  const Rank there = (at + (face % 2 == 1 ? 1 : side - 1)) % side;
  return rank + (there - at) * stride;
}

Seconds lower_bound(Collective collective, Rank ranks, Bytes message, const AlphaBetaGamma& machine) {
  if (ranks == 1) return {};
  const Least factor = least(collective, ranks);
  const bool neighbours = collective == Collective::sendrecv ||
                          (collective >= Collective::halo_1d && collective <= Collective::halo_3d);
  const Seconds latency = (neighbours ? 1 : std::ceil(std::log2(ranks))) * machine.alpha;
  return std::max({latency, factor.bytes * message * machine.beta, factor.reduced * message * machine.gamma});
}

}  // namespace collcast
