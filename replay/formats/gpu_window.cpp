// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "replay/formats/gpu_parts.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"

namespace collcast::gpu {
namespace {

/// When kernels were launched, asked in the order in which they began. A stream keeps the order of launches:
/// a kernel whose launch the trace lacks was launched with the one before it, and before the trace began if
/// no kernel before it has one. Where a stream has no launch at all, it counts when kernels began.
class Launched {
 public:
  explicit Launched(const std::vector<Kernel>& kernels) {
    for (const Kernel& k : kernels)
      if (k.launch >= 0) last_[k.stream] = -std::numeric_limits<double>::infinity();
  }
  double at(const Kernel& k) {
    const auto last = last_.find(k.stream);
    if (last == last_.end()) return k.begin;
    if (k.launch >= 0) last->second = k.launch;
    return last->second;
  }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, double> last_;
};

std::string range(const std::vector<Step>& steps) {
  const auto [low, high] = std::ranges::minmax(steps, {}, &Step::number);
  return std::to_string(low.number) + " to " + std::to_string(high.number);
}

}  // namespace

Span select(RankTrace& trace, const OpenOptions& options, std::vector<std::string>& notes) {
  std::ranges::sort(trace.kernels, [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Step> steps;
  for (const Step& s : trace.steps)
    if (s.number >= options.first_step && s.number <= options.last_step) steps.push_back(s);
  if (steps.empty() && options.some_steps()) {
    const std::string has = trace.steps.empty() ? "has no steps marked" : "has steps " + range(trace.steps);
    throw InputError(trace.path + ": " + has + "; --steps asks for " + std::to_string(options.first_step) +
                     "-" + std::to_string(options.last_step));
  }
  const bool bounded = options.last_step != std::numeric_limits<std::int64_t>::max();
  const auto asked = static_cast<double>(options.last_step) - static_cast<double>(options.first_step) + 1;
  if (options.some_steps() && bounded && static_cast<double>(steps.size()) < asked)
    add_once(notes, "of the steps that --steps asks for, a trace has " + range(steps));
  Span window{0, 0};
  if (!steps.empty())
    window = {std::ranges::min(steps, {}, &Step::begin).begin, std::ranges::max(steps, {}, &Step::end).end};
  else if (!trace.kernels.empty())
    window = {trace.kernels.front().begin, trace.kernels.front().begin};
  if (options.some_steps()) {
    std::erase_if(trace.unplayed, [&](double at) { return at < window.begin || at > window.end; });
    // The GPU may lag behind its host: a step's kernels begin when those of the step before have ended.
    double before = window.begin;
    Launched launched(trace.kernels);
    if (!trace.kernels.empty())
      trace.whole_us = std::ranges::max(trace.kernels, {}, &Kernel::end).end - trace.kernels.front().begin;
    trace.outside = static_cast<std::int64_t>(std::erase_if(trace.kernels, [&](const Kernel& k) {
      const double at = launched.at(k);
      if (at < window.begin) before = std::max(before, k.end);
      const bool is_outside = at < window.begin || at > window.end;
      if (is_outside) trace.outside_us += k.end - k.begin;
      return is_outside;
    }));
    if (!trace.kernels.empty()) window.begin = std::min(before, trace.kernels.front().begin);
  } else if (!trace.kernels.empty()) {
    window.begin = std::min(window.begin, trace.kernels.front().begin);
  }
  for (const Kernel& k : trace.kernels) window.end = std::max(window.end, k.end);
  return window;
}

}  // namespace collcast::gpu
