// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/compare.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "forecast/library.hpp"
#include "libraries/nccl/nccl.hpp"
#include "libraries/policy.hpp"
#include "support/error.hpp"
#include "validation/accuracy/messages.hpp"

namespace collcast::accuracy {
namespace {

/// The placement of a table's ranks: equally many on each node, and on each of its sockets if the table says
/// how many. Blocks if the table says neither, or as many nodes as blocks fill.
Placement placement(const Measurement& m, const Description& platform) {
  const Blueprint blueprint = read_blueprint(platform);
  const int slots = blueprint.ranks_per_node;
  const Rank filled = (m.ranks - 1) / slots + 1, nodes = m.nodes > 0 ? m.nodes : filled;
  const bool alike = blueprint.network == Blueprint::Network::uniform;  // all places are alike
  if (m.sockets == 0 && (nodes == filled || alike)) return Placement::block;
  if (m.sockets == 0 && (m.ranks % nodes != 0 || m.ranks / nodes > slots))
    throw InputError(m.file + ": nodes=" + std::to_string(nodes) + ": " + std::to_string(m.ranks) +
                     " ranks do not spread evenly over " + std::to_string(nodes) + " x " +
                     std::to_string(slots) + " slots");
  const int sockets = std::max(1, m.sockets);
  if (m.ranks % (std::int64_t{nodes} * sockets) != 0)
    throw InputError(m.file + ": sockets=" + std::to_string(m.sockets) + ": " + std::to_string(m.ranks) +
                     " ranks do not spread evenly over " + std::to_string(nodes) + " x " +
                     std::to_string(m.sockets) + " sockets");
  const Rank on_node = m.ranks / nodes, on_socket = on_node / sockets;
  Placement placed = Placement::listed;
  placed.file = m.file;
  for (Rank r = 0; r < m.ranks; ++r)
    placed.lines.push_back(
        {m.line, r / on_node, m.sockets > 0 ? r % on_node / on_socket : -1, r % on_socket});
  return placed;
}

/// Predicts for tables of the same ranks in the same places, with data in one memory.
class Predictor {
 public:
  Predictor(const Description& platform, const std::string& policy, Rank ranks, const Placement& placement,
            Memory memory)
      : forecaster_(platform, ranks, placement, memory) {
    if (policy != "fastest") library_.emplace(policy, platform, ranks, placement, memory);
  }

  Point predict(const Measurement& m) const {
    Call call = m.parameters.value_or(Call{});
    call.ranks = m.ranks, call.root = m.root, call.message = m.message;
    if (!m.parameters)
      call.ranks_per_node = m.ranks % forecaster_.ranks_per_node() == 0 ? forecaster_.ranks_per_node() : 1;
    if (m.algorithm.empty() && library_) {
      const Library::Forecast c = library_->predict(m.collective, call, engine("path"));
      const auto mean = [&] { return library_->mean_between_barriers(m.collective, call); };
      return point(m, c.prediction, c.choice.protocol, mean);
    }
    const std::vector<const Algorithm*> candidates = m.algorithm.empty()
                                                         ? common_algorithms(m.collective)
                                                         : std::vector{&algorithm(m.collective, m.algorithm)};
    Choice best;
    if (m.parameters && !m.algorithm.empty())
      collcast::check(*candidates[0], call), best = {candidates[0], call};
    else
      best = fastest(forecaster_.fabric(), candidates, call);
    if (!best.algorithm) throw InputError("no algorithm for " + std::to_string(m.ranks) + " ranks");
    const auto mean = [&] {
      const Algorithm& barrier = algorithm(Collective::barrier, "dissemination");
      return std::optional(forecaster_.mean_between_barriers(*best.algorithm, best.call, barrier));
    };
    return point(m, forecaster_.predict(*best.algorithm, best.call, engine("path")), {}, mean);
  }

 private:
  /// `mean`: the prediction for a table of means over the ranks.
  template <class Mean>
  static Point point(const Measurement& m, const Prediction& p, const std::string& protocol, Mean mean) {
    const std::optional<Seconds> own = m.mean_over_ranks && p.time.value > 0 ? mean() : std::nullopt;
    const double share = own ? *own / p.time : 1;
    return {
        m, std::string(p.algorithm->name), protocol, {share * p.time, share * p.low, share * p.high, m.time}};
  }

  Forecaster forecaster_;
  std::optional<Library> library_;
};

void check(const Measurement& m) {
  if (m.ranks == 0)
    throw InputError(m.source() + ": the table does not say how many ranks it had; write " + m.file +
                     ":ranks=N");
}

}  // namespace

Comparison compare(const std::vector<Measurement>& measurements, const Description& platform,
                   const std::string& policy) {
  if (policy != "fastest") check_policy(policy);
  Comparison result;
  std::vector<Measurement> messages;
  std::map<std::tuple<Rank, Rank, int, Memory, std::string>, std::unique_ptr<Predictor>> predictors;
  for (const Measurement& m : measurements) {
    if (m.timing != Timing::collective) {
      messages.push_back(m);
      continue;
    }
    check(m);
    if (m.jobs > 1) {
      ++result.left_out["several jobs at once, which share what a node has"];
      continue;
    }
    if (!m.settings.empty() && !nccl::parse(policy)) {
      ++result.left_out["NCCL was told " + m.settings + ", and the policy is not NCCL's"];
      continue;
    }
    const Memory memory = m.from.value_or(Memory::device);
    auto& predictor = predictors[{m.ranks, m.nodes, m.sockets, memory, m.settings}];
    try {
      const std::string told =
          m.settings.empty() ? policy
                             : policy + (policy.find(':') == std::string::npos ? ":" : ",") + m.settings;
      if (!predictor)
        predictor = std::make_unique<Predictor>(platform, told, m.ranks, placement(m, platform), memory);
      result.points.push_back(predictor->predict(m));
    } catch (const InputError& e) {
      ++result.left_out[e.what()];
    }
  }
  compare_messages(messages, platform, result);
  return result;
}

void require_points(const Comparison& c) {
  if (c.points.empty())
    throw InputError("the tables hold nothing that can be predicted" +
                     (c.left_out.empty() ? "" : ": " + c.left_out.begin()->first));
}

Errors errors(const std::vector<const Point*>& points) {
  std::vector<Pair> pairs;
  for (const Point* p : points) pairs.push_back(p->times);
  return errors(pairs);
}

const std::vector<Band>& bands() {
  static const std::vector<Band> all = {
      {"below 64 KiB", Bytes(0)}, {"64 KiB to 4 MiB", Bytes(65536)}, {"4 MiB and more", Bytes(4194304)}};
  return all;
}

std::vector<const Point*> in_band(const std::vector<Point>& points, std::size_t band, bool and_above) {
  const bool last = and_above || band + 1 == bands().size();
  const Bytes below = last ? Bytes(std::numeric_limits<double>::infinity()) : bands()[band + 1].least;
  std::vector<const Point*> found;
  for (const Point& p : points)
    if (p.measurement.message >= bands()[band].least && p.measurement.message < below) found.push_back(&p);
  return found;
}

}  // namespace collcast::accuracy
