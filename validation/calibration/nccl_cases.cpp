// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/nccl_cases.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/situation.hpp"
#include "platforms/description/blueprint.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

NcclCases::Table table_of(const Measurement& m) {
  return {m.file, m.collective, m.ranks};
}

std::map<NcclCases::Table, Bytes> largest(const std::vector<Measurement>& all) {
  std::map<NcclCases::Table, Bytes> most;
  for (const Measurement& m : all) {
    Bytes& of_table = most[table_of(m)];
    of_table = std::max(of_table, m.message);
  }
  return most;
}

bool is_large(Bytes message, Bytes most) {
  return message >= 0.25 * most && most >= Bytes(1 << 22);
}

}  // namespace

std::size_t launched(const Measurement& m) {
  return m.gpus_a_thread > 1 ? several_gpus : one_gpu;
}

nccl::Play NcclCase::play(const NcclSoftwares& software) const {
  return nccl::play(policy, measured->collective, call, *situation, candidate, software[launched(*measured)]);
}

double NcclCase::log_error(const NcclSoftwares& software) const {
  return std::log(play(software).time / measured->time);
}

NcclCases::NcclCases(const Description& base, const std::vector<Measurement>& measurements,
                     std::string policy)
    : base_(base), policy_(std::move(policy)) {
  if (!nccl::parse(policy_))
    throw InputError(
        "nccl-tests tables calibrate NCCL's software: --policy nccl-2.18, or the release that ran, not '" +
        policy_ + "'");
  for (const Measurement& m : measurements) add(m);
  const auto most = largest(measurements);
  for (NcclCase& c : cases_) c.large = is_large(c.call.message, most.at(table_of(*c.measured)));
}

void NcclCases::add(const Measurement& m) {
  const std::string told = m.settings.empty()
                               ? policy_
                               : policy_ + (policy_.find(':') == std::string::npos ? ":" : ",") + m.settings;
  auto [at, fresh] = situations_.try_emplace({told, m.ranks, m.nodes});
  if (fresh)
    at->second = m.nodes > 0 ? situation(base_, {m.nodes, (m.ranks + m.nodes - 1) / m.nodes}, told)
                             : situation(base_, m.ranks, told);
  const nccl::Policy policy = *nccl::parse(told);
  const Call call{.ranks = m.ranks, .message = m.message};
  const nccl::Candidate chosen = nccl::choose(policy, m.collective, call, at->second);
  if (nccl::has_transport(chosen.shape))
    cases_.push_back({&m, policy, call, &at->second, chosen});
  else
    ++left_out_[std::string(nccl::name(chosen.shape))];
}

NcclSoftwares NcclCases::software() const {
  NcclSoftwares both;
  both.fill(nccl::software_on(read_blueprint(base_), nccl::parse(policy_)->release.minor,
                              situations_.begin()->second));
  return both;
}

std::map<NcclCases::Table, std::vector<const NcclCase*>> NcclCases::by_table() const {
  std::map<Table, std::vector<const NcclCase*>> groups;
  for (const NcclCase& c : cases_) groups[table_of(*c.measured)].push_back(&c);
  return groups;
}

void NcclCases::play_by(nccl::Shape shape) {
  for (NcclCase& c : cases_) {
    if (c.policy.algo || c.measured->collective != Collective::allreduce) continue;
    c.policy.algo = shape;
    c.candidate = nccl::choose(c.policy, c.measured->collective, c.call, *c.situation);
  }
}

std::vector<Measurement> large_ones(const std::vector<Measurement>& all) {
  const auto most = largest(all);
  std::vector<Measurement> large;
  for (const Measurement& m : all)
    if (is_large(m.message, most.at(table_of(m)))) large.push_back(m);
  return large;
}

double large_error(const std::vector<const NcclCase*>& table, const NcclSoftwares& software) {
  double sum = 0, count = 0;
  for (const NcclCase* c : table)
    if (c->large) sum += c->log_error(software), ++count;
  return count == 0 ? 0 : sum / count;
}

}  // namespace collcast
