// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/names.hpp"

namespace collcast::gpu {
namespace {

/// Finds the calls of a host's threads by when they were under way.
class HostCalls {
 public:
  explicit HostCalls(RankTrace& trace) {
    for (auto& [thread, calls] : trace.calls) {
      std::ranges::sort(calls, [](const Span& a, const Span& b) { return a.begin < b.begin; });
      threads_[thread] = {&calls, longer_before(calls)};
    }
  }

  /// The last `wanted` call of the thread that was under way at that time; nullptr if there is none.
  HostCall* enclosing(std::int64_t thread, double at, auto wanted) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return nullptr;
    const auto& [calls, longer] = found->second;
    auto c = std::ranges::upper_bound(*calls, at, {}, [](const Span& s) { return s.begin; }) - calls->begin();
    while (--c >= 0) {
      HostCall& call = (*calls)[static_cast<std::size_t>(c)];
      if (call.end >= at && wanted(call)) return &call;
      if (call.end < at) c = longer[static_cast<std::size_t>(c)] + 1;
    }
    return nullptr;
  }

 private:
  /// For each call, the last one before it that ends later; -1 if there is none.
  static std::vector<std::ptrdiff_t> longer_before(const std::vector<HostCall>& calls) {
    std::vector<std::ptrdiff_t> longer;
    for (const HostCall& call : calls) {
      std::ptrdiff_t before = std::ssize(longer) - 1;
      while (before >= 0 && calls[static_cast<std::size_t>(before)].end <= call.end)
        before = longer[static_cast<std::size_t>(before)];
      longer.push_back(before);
    }
    return longer;
  }

  struct Thread {
    std::vector<HostCall>* calls;
    std::vector<std::ptrdiff_t> longer;
  };
  std::map<std::int64_t, Thread> threads_;
};

/// Joins the calls that one kernel plays, coalesced by torch or grouped by NCCL: those of its thread since
/// the kernel before that launched nothing themselves.
void join_groups(RankTrace& trace) {
  std::map<std::int64_t, std::vector<Kernel*>> launched;  // by thread
  for (Kernel& k : trace.kernels) {
    const auto launch = trace.launches.find(k.correlation);
    if (k.call >= 0 && launch != trace.launches.end() && !launch->second.of_graph &&
        !lacks_host_call(trace.comms[static_cast<std::size_t>(k.call)]))
      launched[launch->second.thread].push_back(&k);
  }
  for (auto& [thread, kernels] : launched) {
    const auto calls = trace.calls.find(thread);
    if (calls == trace.calls.end()) continue;
    std::ranges::stable_sort(kernels, {}, [](const Kernel* k) { return k->launch; });
    auto next = calls->second.begin();
    for (Kernel* k : kernels) {
      std::vector<HostCall*> group;
      for (; next != calls->second.end() && next->begin < k->launch; ++next)
        if (!next->launched && next->comm.sized()) group.push_back(&*next);
      Comm& comm = trace.comms[static_cast<std::size_t>(k->call)];
      if (k->called || group.empty()) continue;
      std::vector<Comm> comms;
      for (const HostCall* c : group) comms.push_back(c->comm);
      const Comm all = merged(comms);
      const auto named = collective_of(comm.name), called = collective_of(all.name);
      const bool exchanges = comm.name.find("SendRecv") != std::string::npos;
      if (!all.sized() ||
          !(exchanges ? !called || called == Collective::alltoall : !named || named == called))
        continue;
      if (!comm.sized()) comm = all;
      k->called = true;
      for (HostCall* c : group) c->launched = true;
    }
  }
}

/// Whether NCCL launches a kernel: it does not for a group of one rank, or for no elements.
bool needs_kernel(const Comm& c) {
  return c.known() && c.sized() && c.size > 1 &&
         (std::max(c.input, c.output) > 0 || collective_of(c.name) == Collective::barrier);
}

/// Adds the times of a thread's calls that need a kernel and have none. A call within another one is the same
/// call.
void add_unplayed(const std::vector<HostCall>& calls, std::vector<double>& when) {
  for (std::size_t i = 0, next = 0; i < calls.size(); i = next) {
    next = i + 1;
    if (!needs_kernel(calls[i].comm)) continue;
    bool launched = calls[i].launched;
    for (; next < calls.size() && calls[next].begin < calls[i].end; ++next) launched |= calls[next].launched;
    if (!launched) when.push_back(calls[i].begin);
  }
}

/// When calls were made that no kernel plays. Empty if no kernel communicates, or if kernels of graphs do, as
/// their calls were made at the capture. A kernel that says itself what it moves belongs to a call that a cut
/// trace may lack.
std::vector<double> unplayed(const RankTrace& trace) {
  std::vector<double> when;
  std::int64_t communicating = 0, uncalled = 0;
  for (const Kernel& k : trace.kernels) {
    if (k.call < 0 || lacks_host_call(trace.comms[static_cast<std::size_t>(k.call)])) continue;
    const auto launch = trace.launches.find(k.correlation);
    if (launch != trace.launches.end() && launch->second.of_graph) return {};
    ++communicating;
    uncalled += !k.called && trace.comms[static_cast<std::size_t>(k.call)].sized();
  }
  if (communicating == 0) return {};
  for (const auto& [thread, calls] : trace.calls) add_unplayed(calls, when);
  std::ranges::sort(when);
  when.erase(when.begin(), when.begin() + std::min<std::ptrdiff_t>(uncalled, std::ssize(when)));
  return when;
}

}  // namespace

void join_host(RankTrace& trace) {
  const HostCalls host_calls(trace);
  std::map<std::int64_t, HostCall*> by_number;
  for (auto& [thread, calls] : trace.calls)
    for (HostCall& c : calls)
      if (c.external >= 0 && c.comm.sized()) by_number[c.external] = &c;
  const auto is_sized = [](const HostCall& c) { return c.comm.sized(); };
  const auto is_named = [](const HostCall& c) { return bool(collective_of(c.comm.name)); };
  for (Kernel& k : trace.kernels) {
    const auto launch = trace.launches.find(k.correlation);
    const bool launched = launch != trace.launches.end();
    if (launched) k.launch = launch->second.at;
    if (k.call < 0) continue;
    const auto by = [&](auto wanted) {
      return launched ? host_calls.enclosing(launch->second.thread, k.launch, wanted) : nullptr;
    };
    Comm& comm = trace.comms[static_cast<std::size_t>(k.call)];
    if (lacks_host_call(comm)) continue;
    HostCall* host = by(is_sized);
    // Tools that shorten traces leave out launches first. A kernel of which Kineto knows no call has its
    // correlation instead of a call's number.
    if (const auto numbered = by_number.find(k.external);
        !host && numbered != by_number.end() && k.external != k.correlation)
      host = numbered->second;
    if (host) host->launched = k.called = true;
    if (comm.sized()) continue;
    if (!host && !collective_of(comm.name))
      if (const auto* named = by(is_named)) comm.name = named->comm.name;
    if (!host) continue;
    const std::string kernel_name = comm.name;
    comm = host->comm;
    if (!collective_of(comm.name) && comm.peer < 0) comm.name = kernel_name;
  }
  join_groups(trace);
  trace.unplayed = unplayed(trace);
  std::erase_if(trace.waits, [&](const auto& wait) {
    return host_calls.enclosing(wait.first, wait.second,
                                [](const HostCall& c) { return c.comm.name != "wait"; }) != nullptr;
  });
  std::ranges::sort(trace.waits, {}, [](const auto& wait) { return wait.second; });
}

}  // namespace collcast::gpu
