// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "algorithms/policies/mpi.hpp"
#include "model/error.hpp"

namespace collcast {
namespace {

enum class Size : std::uint8_t { whole, block };
enum class Ranks : std::uint8_t { any, power_of_two, few, many };  // few: under 8

constexpr double always = std::numeric_limits<double>::infinity();

/// The first row that fits a call decides. MPICH compares with < here and <= there: bytes_to is included.
struct Rule {
  Collective collective;
  Size size;
  double bytes_to;
  Ranks ranks;
  std::string_view algorithm;
  bool scarce = false;  ///< also where there are fewer elements than the largest power of two <= ranks
};

// clang-format off
constexpr Rule rules[] = {
    {Collective::allreduce, Size::whole, 2048, Ranks::any, "recursive-doubling", true},
    {Collective::allreduce, Size::whole, always, Ranks::any, "rabenseifner"},
    {Collective::reduce, Size::whole, 2048, Ranks::any, "knomial", true},
    {Collective::reduce, Size::whole, always, Ranks::any, "rabenseifner"},
    {Collective::broadcast, Size::whole, always, Ranks::few, "knomial"},
    {Collective::broadcast, Size::whole, 12287, Ranks::any, "knomial"},
    {Collective::broadcast, Size::whole, 524287, Ranks::power_of_two, "scatter-allgather-rd"},
    {Collective::broadcast, Size::whole, always, Ranks::any, "scatter-allgather-ring"},
    {Collective::allgather, Size::whole, 524287, Ranks::power_of_two, "recursive-doubling"},
    {Collective::allgather, Size::whole, 81919, Ranks::any, "bruck"},
    {Collective::allgather, Size::whole, always, Ranks::any, "ring"},
    {Collective::reduce_scatter, Size::whole, 524287, Ranks::any, "recursive-halving"},
    {Collective::reduce_scatter, Size::whole, always, Ranks::any, "pairwise"},
    {Collective::alltoall, Size::block, 256, Ranks::many, "bruck"},
    {Collective::alltoall, Size::block, 32768, Ranks::any, "linear"},
    {Collective::alltoall, Size::block, always, Ranks::any, "pairwise"},
    {Collective::gather, Size::whole, always, Ranks::any, "knomial"},
    {Collective::scatter, Size::whole, always, Ranks::any, "knomial"},
    {Collective::barrier, Size::whole, always, Ranks::any, "dissemination"},
};
// clang-format on

bool fits(Ranks wanted, Rank p) {
  switch (wanted) {
    case Ranks::power_of_two:
      return power_of_two(p);
    case Ranks::few:
      return p < 8;
    case Ranks::many:
      return p >= 8;
    case Ranks::any:
      break;
  }
  return true;
}

double compared(const Rule& rule, const Call& call) {
  return rule.size == Size::whole ? call.message.value : call.message.value / call.ranks;
}

bool fits(const Rule& rule, const Call& call, const Situation& s) {
  const double largest_power = static_cast<double>(power(2, log2_floor(call.ranks)));
  const bool scarce = rule.scarce && call.message.value / s.element.value < largest_power;
  return fits(rule.ranks, call.ranks) && (scarce || compared(rule, call) <= rule.bytes_to);
}

std::string because(const Rule& rule, const Call& call) {
  std::ostringstream why;
  why << "mpich: " << compared(rule, call) << " B" << (rule.size == Size::block ? " per block" : "") << " on "
      << call.ranks << " ranks";
  if (rule.bytes_to < always) why << ", up to " << rule.bytes_to << " B";
  why << ": " << rule.algorithm;
  return why.str();
}

}  // namespace

Pick mpich_pick(Collective collective, const Call& call, const Situation& situation) {
  for (const Rule& rule : rules) {
    if (rule.collective != collective || !fits(rule, call, situation)) continue;
    const Algorithm& a = algorithm(collective, rule.algorithm);
    if (!a.supports(call.ranks))
      throw InputError("mpich picks " + std::string(a.name) + " for " +
                       std::string(definition(collective).name) + " on " + std::to_string(call.ranks) +
                       " ranks, which the catalogue has for ranks: " + std::string(a.ranks));
    return {.algorithm = rule.algorithm, .why = because(rule, call)};
  }
  throw InputError("mpich has no rule for " + std::string(definition(collective).name) +
                   "; it has rules for allreduce, reduce, broadcast, allgather, reduce-scatter, alltoall, "
                   "gather, scatter and barrier");
}

}  // namespace collcast
