// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/layouts.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "support/error.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

std::vector<int> divisors(int of, int most) {
  std::vector<int> all;
  for (int n = 1; n <= std::min(of, most); ++n)
    if (of % n == 0) all.push_back(n);
  return all;
}

/// Searches layouts: fills what a framework's text leaves open.
class LayoutSearch {
 public:
  LayoutSearch(Training& training, const std::string& framework, Layouts& found)
      : training_(training),
        text_(framework),
        said_(framework, "framework"),
        base_(parse_framework(framework)),
        found_(found) {}

  void all(int most_tensor) {
    const int ranks = training_.ranks % base_.spatial == 0 ? training_.ranks / base_.spatial : 0;
    const std::vector<int> tensors =
        said_.has("tp") ? std::vector{base_.tensor} : divisors(ranks, most_tensor);
    const bool pipelines = base_.stage < 3 && !said_.has("pp") && !said_.has("balance");
    for (const int tensor : tensors)
      for (const int pipeline :
           pipelines ? divisors(ranks / tensor, most_stages()) : std::vector{base_.pipeline})
        if (ranks % (tensor * pipeline) == 0) pair(tensor, pipeline, ranks / (tensor * pipeline));
    if (found_.fit.empty() && found_.too_large + found_.indivisible == 0)
      ask({}, text_), ++found_.indivisible;
  }

 private:
  int most_stages() const {
    const Model& m = training_.model;
    return m.blocks > 0 ? m.blocks : static_cast<int>(m.layers.size());
  }

  /// Adds a setting to the text, if the user left it open.
  void add(std::string& text, const char* key, const std::string& value) const {
    if (!said_.has(key)) text += (text.find(':') == std::string::npos ? ':' : ',') + (key + ('=' + value));
  }

  std::string written(const Layout& l, int micro_batches, std::string_view recompute) const {
    std::string text = text_;
    const auto more = [&](const char* key, int n) {
      if (n > 1) add(text, key, std::to_string(n));
    };
    more("tp", l.tensor);
    if (l.tensor > 1) add(text, "sequence", "1");
    more("cp", l.context), more("pp", l.pipeline), more("ep", l.expert);
    if (micro_batches > 1 || l.pipeline > 1) add(text, "micro-batches", std::to_string(micro_batches));
    if (recompute != "0") add(text, "recompute", std::string(recompute));
    return text;
  }

  /// The possible numbers of micro-batches, the fewest first.
  std::vector<int> micro_batches(int pipeline, int replicas) const {
    if (said_.has("micro-batches")) return {base_.micro_batches};
    const int whole = training_.whole_batch;
    if (whole > 0 && whole % replicas != 0) return {1};  // is refused later
    const int batch = whole > 0 ? whole / replicas : training_.batch;
    std::vector<int> all = divisors(batch, batch);
    const int least = std::min(batch, pipeline > 1 ? 4 * pipeline : 1);
    std::erase_if(all, [&](int n) { return n < least; });
    return all;
  }

  /// The numbers of ranks that may share sequences, the fewest first.
  std::vector<int> contexts(int ranks) const {
    if (said_.has("cp")) return {base_.context};
    const auto kernel = [](const Layer& l) { return l.head > 0; };
    const bool possible =
        std::ranges::any_of(training_.model.layers, kernel) && base_.shard == 0 && base_.expert_parallel == 1;
    return possible ? divisors(ranks, ranks) : std::vector{1};
  }

  /// The numbers of replicas that may share experts.
  std::vector<int> experts(const Layout& l) const {
    if (said_.has("ep")) return {base_.expert_parallel};
    const int experts = training_.model.experts;
    if (experts == 0 || l.context > 1 || !may_share_experts(base_)) return {1};
    return divisors(std::gcd(experts, l.data), experts);
  }

  void pair(int tensor, int pipeline, int others) {
    const std::size_t before = found_.fit.size();
    bool valid = false;
    for (const int context : contexts(others)) {
      Layout l{{}, others / context, tensor, context, pipeline, 1, {}, {}};
      for (const int expert : experts(l)) l.expert = expert, valid |= recomputed(l);
      if (found_.fit.size() > before) return;
    }
    ++(valid ? found_.too_large : found_.indivisible);
  }

  /// Tries a layout with and without recomputation. Whether it is possible, if memory were larger.
  bool recomputed(const Layout& l) {
    bool valid = false;
    int most = Settings::unbounded;  // with recomputation, only fewer micro-batches than without are worth it
    const std::vector<int> counts = micro_batches(l.pipeline, l.data * base_.processes_per_gpu);
    for (const char* recompute : {"0", "selective", "1"}) {
      if (said_.has("recompute") && recompute != std::string_view("0")) continue;
      for (const int n : counts) {
        if (n >= most) break;
        const int answer = ask(l, written(l, n, recompute));
        valid |= answer == too_much || answer == yes;
        if (answer == invalid_recompute) break;
        if (answer != yes) continue;
        most = n;
        if (l.pipeline > 1) pipelined(l, counts, n, recompute);
        break;
      }
    }
    return valid;
  }

  /// Tries a pipeline that fits with n micro-batches in other ways, too.
  void pipelined(const Layout& l, const std::vector<int>& counts, int n, std::string_view recompute) {
    const auto many = std::ranges::lower_bound(counts, 16 * l.pipeline);
    const int more = many == counts.end() ? counts.back() : *many;
    if (more > n) ask(l, written(l, more, recompute));
    const bool open = !said_.has("interleave") && !said_.has("balance") && base_.one_forward_one_backward;
    if (!open || 2 * l.pipeline > most_stages()) return;
    for (const int count : std::set{n, more}) {
      std::string text = written(l, count, recompute);
      if (count % l.pipeline == 0) add(text, "interleave", "2"), ask(l, text);
    }
  }

  enum Answer : std::uint8_t { no, invalid_recompute, too_much, yes };
  Answer ask(Layout layout, const std::string& framework) {
    layout.framework = framework;
    try {
      training_.framework = parse_framework(layout.framework);
      layout.memory = memory_need(training_).sum();
    } catch (const InputError& e) {
      if (training_.framework.recompute == Framework::Recompute::selective) return invalid_recompute;
      if (found_.reason.empty()) found_.reason = e.what();
      return no;
    }
    if (training_.processor.memory > Bytes() && layout.memory > training_.processor.memory) {
      if (found_.smallest.framework.empty() || layout.memory < found_.smallest.memory)
        found_.smallest = layout;
      return too_much;
    }
    layout.least_step = least_step(training_), layout.samples = global_batch(training_);
    found_.fit.push_back(std::move(layout));
    return yes;
  }

  Training& training_;
  const std::string& text_;
  const Settings said_;
  const Framework base_;
  Layouts& found_;
};

}  // namespace

Layouts layouts(Training training, const std::string& framework, int most_tensor) {
  Layouts found;
  LayoutSearch(training, framework, found).all(most_tensor);
  return found;
}

}  // namespace collcast::workloads
