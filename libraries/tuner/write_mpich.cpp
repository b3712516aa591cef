// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "algorithms/algorithm.hpp"
#include "libraries/mpi.hpp"
#include "libraries/tuner/write.hpp"
#include "support/json.hpp"

namespace collcast::tuner {
namespace {

using enum Collective;

/// A collective's name in MPICH, the size that its rules compare, and the algorithm for intercommunicators.
struct Theirs {
  Collective collective;
  std::string_view name, size, between;
  bool block = false;  ///< the size is of one rank's block
};
constexpr Theirs theirs[] = {
    {allreduce, "allreduce", "avg_msg_size", "reduce_exchange_bcast"},
    {broadcast, "bcast", "avg_msg_size", "remote_send_local_bcast"},
    {reduce, "reduce", "avg_msg_size", "local_reduce_remote_send"},
    {allgather, "allgather", "total_msg_size", "local_gather_remote_bcast"},
    {reduce_scatter, "reduce_scatter", "total_msg_size", "remote_reduce_local_scatter"},
    {alltoall, "alltoall", "avg_msg_size", "pairwise_exchange", true},
};

/// An algorithm with a condition on the call besides its size, and the algorithm that is used otherwise.
struct Restricted {
  std::string_view name, condition, instead;
  bool counts = false;  ///< also needs as many elements as the largest power of two up to the ranks
};
constexpr Restricted restricted[] = {
    {"MPIR_Allreduce_intra_reduce_scatter_allgather", "is_op_built_in",
     "MPIR_Allreduce_intra_recursive_doubling", true},
    {"MPIR_Reduce_intra_reduce_scatter_gather", "is_op_built_in", "MPIR_Reduce_intra_binomial", true},
    {"MPIR_Reduce_scatter_intra_recursive_halving", "is_commutative",
     "MPIR_Reduce_scatter_intra_recursive_doubling"},
    {"MPIR_Reduce_scatter_intra_pairwise", "is_commutative", "MPIR_Reduce_scatter_intra_recursive_doubling"},
};

/// Collectives that are not tuned: they follow the rules of their nonblocking forms.
constexpr std::string_view others_by_nonblocking[] = {"barrier",
                                                      "allgatherv",
                                                      "gather",
                                                      "gatherv",
                                                      "scatter",
                                                      "scatterv",
                                                      "scan",
                                                      "exscan",
                                                      "alltoallv",
                                                      "alltoallw",
                                                      "reduce_scatter_block",
                                                      "neighbor_allgather",
                                                      "neighbor_allgatherv",
                                                      "neighbor_alltoall",
                                                      "neighbor_alltoallv",
                                                      "neighbor_alltoallw"};

/// A nonblocking form, the collective whose rules it has, and its algorithm for intercommunicators. At a name
/// that its csel_container.c lacks, or a collective without a rule, MPICH aborts.
struct Nonblocking {
  std::string_view name;
  Collective as;
  std::string_view between;
};
constexpr Nonblocking nonblocking[] = {
    {"iallreduce", allreduce, "remote_reduce_local_bcast"},
    {"ibcast", broadcast, "flat"},
    {"ireduce", reduce, "local_reduce_remote_send"},
    {"iallgather", allgather, "local_gather_remote_bcast"},
    {"iallgatherv", allgather, "remote_gather_local_bcast"},
    {"ireduce_scatter", reduce_scatter, "remote_reduce_local_scatterv"},
    {"ireduce_scatter_block", reduce_scatter, "remote_reduce_local_scatterv"},
    {"ialltoall", alltoall, "pairwise_exchange"},
};
/// The others, by their algorithms within a communicator and between two.
struct Fixed {
  std::string_view name, within, between;
};
constexpr Fixed nonblocking_fixed[] = {
    {"ibarrier", "recursive_doubling", "bcast"},
    {"igather", "binomial", "long"},
    {"iscatter", "binomial", "linear"},
    {"ialltoallv", "blocked", "pairwise_exchange"},
    {"ialltoallw", "blocked", "pairwise_exchange"},
};
constexpr std::string_view nonblocking_scans[] = {"iscan", "iexscan"};
constexpr std::string_view nonblocking_linear[] = {
    "igatherv",           "iscatterv",           "ineighbor_allgather", "ineighbor_allgatherv",
    "ineighbor_alltoall", "ineighbor_alltoallv", "ineighbor_alltoallw"};

std::string capital(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

Json leaf(const std::string& name) {
  return {{"algorithm=" + name, Json::object()}};
}

Json guarded(const std::string& name) {
  const auto* r = std::ranges::find(restricted, name, &Restricted::name);
  if (r == std::end(restricted)) return leaf(name);
  const std::string condition(r->condition), instead(r->instead);
  const Json able = r->counts ? Json{{"count<pow2", leaf(instead)}, {"count=any", leaf(name)}} : leaf(name);
  return {{condition + "=yes", able}, {condition + "=no", leaf(instead)}};
}

/// The algorithm `name` for messages of up to `to` bytes, inclusive.
struct Step {
  std::int64_t to;
  std::string name;
};

Json by_size(const Theirs& t, Rank ranks, const std::vector<Step>& steps) {
  Json node = Json::object();
  const std::string size(t.size);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    if (!last && steps[i].name == steps[i + 1].name) continue;
    const std::int64_t to = t.block ? steps[i].to / ranks : steps[i].to;
    // The reader takes sizes below 2 GiB.
    if (!last && to < std::int64_t{1} << 31)
      node.emplace(size + "<=" + std::to_string(to), guarded(steps[i].name));  // equal keys: the first stays
    else {
      node[size + "=any"] = guarded(steps[i].name);
      break;
    }
  }
  return node;
}

std::string played(Collective collective, Rank ranks, std::int64_t bytes) {
  const Pick p = mpich_pick(collective, {.ranks = ranks, .message = Bytes(static_cast<double>(bytes))}, {});
  for (const Entry& e : format("mpich").entries)
    if (e.collective == collective && e.ours == p.algorithm) return std::string(e.theirs);
  return "";
}

/// What MPICH chooses by itself with this number of ranks.
std::vector<Step> own(const Theirs& t, Rank ranks) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  std::vector<Step> steps;
  // Smaller messages have too few elements for some algorithms; the restrictions cover that.
  std::int64_t from = 4 * ranks;
  for (std::string now = played(t.collective, ranks, from);;) {
    std::int64_t low = from, high = most;
    if (played(t.collective, ranks, most) == now) {
      steps.push_back({no_end, now});
      return steps;
    }
    for (std::int64_t up = low * 2; up < most; up *= 2)
      if (played(t.collective, ranks, up) != now) {
        high = up;
        break;
      }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (played(t.collective, ranks, middle) == now ? low : high) = middle;
    }
    steps.push_back({low, now});
    from = high;
    now = played(t.collective, ranks, from);
  }
}

/// Not `comm_size<`: below a condition on the call, MPICH (csel.c, 4.0.2 and later) takes that for <=.
std::string up_to_ranks(Rank ranks) {
  return "comm_size<=" + std::to_string(ranks);
}

/// MPICH's own rules, read off from one example of each kind of rank count.
Json own_rules(const Theirs& t) {
  const auto of = [&](Rank ranks) { return by_size(t, ranks, own(t, ranks)); };
  return {{up_to_ranks(7), {{"comm_size=pow2", of(4)}, {"comm_size=any", of(5)}}},
          {"comm_size=pow2", of(16)},
          {"comm_size=any", of(12)}};
}

Json unless_in_place(const std::string& in_place, const Json& rules) {
  return {{"is_sendbuf_inplace=yes", leaf(in_place)}, {"is_sendbuf_inplace=no", rules}};
}

Json within(const Theirs& t, const Tuning& tuning) {
  std::vector<Step> steps;
  const std::vector<Step> of_mpich = own(t, tuning.ranks);
  for (const Rule& r : tuning.rules)
    if (r.collective == t.collective && r.tuned)
      steps.push_back({r.to, std::string(r.entry->theirs)});
    else if (r.collective == t.collective)
      for (const Step& s : of_mpich)  // what is not tuned has to be said, too
        if (steps.empty() || (s.to >= r.from && steps.back().to < r.to))
          steps.push_back({std::min(s.to, r.to), s.name});
  Json rules = own_rules(t);
  if (!steps.empty())
    rules = {{up_to_ranks(tuning.ranks - 1), own_rules(t)},
             {up_to_ranks(tuning.ranks), by_size(t, tuning.ranks, steps)},
             {"comm_size=any", own_rules(t)}};
  return t.collective == alltoall ? unless_in_place("MPIR_Alltoall_intra_pairwise_sendrecv_replace", rules)
                                  : rules;
}

/// The same rules with a nonblocking form's names.
Json renamed(const Json& rules, const std::string& from, const std::string& to) {
  Json all = Json::object();
  for (const auto& [key, child] : rules.items()) {
    if (!key.starts_with("algorithm=" + from)) {
      all[key] = renamed(child, from, to);
      continue;
    }
    const std::string algorithm = key.substr(10 + from.size());
    all["algorithm=" + to + (algorithm == "scattered" ? "permuted_sendrecv" : algorithm)] = child;
  }
  return all;
}

Json within(const Nonblocking& form) {
  const Theirs& t = *std::ranges::find(theirs, form.as, &Theirs::collective);
  const std::string sched = "MPIR_" + capital(form.name) + "_intra_sched_";
  Json rules = renamed(own_rules(t), "MPIR_" + capital(t.name) + "_intra_", sched);
  return form.as == alltoall ? unless_in_place(sched + "inplace", rules) : rules;
}

}  // namespace

std::string write_mpich(const Tuning& tuning) {
  Json all = Json::object();
  const auto put = [&](std::string_view name, Json node) {
    all["collective=" + std::string(name)] = std::move(node);
  };
  const auto put_both = [&](std::string_view name, const Json& within, const std::string& between) {
    put(name, {{"comm_type=intra", within},
               {"comm_type=inter", leaf("MPIR_" + capital(name) + "_inter_" + between)}});
  };
  for (const Theirs& t : theirs) put_both(t.name, within(t, tuning), std::string(t.between));
  for (const auto name : others_by_nonblocking) put(name, leaf("MPIR_" + capital(name) + "_allcomm_nb"));
  for (const Nonblocking& n : nonblocking) put_both(n.name, within(n), "sched_" + std::string(n.between));
  for (const Fixed& f : nonblocking_fixed) {
    const std::string sched = "MPIR_" + capital(f.name) + "_intra_sched_";
    const Json always = leaf(sched + std::string(f.within));
    put_both(f.name, f.within == "blocked" ? unless_in_place(sched + "inplace", always) : always,
             "sched_" + std::string(f.between));
  }
  for (const auto name : nonblocking_scans)
    put(name, leaf("MPIR_" + capital(name) + "_intra_sched_recursive_doubling"));
  for (const auto name : nonblocking_linear)
    put(name, leaf("MPIR_" + capital(name) + "_allcomm_sched_linear"));
  return dump(all, 1) + '\n';
}

}  // namespace collcast::tuner
