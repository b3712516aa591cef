// SPDX-License-Identifier: Apache-2.0
#include "libraries/tuner/write.hpp"

#include <algorithm>
#include <array>

#include "algorithms/algorithm.hpp"
#include "libraries/mpi.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::tuner {
namespace {

std::vector<Collective> collectives_in(const Tuning& tuning) {
  std::vector<Collective> all;
  for (const Rule& r : tuning.rules)
    if (std::ranges::find(all, r.collective) == all.end()) all.push_back(r.collective);
  return all;
}

std::vector<Rule> of(const Tuning& tuning, Collective collective) {
  std::vector<Rule> rules;
  for (const Rule& r : tuning.rules)
    if (r.collective == collective) rules.push_back(r);
  return rules;
}

bool any_tuned(const std::vector<Rule>& rules) {
  return std::ranges::any_of(rules, &Rule::tuned);
}

/// The collective as a library names or numbers it.
template <class Name>
struct Named {
  Collective collective;
  Name name;
};
template <class Name, std::size_t N>
Name name_of(const std::array<Named<Name>, N>& names, Collective collective) {
  return std::ranges::find(names, collective, &Named<Name>::collective)->name;
}

using enum Collective;
constexpr std::array<Named<int>, 8> openmpi_numbers = {{{allgather, 0},
                                                        {allreduce, 2},
                                                        {alltoall, 3},
                                                        {broadcast, 7},
                                                        {gather, 9},
                                                        {reduce, 11},
                                                        {reduce_scatter, 12},
                                                        {scatter, 15}}};
constexpr std::array<Named<std::string_view>, 8> openmpi_names = {{{allgather, "allgather"},
                                                                   {allreduce, "allreduce"},
                                                                   {alltoall, "alltoall"},
                                                                   {broadcast, "bcast"},
                                                                   {gather, "gather"},
                                                                   {reduce, "reduce"},
                                                                   {reduce_scatter, "reducescatter"},
                                                                   {scatter, "scatter"}}};
constexpr std::array<Named<std::string_view>, 5> nccl_names = {{{broadcast, "broadcast"},
                                                                {reduce, "reduce"},
                                                                {allgather, "allgather"},
                                                                {reduce_scatter, "reducescatter"},
                                                                {allreduce, "allreduce"}}};
constexpr std::array<Named<std::string_view>, 5> ucc_names = {{{allreduce, "allreduce"},
                                                               {broadcast, "bcast"},
                                                               {reduce, "reduce"},
                                                               {allgather, "allgather"},
                                                               {alltoall, "alltoall"}}};

/// Algorithms whose radix UCC reads from a variable. They are priced with radix 2, whatever UCC's default is.
struct Radix {
  Collective collective;
  std::string_view algorithm, variable;
};
constexpr std::array<Radix, 5> ucc_radices = {{{allreduce, "knomial", "ALLREDUCE_KN"},
                                               {allreduce, "sra_knomial", "ALLREDUCE_SRA_KN"},
                                               {allgather, "knomial", "ALLGATHER_KN"},
                                               {broadcast, "sag_knomial", "BCAST_SAG_KN"},
                                               {reduce, "srg", "REDUCE_SRG_KN"}}};

std::string nccl_lines(const Tuning& tuning, const std::string& ranks) {
  std::string text;
  for (const Rule& r : tuning.rules) {
    if (r.shape.empty()) continue;
    const std::string shape = r.shape == "NVLSTree" ? "nvls_tree" : text::lower(r.shape);
    const auto line = [&](std::int64_t from, std::int64_t to, int channels) {
      text += std::string(name_of(nccl_names, r.collective)) + ',' + std::to_string(from) + ',' +
              (to == no_end ? "18446744073709551615" : std::to_string(to)) + ',' + shape + ',' +
              text::lower(r.protocol) + ',' + std::to_string(channels) + ',' + ranks + '\n';
    };
    if (r.steps.empty()) line(r.from, r.to, r.channels);
    for (std::size_t i = 0; i < r.steps.size(); ++i)
      line(r.steps[i].from, i + 1 < r.steps.size() ? r.steps[i + 1].from - 1 : r.to, r.steps[i].channels);
  }
  return text;
}

/// The lines for one number of ranks: the sizes from which each algorithm is played.
std::string openmpi_sizes(Rank ranks, const std::vector<Rule>& rules) {
  std::string text = std::to_string(ranks) + ' ' + std::to_string(rules.size()) + '\n';
  for (const Rule& r : rules)
    text += std::to_string(r.from) + ' ' + std::to_string(r.tuned ? r.entry->number : 0) + " 0 " +
            std::to_string(r.tuned ? r.segment : 0) + (r.tuned ? "  # " + std::string(r.entry->theirs) : "") +
            '\n';
  return text;
}

}  // namespace

std::string write_nccl(const Tuning& t) {
  return "# collective,from,to,algorithm,protocol,channels,nodes,ranks\n" +
         nccl_lines(t, std::to_string(t.nodes) + ',' + std::to_string(t.ranks)) + nccl_lines(t, "-1,-1");
}

std::string write_openmpi(const Tuning& t) {
  std::string text;
  int count = 0;
  for (const Collective collective : collectives_in(t)) {
    const std::vector<Rule> rules = of(t, collective);
    if (!any_tuned(rules)) continue;
    const std::vector<Rule> fixed(1);
    ++count;
    text += std::to_string(name_of(openmpi_numbers, collective)) + "  # " +
            std::string(name_of(openmpi_names, collective)) + "\n3\n" + openmpi_sizes(1, fixed) +
            openmpi_sizes(t.ranks, rules) + openmpi_sizes(t.ranks + 1, fixed);
  }
  return std::to_string(count) + "  # collectives\n" + text;
}

std::string write_openmpi_json(const Tuning& t) {
  Json all = Json::object();
  for (const Collective collective : collectives_in(t)) {
    const std::vector<Rule> rules = of(t, collective);
    if (!any_tuned(rules)) continue;
    Json sizes = Json::array();
    for (const Rule& r : rules) {
      if (!r.tuned) continue;
      Json size{{"msg_size_min", r.from},
                {"msg_size_max", r.to == no_end ? Json("inf") : Json(r.to)},
                {"alg", r.entry->number}};
      if (r.segment > 0) size["seg_size"] = r.segment;
      sizes.push_back(size);
    }
    all[std::string(name_of(openmpi_names, collective))] =
        Json::array({{{"comm_size_min", t.ranks}, {"comm_size_max", t.ranks}, {"rules", sizes}}});
  }
  return dump({{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", all}}, 1) + '\n';
}

std::string write_ucc(const Tuning& t) {
  std::string tokens;
  std::array<std::string, ucc_radices.size()> radix_2;  // the sizes with radix 2, by variable
  for (const Rule& r : t.rules) {
    if (!r.tuned) continue;
    const std::string from = std::to_string(r.from) + '-';
    tokens += (tokens.empty() ? "" : "#") + std::string(name_of(ucc_names, r.collective)) + ':' + from +
              (r.to == no_end ? "inf" : std::to_string(r.to + 1)) + ":[" + std::to_string(t.ranks) + '-' +
              std::to_string(t.ranks) + "]:@" + std::string(r.entry->theirs);
    for (std::size_t i = 0; i < ucc_radices.size(); ++i)
      if (ucc_radices[i].collective == r.collective && ucc_radices[i].algorithm == r.entry->theirs)
        radix_2[i] += from + (r.to == no_end ? "inf" : std::to_string(r.to)) + ":2,";
  }
  std::string text = tokens.empty() ? "" : "UCC_TL_UCP_TUNE=" + tokens + '\n';
  for (std::size_t i = 0; i < ucc_radices.size(); ++i)
    if (!radix_2[i].empty())
      text += "UCC_TL_UCP_" + std::string(ucc_radices[i].variable) + "_RADIX=" + radix_2[i] + "auto\n";
  return text;
}

std::string write_mvapich2(const Tuning& t) {
  const std::string variable = "MV2_INTER_ALLREDUCE_TUNING=";
  // If there is no comma, its reader takes a number only.
  if (t.rules.size() == 1) return variable + std::to_string(t.rules[0].entry->number) + '\n';
  std::string ranges;
  for (const Rule& r : t.rules)
    ranges += (ranges.empty() ? "" : ",") + std::to_string(r.entry->number) + ':' + std::to_string(r.from) +
              '-' + (r.to == no_end ? "+" : std::to_string(r.to));
  return "MV2_USE_INDEXED_TUNING=0\nMV2_USE_INDEXED_ALLREDUCE_TUNING=0\n" + variable + ranges + '\n';
}

}  // namespace collcast::tuner
