// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast::plan {

/// A platform with a number of ranks, and its forecast for the whole job.
struct Candidate {
  std::string platform;  ///< as it was asked for
  /// Settings of a training job, filled if the plan's candidates differ in them.
  std::string framework = {}, batch = {}, global_batch = {}, precision = {}, policy = {};
  std::string layout = {};  ///< "dp=8 tp=4 pp=2", where plans choose it
  Rank ranks = 1;
  int nodes = 1;
  Seconds time = {}, low = {}, high = {};
  double efficiency = 1;                 ///< against one processor alone
  double slower_alone = 1;               ///< at the slow end, one processor alone takes so many times as long
  Bytes memory = {}, capacity = {};      ///< what a rank needs, and what it has; 0: not known
  std::optional<double> price_USD = {};  ///< of a node, per hour
  std::optional<double> power_W = {};    ///< of a node
  std::string limited_by = {};
  std::string refused = {};  ///< why there is no forecast

  /// "dgx-a100", "dgx-a100, zero3, batch 64".
  std::string name() const;
  /// Whether there is a forecast, and memory enough.
  bool runs() const { return refused.empty() && !(capacity > Bytes() && memory > capacity); }
};

enum class Aim : std::uint8_t { cost, energy, time, nodes };
/// "cost", "energy", "time", "nodes". Throws InputError.
Aim parse_aim(const std::string& text);
std::string_view name(Aim aim);

/// What a plan must keep to.
struct Limits {
  std::optional<double> time_s = {}, efficiency = {}, cost_USD = {}, power_W = {};
};

/// One limit, and how a candidate stands to it.
struct Margin {
  std::string_view limit;    ///< "time", "efficiency", "cost", "power" or "memory"
  double used = 0;           ///< share of the limit; above 1: broken
  double used_at_worst = 0;  ///< at the slow end of the interval
};

struct Judged {
  Candidate candidate;
  std::optional<double> cost_USD = {}, worst_cost_USD = {}, power_W = {}, energy_kWh = {};
  std::vector<Margin> margins = {};  ///< those that bind most first
  bool feasible = false;
  bool safe = false;  ///< feasible at the slow end of its interval, too
  double aimed = 0;   ///< the quantity that the aim minimizes
  double aimed_low = 0, aimed_high = 0;
};

/// A number to the three digits that tables show.
double shown(double x);

/// Sorts the candidates. Feasible ones come first, the best by the aim at the front, compared to three
/// digits. Ties go to the fastest, then to the cheapest, then to the one that takes the least power, where
/// all have prices and powers. The others follow by how far they miss their limits. Throws InputError if the
/// aim or a limit needs a price or a power that a platform does not have.
std::vector<Judged> judge(const std::vector<Candidate>& candidates, const Limits& limits, Aim aim);

/// Whether the candidate runs, and no other one that runs beats it in both time and cost.
bool on_frontier(const std::vector<Judged>& all, const Judged& one);

}  // namespace collcast::plan
