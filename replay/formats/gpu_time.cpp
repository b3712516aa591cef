// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/gpu_time.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/all_to_all.hpp"
#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/loss.hpp"
#include "support/text.hpp"

namespace collcast::gpu {
namespace {

/// Gives activities back the times at which they were recorded, after it was found how long a replay lets
/// them take.
void restore(RecordedSource& source, const std::vector<Retimed>& all) {
  for (const Retimed& o : all) {
    Activity& a = source.at(o.rank, o.stream)[o.activity];
    a.begin = Seconds(1e-6 * o.recorded.begin);
    a.duration = Seconds(1e-6 * (o.recorded.end - o.recorded.begin));
  }
}

/// Counts kernels that communicate while nothing says how much.
class Unsized {
 public:
  bool known = false;  ///< for some kernel that communicates, the size or the group is known

  void count(const RankTrace& trace) {
    for (const Kernel& k : trace.kernels) {
      if (k.call < 0) continue;
      const Comm& c = trace.comms[static_cast<std::size_t>(k.call)];
      known = known || c.sized() || c.size > 0 || !c.ranks.empty();
      if ((collective_of(c.name) && c.sized()) || is_message(c) || !c.messages.empty()) continue;
      if (lacks_host_call(c))
        ++apart_, apart_us_ += k.end - k.begin, name_ = c.name;
      else if (c.input > 0 && element_bytes(c.type) == 0)
        ++typeless_, type_ = c.type;
      else
        ++uncalled_;
    }
  }

  void note(std::vector<std::string>& notes, const std::string& advice) const {
    const auto of = [](std::int64_t n, const std::string& what) {
      return std::to_string(n) + " communication kernels have no size: " + what;
    };
    if (uncalled_) notes.push_back(of(uncalled_, advice));
    if (typeless_)
      notes.push_back(of(typeless_, "how large their elements are is not known of type " + type_));
    if (apart_)
      notes.push_back(of(apart_, "they are not NCCL's, as " + name_ + ". They took " +
                                     text::seconds(1e-6 * apart_us_) +
                                     " over the recorded ranks, and a replay lets them take as long"));
  }

 private:
  std::int64_t uncalled_ = 0, typeless_ = 0, apart_ = 0;
  double apart_us_ = 0;
  std::string name_, type_;
};

/// The number of devices that computed.
std::size_t gpus(const RankTrace& trace) {
  std::set<std::int64_t> all;
  for (const Kernel& k : trace.kernels)
    if (!k.copies) all.insert(k.stream.first);
  return all.size();
}

/// Whether the times of all files can be compared: all files state the base of their times, or none does. If
/// only some do, nobody knows how the clocks compare.
bool comparable_clocks(const std::vector<RankTrace>& traces, std::vector<std::string>& notes) {
  const auto based = std::ranges::count_if(traces, [](const RankTrace& t) { return t.base_ns != 0; });
  if (based == 0 || based == std::ssize(traces)) return true;
  notes.push_back(std::to_string(based) + " of " + std::to_string(traces.size()) +
                  " files say since when their times are (baseTimeNanoseconds): all ranks begin together");
  return false;
}

/// What the traces do not have or do not play, summed over the ranks.
class Lacks {
 public:
  void add(const RankTrace& trace) {
    kernels_ += std::ssize(trace.kernels);
    impossible_ += trace.impossible + trace.damaged;
    outside_ += trace.outside;
    outside_us_ += trace.outside_us, whole_us_ += trace.whole_us;
    on_hosts_ += std::ssize(trace.played_by_hosts);
    for (const HostCall& c : trace.played_by_hosts) on_hosts_us_ += std::max(c.end - c.begin, 0.0);
    peerless_ += trace.peerless;
    unplayed_ += std::ssize(trace.unplayed);
    lost_ += trace.lost;
  }
  bool has_kernels() const { return kernels_ > 0; }

  void tell(SourceInfo& info) const {
    info.lose("kernel", impossible_, "without a possible begin and duration, or damaged");
    info.lose("kernel", outside_, "outside the steps that are looked at", 1e-6 * outside_us_,
              whole_us_ > 0 ? outside_us_ / whole_us_ : 0);
    info.lose("event", lost_, "lost by the profiler, as it says");
    info.lose("collective", on_hosts_, "of gloo, MPI or UCC, which hosts play: only GPUs are",
              1e-6 * on_hosts_us_);
    info.lose("call", unplayed_, "no kernel was recorded that plays it");
    info.lose("message", peerless_, "its peer is not said");
  }

 private:
  std::int64_t kernels_ = 0, impossible_ = 0, outside_ = 0, on_hosts_ = 0, peerless_ = 0, lost_ = 0,
               unplayed_ = 0;
  double outside_us_ = 0, whole_us_ = 0, on_hosts_us_ = 0;
};

/// When ranks begin and end, in us since the first file's times begin.
struct Times {
  std::map<Rank, Seconds> begins;
  Span all{std::numeric_limits<double>::infinity(), 0};
  double longest = 0;

  void add(Rank rank, double since, Span window) {
    begins[rank] = Seconds(1e-6 * (since + window.begin));
    all.begin = std::min(all.begin, since + window.begin);
    all.end = std::max(all.end, since + window.end);
    longest = std::max(longest, window.end - window.begin);
  }
};

/// A source without activities, of as many ranks as the traces are of. Gives the traces their ranks.
std::unique_ptr<RecordedSource> empty_source(std::vector<RankTrace>& traces) {
  std::vector<std::string> differences;
  refuse_several_jobs(traces, differences);
  const bool said = std::ranges::any_of(traces, [](const RankTrace& t) { return t.world > 0; });
  const auto files = static_cast<Rank>(traces.size());
  Rank largest = 0;
  for (const RankTrace& t : traces) largest = std::max({largest, t.world, largest_group(t)});
  const bool guessed = !said && largest > files;
  name_ranks(traces, std::max(files, largest));
  const auto unnamed = std::ranges::count_if(traces, [](const RankTrace& t) { return t.rank < 0; });
  const Rank world = assign_ranks(traces, guessed ? largest : files);
  auto source = std::make_unique<RecordedSource>(world);
  SourceInfo& info = source->info();
  info.notes = differences;
  if (guessed)
    info.notes.push_back("no file says how many ranks there are: as many as in the largest group, " +
                         std::to_string(world));
  if (unnamed > 1)
    info.notes.push_back("ranks are numbered in the order of files and GPUs: nothing says who is which");
  info.unknown = {
      "roots of broadcasts and reductions, but where the trace says them (taken as the first rank)",
      "reduction operators",
      "which bytes of an all-to-all go to whom, without its split sizes (taken as equal)"};
  return source;
}

}  // namespace

std::unique_ptr<RecordedSource> source_of(std::vector<RankTrace>& traces, const OpenOptions& options,
                                          const std::string& sizes) {
  auto source = empty_source(traces);
  SourceInfo& info = source->info();
  const std::string path = traces[0].path;
  const bool comparable = comparable_clocks(traces, info.notes);
  const std::int64_t base_ns = std::ranges::min_element(traces, {}, &RankTrace::base_ns)->base_ns;
  const Callers callers(traces, source->ranks());
  Times times;
  Lacks lacks;
  Unsized unsized;
  std::size_t most_gpus = 0;
  std::vector<Retimed> retimed;
  std::vector<WallTime> periods;
  for (RankTrace& trace : traces) {
    join_host(trace);
    const Span window = select(trace, options, info.notes);
    if (auto period = by_wall_clock(trace, window)) periods.push_back(*std::move(period));
    unsized.count(trace);
    most_gpus = std::max(most_gpus, gpus(trace));
    std::ranges::move(add_activities(*source, trace, callers, window), std::back_inserter(retimed));
    times.add(trace.rank, 1e-3 * static_cast<double>(trace.base_ns - base_ns), window);
    info.recorded_ranks.push_back(trace.rank);
    lacks.add(trace);
    trace = {};
  }
  longest_gap(std::move(periods));
  if (!lacks.has_kernels())
    throw InputError(path + ": has no kernels of a GPU; profile CUDA activity, over whole steps");
  lacks.tell(info);
  if (most_gpus > 1)
    info.notes.push_back("a process has kernels on " + std::to_string(most_gpus) +
                         " GPUs: it is one rank, whose computation is that of its busiest stream");
  unsized.note(info.notes, sizes);
  if (!unsized.known) info.unscalable = "it has no communication of known size or among known ranks";
  std::ranges::sort(info.recorded_ranks);
  compare_parts(*source);
  agree_on_roots(*source);
  compare_ranks(*source);
  restore(*source, retimed);
  const bool apart = comparable && begin_as_recorded(*source, times.begins);
  info.recorded = Seconds(1e-6 * (apart ? times.all.end - times.all.begin : times.longest));
  return source;
}

}  // namespace collcast::gpu
