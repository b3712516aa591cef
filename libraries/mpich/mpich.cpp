// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <span>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "libraries/mpi.hpp"
#include "libraries/rules.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// What a rule compares: bytes, or elements.
enum class Size : std::uint8_t { whole, block, elements };
enum class Ranks : std::uint8_t { any, power_of_two, under_8, from_8 };

constexpr double any_size = std::numeric_limits<double>::infinity();

/// The first row that fits a call decides. Libraries compare with < in some places and with <= in others:
/// here `to` is included.
struct MpichRule {
  Collective collective;
  Size size;
  double to;
  Ranks ranks;
  std::string_view algorithm;
  bool scarce = false;  ///< also fits if there are fewer elements than the largest power of two <= ranks
};

// clang-format off
constexpr MpichRule mpich_rules[] = {
    {Collective::allreduce, Size::whole, 2048, Ranks::any, "recursive-doubling", true},
    {Collective::allreduce, Size::whole, any_size, Ranks::any, "rabenseifner"},
    {Collective::reduce, Size::whole, 2048, Ranks::any, "knomial", true},
    {Collective::reduce, Size::whole, any_size, Ranks::any, "rabenseifner"},
    {Collective::broadcast, Size::whole, any_size, Ranks::under_8, "knomial"},
    {Collective::broadcast, Size::whole, 12287, Ranks::any, "knomial"},
    {Collective::broadcast, Size::whole, 524287, Ranks::power_of_two, "scatter-allgather-rd"},
    {Collective::broadcast, Size::whole, any_size, Ranks::any, "scatter-allgather-ring"},
    {Collective::allgather, Size::whole, 524287, Ranks::power_of_two, "recursive-doubling"},
    {Collective::allgather, Size::whole, 81919, Ranks::any, "bruck"},
    {Collective::allgather, Size::whole, any_size, Ranks::any, "ring"},
    {Collective::reduce_scatter, Size::whole, 524287, Ranks::any, "recursive-halving"},
    {Collective::reduce_scatter, Size::whole, any_size, Ranks::any, "pairwise"},
    {Collective::alltoall, Size::block, 256, Ranks::from_8, "bruck"},
    {Collective::alltoall, Size::block, 32768, Ranks::any, "linear"},
    {Collective::alltoall, Size::block, any_size, Ranks::any, "pairwise"},
    {Collective::gather, Size::whole, any_size, Ranks::any, "knomial"},
    {Collective::scatter, Size::whole, any_size, Ranks::any, "knomial"},
    {Collective::barrier, Size::whole, any_size, Ranks::any, "dissemination"},
};
// With one rank per host, all ranks are the leaders in allreduce and broadcast. They use recursive doubling
// and a tree at any size. alltoall__pair and alltoall__ring are both `pairwise`; alltoallv__bruck posts
// everything at once.
constexpr MpichRule smpi_rules[] = {
    {Collective::allreduce, Size::whole, any_size, Ranks::any, "recursive-doubling"},
    {Collective::reduce, Size::whole, 2047, Ranks::any, "knomial", true},
    {Collective::reduce, Size::whole, any_size, Ranks::any, "rabenseifner"},
    {Collective::broadcast, Size::whole, any_size, Ranks::any, "knomial"},
    {Collective::allgather, Size::whole, 524287, Ranks::power_of_two, "recursive-doubling"},
    {Collective::allgather, Size::whole, 81920, Ranks::any, "bruck"},
    {Collective::allgather, Size::whole, any_size, Ranks::any, "ring"},
    {Collective::allgatherv, Size::elements, 524287, Ranks::power_of_two, "recursive-doubling"},
    {Collective::allgatherv, Size::elements, 81920, Ranks::any, "bruck"},
    {Collective::allgatherv, Size::elements, any_size, Ranks::any, "ring"},
    {Collective::reduce_scatter, Size::elements, 524288, Ranks::any, "recursive-doubling"},
    {Collective::reduce_scatter, Size::elements, any_size, Ranks::any, "pairwise"},
    {Collective::alltoall, Size::block, 255, Ranks::from_8, "bruck"},
    {Collective::alltoall, Size::block, 32767, Ranks::any, "linear"},
    {Collective::alltoall, Size::block, any_size, Ranks::any, "pairwise"},
    {Collective::alltoallv, Size::whole, any_size, Ranks::any, "linear"},
    {Collective::gather, Size::whole, any_size, Ranks::any, "knomial"},
    {Collective::scatter, Size::whole, any_size, Ranks::any, "knomial"},
    {Collective::barrier, Size::whole, any_size, Ranks::any, "dissemination"},
};
// clang-format on

bool fits(Ranks wanted, Rank p) {
  switch (wanted) {
    case Ranks::power_of_two:
      return power_of_two(p);
    case Ranks::under_8:
      return p < 8;
    case Ranks::from_8:
      return p >= 8;
    case Ranks::any:
      break;
  }
  return true;
}

double compared(const MpichRule& rule, const Call& call, const Situation& s) {
  const double whole = call.message.value;
  if (rule.size == Size::elements) return whole / s.element.value;
  return rule.size == Size::block ? whole / call.ranks : whole;
}

bool fits(const MpichRule& rule, const Call& call, const Situation& s) {
  const double largest_power = static_cast<double>(power(2, log2_floor(call.ranks)));
  const bool scarce = rule.scarce && call.message.value / s.element.value < largest_power;
  return fits(rule.ranks, call.ranks) && (scarce || compared(rule, call, s) <= rule.to);
}

std::string because(std::string_view policy, const MpichRule& rule, const Call& call, const Situation& s) {
  const char* unit = rule.size == Size::elements ? " elements" : " B";
  std::ostringstream why;
  why << policy << ": " << text::plain(compared(rule, call, s)) << unit
      << (rule.size == Size::block ? " per block" : "") << " on " << call.ranks << " ranks";
  if (rule.to < any_size) why << ", up to " << text::plain(rule.to) << unit;
  why << ": " << rule.algorithm;
  return why.str();
}

/// Throws NoRule unless the catalogue can play what the rule asks for.
void require_playable(const std::string& why, const MpichRule& rule, Rank ranks) {
  for (const Algorithm* a : algorithms(rule.collective)) {
    if (a->name != rule.algorithm) continue;
    if (a->supports(ranks)) return;
    throw NoRule(why + ", which the catalogue has for ranks: " + a->ranks);
  }
  throw NoRule(why + ", which the catalogue does not have for " +
               std::string(definition(rule.collective).name));
}

Pick first_fit(std::string_view policy, std::span<const MpichRule> rules, Collective collective,
               const Call& call, const Situation& situation) {
  for (const MpichRule& rule : rules) {
    if (rule.collective != collective || !fits(rule, call, situation)) continue;
    const std::string why = because(policy, rule, call, situation);
    require_playable(why, rule, call.ranks);
    return {.algorithm = rule.algorithm, .why = why};
  }
  throw no_rule(policy, collective, collectives_of(rules));
}

}  // namespace

Pick mpich_pick(Collective collective, const Call& call, const Situation& situation) {
  return first_fit("mpich", mpich_rules, collective, call, situation);
}
std::vector<Collective> mpich_ruled() {
  return collectives_of(mpich_rules);
}

Pick smpi_mpich_pick(Collective collective, const Call& call, const Situation& situation) {
  return first_fit("smpi-mpich", smpi_rules, collective, call, situation);
}
std::vector<Collective> smpi_mpich_ruled() {
  return collectives_of(smpi_rules);
}

}  // namespace collcast
