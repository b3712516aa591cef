// SPDX-License-Identifier: Apache-2.0
#include "forecast/offload.hpp"

#include <algorithm>
#include <cmath>

#include "model/compose.hpp"
#include "model/overlap_without_workers.hpp"
#include "model/staging.hpp"
#include "support/error.hpp"

namespace collcast {

namespace {

constexpr int most_pieces = 64;

/// Cuts each block into pieces. The first piece of all blocks is sent, a step later the next one, and so on.
Schedule in_pieces(const Schedule& whole, int pieces) {
  if (pieces == 1 || whole.channels != 1) return whole;
  const auto piece = [&](int k) {
    return on({0, whole.ranks, 1}, whole, whole.ranks, k * whole.blocks, pieces * whole.blocks);
  };
  Schedule all = piece(pieces - 1);
  for (int k = pieces - 2; k >= 0; --k) all = staggered(piece(k), std::move(all), 1);
  return all;
}

/// Whether ranks send only their own data, without reductions.
bool passes_nothing_on(const Schedule& a, const Definition& collective, Rank root) {
  std::vector<std::vector<Holding>> own;
  for (Rank r = 0; r < a.ranks; ++r) own.push_back(collective.initially(r, a.ranks, a.blocks, root));
  bool holds = true;
  for_each_step(a, true, [&](const Step& step) {
    holds = step.multicasts.empty() && step.reductions.empty() &&
            std::ranges::all_of(step.transfers, [&](const Transfer& t) {
              return t.combine == Combine::copy && t.scattered < 0 &&
                     std::ranges::any_of(own[static_cast<std::size_t>(t.from.rank)], [&](const Holding& h) {
                       return h.chunk.first <= t.chunk.first &&
                              t.chunk.first + t.chunk.count <= h.chunk.first + h.chunk.count;
                     });
            });
    return holds;
  });
  return holds;
}

/// The staged schedule without the copies at its end: messages go into the ranks' own memory.
Schedule delivered(const Schedule& staged) {
  Schedule direct = staged;
  --direct.steps;
  direct.rule = [rule = staged.rule](std::int64_t s, Step& step) {
    const std::size_t before = step.transfers.size();
    rule(s, step);
    if (s == 0) return;  // step 0 is the copies to the DPU
    for (std::size_t i = before; i < step.transfers.size(); ++i) step.transfers[i].to.memory = Memory::device;
  };
  return direct;
}

}  // namespace

Algorithm on_dpu(const Algorithm& a, int pieces, bool direct) {
  Algorithm offloaded = a;
  offloaded.schedule = [schedule = a.schedule, &d = definition(a.collective), pieces, direct](const Call& c) {
    const Schedule one = schedule(c), all = staged(one, d, c.root, Memory::dpu);
    const bool ends = direct && one.steps > 0 && passes_nothing_on(one, d, c.root);
    return in_pieces(ends ? delivered(all) : all, pieces);
  };
  return offloaded;
}

OverlapPrediction predict_offloaded(const Forecaster& forecaster, const Algorithm& a, const Call& call,
                                    const Engine& engine, std::optional<Seconds> compute) {
  OverlapPrediction p{forecaster.predict(a, call, engine), {}};
  const Handoff& handoff = forecaster.machine().handoff();
  p.overlap = overlap_with_workers(p.prediction.time, handoff, compute);
  const auto [here, fast, slow] = forecaster.handed_over();
  p.prediction.time += here, p.prediction.low += fast, p.prediction.high += slow;
  return p;
}

OverlapPrediction predict_overlapped(const Forecaster& forecaster, const Algorithm& a, const Call& call,
                                     std::optional<Seconds> compute) {
  const Schedule schedule = a.schedule(call);
  return {forecaster.predict(a, call, engine("path")),
          overlap_without_workers(schedule, layout(a, call, schedule), forecaster.fabric(), compute)};
}

void check(const Offload& options, const Engine& engine) {
  if (!options.asked()) return;
  const auto knows = options.to_dpu() ? &Engine::workers : &Engine::overlap;
  if (!(engine.*knows)) {
    std::string able;
    for (const Engine& e : engines())
      if (e.*knows) able += (able.empty() ? "" : " or ") + std::string(e.name);
    throw InputError("--offload " + options.who + " goes with --engine " + able);
  }
  if (options.workers && !options.to_dpu()) throw InputError("--workers needs --offload dpu");
  if (options.pieces != 1 && !options.to_dpu()) throw InputError("--pieces needs --offload dpu");
  if (options.pieces < 1 || options.pieces > most_pieces)
    throw InputError("--pieces must be from 1 to " + std::to_string(most_pieces) + ", not " +
                     std::to_string(options.pieces));
  if (options.workers && (*options.workers < 1 || *options.workers > 1024))
    throw InputError("--workers must be from 1 to 1024, not " + std::to_string(*options.workers));
  if (options.compute && !(*options.compute >= 0 && std::isfinite(*options.compute)))
    throw InputError("--compute must be a number of seconds, 0 or more");
}

bool is_direct(const std::string& what, const std::string& delivery) {
  if (delivery != "staged" && delivery != "direct")
    throw InputError(what + " takes staged or direct, got '" + delivery + "'");
  return delivery == "direct";
}

int workers(const Offload& options, const Description& platform) {
  if (!options.to_dpu()) return 0;
  if (options.workers) return static_cast<int>(*options.workers);
  return std::max(1, Machine(platform, 1).dpu_cores());
}

OverlapPrediction predict_overlap(const Offload& options, const Forecaster& forecaster, const Algorithm& a,
                                  const Call& call, const Engine& engine) {
  std::optional<Seconds> compute;
  if (options.compute) compute = Seconds(*options.compute);
  return options.to_dpu() ? predict_offloaded(forecaster, a, call, engine, compute)
                          : predict_overlapped(forecaster, a, call, compute);
}

}  // namespace collcast
