// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forecast/add_rows.hpp"
#include "forecast/fastest.hpp"
#include "forecast/group.hpp"
#include "forecast/synthesis/front.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Turns algorithms into what is played: the same by the ranks, or a version for their DPU.
class AsPlayed {
 public:
  explicit AsPlayed(const Offload& offload) : offload_(offload) {}
  const Algorithm* operator()(const Algorithm* a) {
    return offload_.to_dpu() ? &offloaded_.emplace_back(on_dpu(*a, offload_.pieces)) : a;
  }

 private:
  const Offload& offload_;
  std::deque<Algorithm> offloaded_;
};

class OfAlgorithms {
 public:
  explicit OfAlgorithms(const Inquiry& inquiry)
      : in_(inquiry), q_(in_.question.asked), engine_(in_.question.engine) {}

  void add(Rank ranks) {
    tell_library();
    const auto kept = in_.cache.forecaster({in_.platform, ranks, q_.placement, q_.memory_of(in_.collective),
                                            workers(q_.offload, in_.platform), q_.transport});
    const Forecaster& forecaster = *kept;
    in_.answer.go_to(forecaster.machine());
    const std::vector<const Algorithm*> able = playable(ranks, forecaster);
    std::optional<Front> front = synthesized(forecaster);
    for (const Bytes size : in_.question.sizes(in_.collective)) {
      const Call call = plain_call(q_.call, in_.collective, ranks, size, forecaster.ranks_per_node());
      in_.question.check_own(call);
      if (in_.question.auto_choice()) {
        end_if_interrupted();
        if (segment_exceeds(q_.call, size))
          in_.answer.skip_too_small(std::string(definition(in_.collective).name), q_.call.segment, size);
        else
          add(forecaster, sensible(able, forecaster, size), call);
      } else {
        for (const Algorithm* a : able) {
          end_if_interrupted();
          in_.watch.progress("predicting " + a->name + " on " + std::to_string(ranks) + " ranks");
          if (a->segmented && segment_exceeds(q_.call, size))
            in_.answer.skip_too_small(a->name, q_.call.segment, size);
          else if (const std::string why = q_.every() ? forecaster.why_avoided(*a, size) : ""; !why.empty())
            in_.answer.skip(a->name, why, size);
          else
            add(forecaster, {a}, call);
        }
      }
      if (front) {
        Front::Fastest fastest = front->fastest(size, engine_);
        in_.answer.add(std::move(fastest.prediction), std::move(fastest.schedule));
      }
    }
    in_.answer.tell_skipped();
  }

 private:
  /// Notes that rows are priced as MPI sends, if the library that users of the platform take has a rule of
  /// its own.
  void tell_library() {
    if (q_.transport || q_.offload.asked() || engine_.closed_form ||
        q_.memory_of(in_.collective) != Memory::device)
      return;
    const std::string usual = usual_policy(in_.platform);
    if (is_nccl(usual) && has_rule(usual, in_.collective))
      in_.answer.note(in_.platform.name() +
                      ": GPUs send as MPI does unless --transport says otherwise; --policy " + usual +
                      " asks for the library of its users");
  }

  /// The schedules synthesised for the machine, if they were asked for.
  std::optional<Front> synthesized(const Forecaster& forecaster) {
    const Rank ranks = forecaster.fabric().ranks();
    if (!q_.with_synthesized) return {};
    if (!synthesizes(in_.collective) || ranks > most_synthesized) {
      in_.answer.note("no schedule was synthesized for " + std::string(definition(in_.collective).name) +
                      " on " + std::to_string(ranks) + " ranks");
      return {};
    }
    in_.watch.progress("synthesizing " + std::string(definition(in_.collective).name));
    const Rank root = plain_call(q_.call, in_.collective, ranks, Bytes(1)).root;
    Front front(in_.collective, forecaster, root, 0, interrupted);
    for (const std::string& words : front.notes()) in_.answer.note(words);
    return front;
  }

  /// The playable algorithms that a library would consider. A DPU plays only those that need nothing of
  /// switches.
  std::vector<const Algorithm*> sensible(std::vector<const Algorithm*> able, const Forecaster& forecaster,
                                         Bytes size) const {
    std::erase_if(able, [&](const Algorithm* a) {
      const Demands needs = demands(*a);
      return !forecaster.why_avoided(*a, size).empty() ||
             (q_.offload.asked() && (needs.multicast || needs.reduction));
    });
    return able;
  }

  /// The algorithms that were asked for. With `all`, those that can be played here, and a note on each that
  /// cannot.
  std::vector<const Algorithm*> playable(Rank ranks, const Forecaster& forecaster) {
    std::vector<const Algorithm*> able = in_.question.candidates(in_.collective);
    if (!q_.every() && !in_.question.auto_choice()) return able;
    CallText unsized = q_.call;
    unsized.counts.clear();
    const Call call = plain_call(unsized, in_.collective, ranks, Bytes(1), forecaster.ranks_per_node());
    std::erase_if(able, [&](const Algorithm* a) {
      const std::string needed = unmet(*a, call), missing = needed.empty() ? forecaster.lacks(*a) : needed;
      const bool by_option = !needed.empty() && a->supports(ranks);
      if (!missing.empty() && (q_.every() || by_option))
        in_.answer.note(a->name + " is skipped on " + std::to_string(ranks) + " ranks: it needs " + missing);
      return !missing.empty();
    });
    return able;
  }

  /// Adds a row for the fastest of several algorithms, or for a single one as it was asked for.
  void add(const Forecaster& forecaster, std::vector<const Algorithm*> among, const Call& call) {
    AsPlayed played(q_.offload);
    std::vector<const Algorithm*> originals = among;
    std::ranges::transform(among, among.begin(), std::ref(played));
    if (q_.offload.asked()) {
      const Choice choice = choose(forecaster, among, call);
      OverlapPrediction p = predict_overlap(q_.offload, forecaster, *choice.algorithm, choice.call, engine_);
      const auto which = std::ranges::find(among, choice.algorithm) - among.begin();
      p.prediction.algorithm = originals[static_cast<std::size_t>(which)];
      in_.answer.add(std::move(p.prediction)).overlap = p.overlap;
      return;
    }
    Prediction best = forecast(forecaster, among, call);
    if (engine_.name == "path") in_.answer.tell_shared(*best.algorithm, best.call, forecaster.fabric());
    if (in_.watch.watched)
      in_.answer.tell_played(forecaster.watch(*best.algorithm, best.call, engine_, in_.watch.watched),
                             best.time);
    in_.answer.add(std::move(best));
  }

  void note_unsearched(const std::vector<const Algorithm*>& among, const Call& call) {
    std::vector<std::string> names;
    for (const Algorithm* a : among)
      if (a->supports(call.ranks) && too_long_to_search(*a, call, in_.question.stated(*a, call.message)))
        names.push_back(a->name);
    if (!names.empty())
      in_.answer.note("radix and channels not searched on " + std::to_string(call.ranks) +
                      " ranks, where that takes more than 16 million messages: " + text::join(names));
  }

  /// The forecast of the fastest of several algorithms, or of a single one as it was asked for.
  Prediction forecast(const Forecaster& forecaster, const std::vector<const Algorithm*>& among,
                      const Call& call) {
    note_unsearched(among, call);
    if (!in_.question.auto_choice())
      return predict_at_best(forecaster, *among[0], call, in_.question.stated(*among[0], call.message),
                             engine_);
    std::vector<std::string> sampled;
    Prediction best = predict_fastest(forecaster, among, call, in_.question.stated(call.message), engine_,
                                      in_.watch.progress, &sampled);
    std::erase(sampled, best.algorithm->name);
    if (!sampled.empty())
      in_.answer.note("compared by a sample of their messages on " + std::to_string(call.ranks) +
                      " ranks, at " + text::bytes(call.message.value) + ": " + text::join(sampled));
    return best;
  }

  Choice choose(const Forecaster& forecaster, const std::vector<const Algorithm*>& among, const Call& call) {
    const Fabric& fabric = forecaster.fabric();
    if (among.size() == 1 && !in_.question.auto_choice()) {
      check(*among[0], call);
      return {among[0],
              with_parameters(fabric, *among[0], call, in_.question.stated(*among[0], call.message))};
    }
    return fastest_by_path(fabric, among, call, in_.question.stated(call.message), in_.watch.progress);
  }

  const Inquiry& in_;
  const Question& q_;
  const Engine& engine_;
};

}  // namespace

void add_rows_of_algorithms(const Inquiry& inquiry, Rank ranks) {
  OfAlgorithms(inquiry).add(ranks);
}

}  // namespace collcast
