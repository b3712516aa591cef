// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "forecast/add_rows.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

class OfLibrary {
 public:
  explicit OfLibrary(const Inquiry& inquiry)
      : in_(inquiry), q_(in_.question.asked), engine_(in_.question.engine) {}

  void add(Rank ranks) {
    const auto kept = in_.cache.library(
        q_.policy, {in_.platform, ranks, q_.placement, q_.memory_of(in_.collective), 0, q_.transport});
    const Library& library = *kept;
    const Algorithm* forced =
        in_.question.auto_choice() || q_.every() ? nullptr : in_.question.candidates(in_.collective).front();
    in_.answer.go_to(library.forecaster().machine());
    for (const Bytes size : in_.question.sizes(in_.collective)) {
      end_if_interrupted();
      if (forced && forced->segmented && segment_exceeds(q_.call, size)) {
        in_.answer.skip_too_small(forced->name, q_.call.segment, size);
        continue;
      }
      const Call asked =
          plain_call(q_.call, in_.collective, ranks, size, library.forecaster().ranks_per_node());
      in_.question.check_own(asked);
      const std::string where = std::to_string(ranks) + " ranks, " + text::bytes(size.value) + ": ";
      std::vector<Library::Forecast> all;
      try {
        all = forecasts(library, asked);
      } catch (const NoRule& e) {
        in_.answer.skip(in_.collective, e, size);
        continue;
      }
      const auto fastest =
          std::ranges::min_element(all, {}, [](const Library::Forecast& f) { return f.prediction.time; });
      if (q_.every()) in_.answer.note(where + regret(all.front(), *fastest));
      if (!all.front().choice.why.empty()) in_.answer.note(where + all.front().choice.why);
      for (Library::Forecast& f : all) {
        in_.answer.note(std::string(f.prediction.note));
        if (in_.watch.watched)
          in_.answer.tell_played(library.watch(f, engine_, in_.watch.watched), f.prediction.time);
        Answer::Row& row = in_.answer.add(f.prediction);
        row.protocol = f.choice.protocol, row.why = f.choice.why, row.estimate = f.estimate;
        if (q_.every()) row.picked = &f == &all.front();
      }
    }
    in_.answer.tell_skipped();
  }

 private:
  /// Forecasts of what the library chooses, of what it is told to play, or of all; its own choice first.
  std::vector<Library::Forecast> forecasts(const Library& library, const Call& asked) const {
    if (in_.question.auto_choice()) return {library.predict(in_.collective, asked, engine_)};
    if (!q_.every()) {
      const Algorithm& a = *in_.question.candidates(in_.collective).front();
      const std::optional<Bytes> segment =
          a.segmented ? parse_segment(q_.call, asked.message, true) : std::nullopt;
      return {library.predict(a, asked, engine_, segment)};
    }
    std::vector<Library::Forecast> all = library.predict_all(in_.collective, asked, engine_);
    if (!all.empty()) return all;
    all.push_back(library.predict(in_.collective, asked, engine_));
    const Choice own = all.front().choice;
    for (const Algorithm* a : common_algorithms(in_.collective))
      if (unmet(*a, asked).empty() && own.algorithm != (own.staged ? &in_host_memory(*a) : a))
        all.push_back(library.predict(*a, asked, engine_));
    return all;
  }

  std::string regret(const Library::Forecast& picked, const Library::Forecast& fastest) const {
    const auto name = [](const Library::Forecast& f) {
      return f.choice.algorithm->name + (f.choice.protocol.empty() ? "" : " " + f.choice.protocol);
    };
    if (&picked == &fastest) return q_.policy + " takes " + name(picked) + ", the fastest here";
    return q_.policy + " takes " + name(picked) + ", " + name(fastest) + " is " +
           text::percent(1 - fastest.prediction.time / picked.prediction.time) + " faster";
  }

  const Inquiry& in_;
  const Question& q_;
  const Engine& engine_;
};

}  // namespace

void add_rows_of_library(const Inquiry& inquiry, Rank ranks) {
  OfLibrary(inquiry).add(ranks);
}

}  // namespace collcast
