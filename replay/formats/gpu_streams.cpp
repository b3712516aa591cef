// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/names.hpp"

namespace collcast::gpu {
namespace {

/// Clocks of host and device differ by less than this for one activity [us].
constexpr double tolerance_us = 1;

/// Notes when each kernel and all before it were launched and done. Kernels of a stream may overlap, and by
/// the clocks one may be launched after it began.
void note_progress(GpuStream& stream) {
  double launched = -1, done = 0;
  for (const Kernel* k : stream.kernels) {
    stream.launched.push_back(launched = std::max(launched, std::min(k->launch, k->begin)));
    stream.done.push_back(done = std::max(done, k->end));
  }
}

std::vector<GpuStream> by_stream(const RankTrace& trace) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, GpuStream>> found;
  for (const Kernel& k : trace.kernels) {
    auto& [busy, stream] = found[k.stream];
    busy += k.communicates || k.copies ? 0 : k.end - k.begin;
    stream.kernels.push_back(&k);
  }
  std::vector<std::pair<double, GpuStream>> order;
  for (auto& [id, stream] : found) order.push_back(std::move(stream));
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& s) { return s.first; });
  std::vector<GpuStream> streams;
  for (auto& [busy, s] : order) streams.push_back(std::move(s));
  for (GpuStream& s : streams) {
    s.awaits.resize(s.kernels.size()), s.recorded.resize(s.kernels.size());
    note_progress(s);
  }
  return streams;
}

/// The last kernel of the stream such that it and all before it were launched before `launch` (if that is
/// known) and done by `began`; -1 if there is none.
std::ptrdiff_t last_before(const GpuStream& stream, double launch, double began) {
  const auto begun =
                 std::ranges::lower_bound(stream.kernels, began, {}, &Kernel::begin) - stream.kernels.begin(),
             done = std::ranges::upper_bound(stream.done, began + tolerance_us) - stream.done.begin(),
             launched = launch < 0
                            ? done
                            : std::ranges::lower_bound(stream.launched, launch) - stream.launched.begin();
  return std::min({begun, done, launched}) - 1;
}

class Dependencies {
 public:
  Dependencies(const RankTrace& trace, std::vector<GpuStream>& streams) : trace_(trace), streams_(streams) {}

  void find() {
    for (std::size_t s = 1; s < streams_.size(); ++s) side_stream(s);
    compute_stream();
  }

 private:
  void depend(std::size_t stream, std::size_t kernel, std::size_t on, std::ptrdiff_t last) {
    streams_[stream].awaits[kernel].emplace_back(static_cast<int>(on), static_cast<std::size_t>(last));
    streams_[on].recorded[static_cast<std::size_t>(last)] = true;
  }

  /// Lets each kernel of a side stream wait for the compute stream's kernels that were launched before it and
  /// were done when it began.
  void side_stream(std::size_t s) {
    std::ptrdiff_t known = -1;
    for (std::size_t i = 0; i < streams_[s].kernels.size(); ++i) {
      const Kernel& k = *streams_[s].kernels[i];
      const auto last = last_before(streams_[0], k.launch, k.begin);
      if (last > known) depend(s, i, 0, known = last);
    }
  }

  /// Lets the compute stream's kernels wait for what ended while that stream was idle, and for what the host
  /// had told it to wait for.
  void compute_stream() {
    std::vector<std::ptrdiff_t> known(streams_.size(), -1);
    double idle_since = -1;
    for (std::size_t i = 0; i < streams_[0].kernels.size(); ++i) {
      const Kernel& k = *streams_[0].kernels[i];
      const double told = told_to_wait(i);
      for (std::size_t s = 1; s < streams_.size(); ++s) {
        auto last = last_before(streams_[s], -1, k.begin);
        if (last >= 0 && !ended_in_idleness(*streams_[s].kernels[static_cast<std::size_t>(last)], idle_since))
          last = told < 0 ? -1 : last_before(streams_[s], told, k.begin);
        if (last > known[s]) depend(0, i, s, known[s] = last);
      }
      idle_since = k.end;
    }
  }

  /// Whether the compute stream may have been idle because it waited for this kernel. If the trace has the
  /// host's stream waits, an allreduce does not count: it is a bucket, which is awaited at the end of the
  /// backward pass.
  bool ended_in_idleness(const Kernel& k, double idle_since) const {
    if (!trace_.waits.empty() && k.call >= 0 &&
        collective_of(trace_.comms[static_cast<std::size_t>(k.call)].name) == Collective::allreduce)
      return false;
    return k.end > idle_since + tolerance_us;
  }

  /// When the host last told the stream to wait, after it launched the previous kernel and before this one;
  /// -1: never.
  double told_to_wait(std::size_t i) const {
    const double launch = streams_[0].kernels[i]->launch;
    if (launch < 0) return -1;
    auto wait = std::ranges::upper_bound(trace_.waits, launch, {}, [](const auto& w) { return w.second; });
    if (wait == trace_.waits.begin()) return -1;
    --wait;
    const bool before_last = i > 0 && wait->second < streams_[0].kernels[i - 1]->launch;
    return before_last ? -1 : wait->second;
  }

  const RankTrace& trace_;
  std::vector<GpuStream>& streams_;
};

}  // namespace

std::vector<GpuStream> streams_of(const RankTrace& trace) {
  std::vector<GpuStream> streams = by_stream(trace);
  if (streams.empty()) return streams;
  Dependencies(trace, streams).find();
  for (GpuStream& s : streams) s.recorded.back() = true;
  return streams;
}

}  // namespace collcast::gpu
