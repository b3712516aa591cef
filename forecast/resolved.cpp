// SPDX-License-Identifier: Apache-2.0
#include "forecast/resolved.hpp"

#include "forecast/check_question.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "model/proof.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"

namespace collcast {
namespace {

/// Notes which release of NCCL or RCCL the transport is of, as its name may leave that out. Not needed with
/// a policy of NCCL, which has a release of its own.
void tell_release(const Resolved& q, std::vector<std::string>& notes) {
  if (!q.asked.transport || q.asked.transport->kind != Transport::Kind::nccl || is_nccl(q.asked.policy))
    return;
  const nccl::Release& release = q.asked.transport->protocol.release;
  add_once(notes, "--transport " + q.asked.transport->name() + " is that of " +
                      (release.rccl ? "RCCL 2." : "NCCL 2.") + std::to_string(release.minor) +
                      "; a release is named as in " + (release.rccl ? "rccl-2.18:LL" : "nccl-2.8:LL"));
}

void tell_formula(const Resolved& q, std::vector<std::string>& notes) {
  for (const Description& d : q.platforms)
    if (q.engine.closed_form && d.name() != "flat")
      add_once(notes, "the formula takes alpha, beta and gamma of the slowest path that the schedule uses");
}

/// Notes what a question says and its collectives do not take.
void tell_ignored(const Resolved& q, std::vector<std::string>& notes) {
  for (const Collective collective : q.collectives)
    if (definition(collective).whole(1) == 0 && !q.asked.sizes.empty() &&
        q.asked.sizes != std::vector{Bytes()})
      add_once(notes, std::string(definition(collective).name) + " moves no data: --size changes nothing");
  for (const Collective collective : q.collectives)
    for (std::string& text : untaken(q.asked.call, collective, q.candidates(collective),
                                     q.asked.by_library() && q.auto_choice() ? q.asked.policy : ""))
      add_once(notes, std::move(text));
}

}  // namespace

Resolved::Resolved(const Question& question, ForecastCache& cache, std::optional<Description> on,
                   std::vector<std::string>& notes)
    : asked(question), engine(collcast::engine(question.engine)) {
  check_given(asked);
  for (const std::string& name : asked.collectives) collectives.push_back(definition(name).collective);
  if (asked.sensitivity && asked.platforms.size() != 1)
    throw InputError("--sensitivity takes a single platform");
  if (on)
    platforms.push_back(*std::move(on));
  else
    for (const std::string& name : asked.platforms) {
      std::vector<std::string> more;
      platforms.push_back(cache.platform(name, asked.set, more));
      for (std::string& words : more) add_once(notes, std::move(words));
    }
  check_together(asked, collectives, engine);
  tell_release(*this, notes);
  tell_formula(*this, notes);
  tell_ignored(*this, notes);
}

std::vector<const Algorithm*> Resolved::candidates(Collective collective) const {
  if (asked.own) return {asked.own};
  if (asked.every() || auto_choice()) return algorithms(collective);
  return {&algorithm(collective, asked.algorithm)};
}

std::vector<Bytes> Resolved::sizes(Collective collective) const {
  if (asked.sizes.empty() && collective == Collective::barrier && asked.call.counts.empty()) return {Bytes()};
  return asked.sizes.empty() ? std::vector{counted_message(asked.call, collective, asked.ranks[0])}
                             : asked.sizes;
}

Stated Resolved::stated(Bytes message) const {
  return {parse_segment(asked.call, message, true), !asked.call.radix.empty(), !asked.call.channels.empty()};
}

Stated Resolved::stated(const Algorithm& a, Bytes message) const {
  return a.segmented ? stated(message) : Stated{{}, !asked.call.radix.empty(), !asked.call.channels.empty()};
}

void Resolved::check_own(const Call& call) const {
  if (!asked.own) return;
  check(*asked.own, call);
  check_playable(asked.own->schedule(call), asked.own->collective, call.ranks, full_name(*asked.own));
}

}  // namespace collcast
