// SPDX-License-Identifier: Apache-2.0
#include "forecast/inquiry.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "forecast/add_rows.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// The answer before its first row.
Answer begun(const Resolved& question, std::vector<std::string> notes) {
  Answer answer;
  for (const Collective c : question.collectives) answer.collectives.emplace_back(definition(c).name);
  answer.engine = question.asked.engine;
  answer.offload = question.asked.offload;
  for (const Description& d : question.platforms) {
    answer.platforms.push_back(d.name());
    answer.files.push_back(d.file());
    answer.workers.push_back(workers(question.asked.offload, d));
  }
  answer.notes = std::move(notes);
  return answer;
}

/// Notes what platforms were calibrated on, if rows lie beyond that.
void tell_transferred(Answer& answer, const std::vector<Description>& platforms) {
  for (const Description& platform : platforms) {
    const auto transferred = [&](const Answer::Row& r) {
      return r.platform == platform.name() && r.prediction.transferred.value_or(false);
    };
    if (std::ranges::none_of(answer.rows, transferred)) continue;
    std::vector<std::string> on;
    for (const CalibratedOn& c : calibrated_on(platform)) on.push_back(c.text());
    add_once(answer.notes, platform.name() + " was calibrated on " + text::join(on, "; on ") +
                               ": forecasts beyond that are transferred, with wider intervals");
  }
}

}  // namespace

Answer inquire(const Question& question, const Watch& watch, ForecastCache& cache,
               std::optional<Description> on) {
  std::vector<std::string> notes;
  const Resolved resolved(question, cache, std::move(on), notes);
  GrowingAnswer growing(begun(resolved, std::move(notes)));
  const auto add_rows = question.by_library() ? add_rows_of_library : add_rows_of_algorithms;
  const InterruptedBy user(watch.interrupt);
  try {
    for (std::size_t p = 0; p < resolved.platforms.size(); ++p) {
      growing.go_to(p);
      for (const Collective collective : resolved.collectives) {
        const Inquiry inquiry{resolved, resolved.platforms[p], collective, watch, cache, growing};
        for (const Rank ranks : question.ranks) add_rows(inquiry, ranks);
      }
    }
  } catch (const Interrupted&) {
    growing.note(not_computed);
  }
  Answer answer = std::move(growing).done(question.call);
  tell_transferred(answer, resolved.platforms);
  return answer;
}

}  // namespace collcast
