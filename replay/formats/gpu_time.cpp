// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/gpu_time.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/all_to_all.hpp"
#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/plausible.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast::gpu {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether a kernel's name is that of communication by a library other than NCCL and its like: the allreduces
/// of vLLM, SGLang, FlashInfer and TensorRT, PyTorch's symmetric memory, DeepEP, NVSHMEM. Compares letters
/// and digits in lower case.
bool communicates_apart(std::string_view name) {
  constexpr std::string_view parts[] = {"crossdevicereduce", "allreducefusion", "oneshotallreduce",
                                        "twoshotallreduce",  "multimem",        "deepepint",
                                        "quickreduce",       "nvshmem"};
  if (name.starts_with("triton_")) return false;  // Triton's names list what was fused into a computation
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(plain, part); });
}

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

/// Finds the part of the run that is asked for, and keeps only its kernels, in the order in which they began.
Span select(RankTrace& trace, const OpenOptions& options) {
  std::ranges::sort(trace.kernels, [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Step> steps;
  for (const Step& s : trace.steps)
    if (s.number >= options.first_step && s.number <= options.last_step) steps.push_back(s);
  if (steps.empty() && options.some_steps()) {
    std::string has = "has no steps marked";
    if (!trace.steps.empty()) {
      const auto [low, high] = std::ranges::minmax(trace.steps, {}, &Step::number);
      has = "has steps " + std::to_string(low.number) + " to " + std::to_string(high.number);
    }
    throw InputError(trace.path + ": " + has + "; --steps asks for " + std::to_string(options.first_step) +
                     "-" + std::to_string(options.last_step));
  }
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

/// Which ranks call each group.
class Callers {
 public:
  Callers(const std::vector<RankTrace>& traces, Rank world) : whole_(std::ssize(traces) == world) {
    for (const RankTrace& t : traces)
      for (const auto& [thread, calls] : t.calls)
        for (const HostCall& call : calls) add(t, call.comm);
  }

  /// All callers of a group, in the order of their ranks in it if these are said; empty: not all were
  /// recorded. `size`: 0: unknown.
  std::vector<Rank> of(const std::string& group, Rank size) const {
    const auto found = all_.find(group);
    if (found == all_.end() || (size > 0 ? std::ssize(found->second) != size : !whole_)) return {};
    std::vector<Rank> ranks;
    for (const auto& [rank, own] : found->second) ranks.push_back(rank);
    std::ranges::stable_sort(ranks, {}, [&](Rank r) { return found->second.at(r); });
    return ranks;
  }

  /// Whether each caller of a group has the place in it that it would have at that distance.
  bool fit(const std::string& group, Rank size, Rank stride) const {
    const auto found = all_.find(group);
    return found == all_.end() || std::ranges::all_of(found->second, [&](const auto& caller) {
             return caller.second < 0 || caller.first / stride % size == caller.second;
           });
  }

 private:
  void add(const RankTrace& trace, const Comm& comm) {
    if (!comm.group.empty()) {
      int& own = all_[comm.group].try_emplace(trace.rank, comm.own).first->second;
      own = std::max(own, comm.own);
    }
    for (const Comm& message : comm.messages) add(trace, message);
  }

  std::map<std::string, std::map<Rank, int>> all_;  ///< by group: callers with their places; -1: not said
  bool whole_;
};

/// An activity that is played at another time than it was recorded at.
struct Retimed {
  Rank rank;
  int stream;
  std::size_t activity;
  Span recorded;  ///< times since the begin of the window
};

/// Lowers one rank's kernels to the activities of its streams.
class GpuRank {
 public:
  GpuRank(RecordedSource& source, const RankTrace& trace, const Callers& callers, Span window)
      : source_(source), trace_(trace), callers_(callers), window_(window), streams_(streams_of(trace)) {}

  void build() {
    for (std::size_t s = 0; s < streams_.size(); ++s) stream(s);
    if (streams_.empty()) return;
    double last = 0;
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      last = std::max(last, streams_[s].kernels.back()->end);
      if (s > 0) await(0, static_cast<int>(s), streams_[s].kernels.size() - 1);
    }
    pause(0, last, window_.end);
  }

  std::vector<Retimed> retimed;

 private:
  void stream(std::size_t s) {
    double free = window_.begin;
    for (std::size_t i = 0; i < streams_[s].kernels.size(); ++i) {
      const Kernel& k = *streams_[s].kernels[i];
      for (const auto& [other, last] : streams_[s].awaits[i]) {
        await(s, other, last);
        free = std::max(free, streams_[static_cast<std::size_t>(other)].kernels[last]->end);
      }
      pause(s, free, k.begin);
      play(s, k);
      free = std::max(free, k.end);
      if (streams_[s].recorded[i]) add(s).kind = Activity::Kind::record;
    }
  }

  Activity& add(std::size_t stream) {
    return source_.at(trace_.rank, static_cast<int>(stream)).emplace_back();
  }

  void await(std::size_t stream, int other, std::size_t kernel) {
    auto& numbers = numbers_[other];
    if (numbers.empty()) {
      std::int64_t n = 0;
      for (bool r : streams_[static_cast<std::size_t>(other)].recorded) numbers.push_back(n += r);
    }
    Activity& a = add(stream);
    a.kind = Activity::Kind::await;
    a.stream = other;
    a.count = numbers[kernel];
  }

  void pause(std::size_t stream, double from, double to) {
    if (to <= from) return;
    Activity& a = add(stream);
    a.kind = Activity::Kind::pause;
    a.time = Seconds(1e-6 * (to - from));
  }

  void play(std::size_t stream, const Kernel& k) {
    if (k.communicates && group(stream, k)) return;
    Activity a;
    if (k.communicates)
      a = communication(trace_.comms[static_cast<std::size_t>(k.call)]);
    else
      a.kind = stream == 0 ? Activity::Kind::compute : Activity::Kind::pause;
    a.begin = Seconds(1e-6 * (k.begin - window_.begin));
    a.duration = a.time = Seconds(1e-6 * (k.end - k.begin));
    add(stream) = std::move(a);
    keep_recorded(stream, k);
  }

  void keep_recorded(std::size_t stream, const Kernel& k) {
    if (!k.recorded) return;
    const auto at = source_.at(trace_.rank, static_cast<int>(stream)).size() - 1;
    retimed.push_back({trace_.rank,
                       static_cast<int>(stream),
                       at,
                       {k.recorded->begin - window_.begin, k.recorded->end - window_.begin}});
  }

  /// Plays messages that one kernel moves; false if it has none, or one of them cannot be played.
  bool group(std::size_t stream, const Kernel& k) {
    const std::vector<Comm>& messages = trace_.comms[static_cast<std::size_t>(k.call)].messages;
    std::vector<Activity> parts;
    for (const Comm& c : messages)
      if (parts.push_back(communication(c)); parts.back().kind == Activity::Kind::collective) return false;
    if (parts.empty()) return false;
    MessageGroup group(source_.at(trace_.rank, static_cast<int>(stream)), requests_);
    for (Activity& a : parts) group.add(std::move(a));
    requests_ += group.finish();
    Activity& wait = source_.at(trace_.rank, static_cast<int>(stream)).back();
    wait.begin = Seconds(1e-6 * (k.begin - window_.begin));
    wait.duration = Seconds(1e-6 * (k.end - k.begin));
    keep_recorded(stream, k);
    return true;
  }

  Activity communication(const Comm& comm) {
    const int communicator = members(comm);
    const auto& members = source_.communicators()[static_cast<std::size_t>(communicator)];
    const auto ranks = static_cast<Rank>(members.size());
    const double element = element_bytes(comm.type);
    const Bytes in = comm.bytes >= 0 ? Bytes(comm.bytes) : Bytes(element * std::max(comm.input, 0.0)),
                out(element * std::max(comm.output, 0.0));
    if (const Rank peer = is_message(comm) ? peer_of(comm, members) : -1; peer >= 0)
      return message(comm, communicator, peer, in, out);
    const auto collective = collective_of(comm.name);
    Bytes size;
    if (collective && comm.bytes >= 0)
      size = message_by_count(*collective, in, ranks);
    else if (collective)
      size = message_of(*collective, in, out, ranks);
    Activity a = collective_activity(collective.value_or(Collective::alltoall), communicator, size);
    a.sized = collective && comm.sized();
    if (collective && definition(*collective).rooted && comm.root >= 0 && comm.root < ranks)
      a.root = comm.root;
    if (!collective) a.operation = a.call = source_.keep(comm.name);
    if (a.sized) set_parts(a, comm.sent, comm.received, in, out, ranks);
    return a;
  }

  /// The place of a message's other end among the members; -1: it is not among them.
  Rank peer_of(const Comm& comm, const std::vector<Rank>& members) const {
    if (trace_.nccl_ids) return comm.peer < std::ssize(members) ? comm.peer : -1;
    const auto peer = std::ranges::find(members, comm.peer);
    return peer == members.end() ? -1 : static_cast<Rank>(peer - members.begin());
  }

  static Activity message(const Comm& comm, int communicator, Rank peer, Bytes in, Bytes out) {
    Activity a;
    const bool sends = comm.name == "send";
    a.kind = sends ? Activity::Kind::send : Activity::Kind::receive;
    a.operation = a.call = sends ? "send" : "recv";
    a.communicator = communicator;
    a.synchronous = true;
    (sends ? a.to : a.from) = peer;
    (sends ? a.bytes : a.received_bytes) = std::max(in, sends ? Bytes(0) : out);
    return a;
  }

  /// The communicator of a call's group, found once for all calls that describe the group alike.
  int members(const Comm& comm) {
    const auto [known, is_new] = communicators_.try_emplace(
        {comm.group, comm.size, comm.start, comm.stride, comm.own, is_message(comm), comm.ranks}, 0);
    if (is_new) known->second = communicator_of(comm);
    return known->second;
  }
  int communicator_of(const Comm& comm) {
    std::vector<Rank> ranks;
    if (const auto known = trace_.groups.find(comm.group); known != trace_.groups.end())
      ranks = known->second;
    else if (!comm.ranks.empty())
      ranks = comm.ranks;
    else
      ranks = strided_group(comm.start, comm.stride, comm.size, source_.ranks());
    if (!possible_group(ranks, trace_.rank, source_.ranks()))
      ranks = inferred(comm, comm.size > 0 ? comm.size : static_cast<Rank>(ranks.size()));
    if (ranks.empty() || ranks == source_.communicators()[0]) return 0;
    const int number = source_.communicator(comm.group, ranks);
    if (const auto said = trace_.descriptions.find(comm.group); said != trace_.descriptions.end())
      source_.name(number, said->second);
    return number;
  }

  /// The members of a group if the trace has its size, or only its id (`size` 0); empty: all ranks.
  std::vector<Rank> inferred(const Comm& comm, Rank size) {
    const Rank world = source_.ranks();
    const bool of_world = is_message(comm) && !trace_.nccl_ids;  // its peer is a rank of the world
    if (of_world || size == world) return {};
    if (size == 0 && comm.group.empty()) {
      if (world > 2) take(size, "all ranks");
      return {};
    }
    std::vector<Rank> ranks;
    // torch gives several groups that share no rank the same name.
    if (trace_.nccl_ids || (size > 0 && world % size > 0)) ranks = callers_.of(comm.group, size);
    if (!ranks.empty()) {
      if (ranks != source_.communicators()[0]) take(size, "the ranks that call them");
    } else if (size == 0 || size > world) {
      take(size, "all ranks");
    } else {
      ranks = equidistant(comm.group, size, comm.own);
      const bool near = ranks.back() - ranks.front() < size;
      if (size > 1) take(size, near ? "consecutive ranks" : "ranks of equal distance");
    }
    return ranks;
  }

  void take(Rank size, const std::string& those) {
    SourceInfo& info = source_.info();
    add_once(info.notes, "groups of " + (size == 0 ? "unknown size" : std::to_string(size) + " ranks") +
                             ", of which the trace has no members, are taken for " + those);
    add_once(info.unknown, "members of groups that the trace does not list");
  }

  /// A group of `size` ranks at equal distances with this rank in it: consecutive ranks, unless its place
  /// `own`, and those of the other ranks that call it, only fit other distances.
  std::vector<Rank> equidistant(const std::string& group, Rank size, int own) const {
    const Rank world = source_.ranks(), me = trace_.rank;
    Rank first = std::min(me - me % size, world - size), stride = 0;
    for (const bool of_all : {true, false})
      for (Rank s = 1; own >= 0 && stride == 0 && s <= world / size; ++s)
        if (world % (s * size) == 0 && me / s % size == own && (!of_all || callers_.fit(group, size, s)))
          stride = s, first = me - own * s;
    stride = std::max(stride, 1);
    std::vector<Rank> ranks(static_cast<std::size_t>(size));
    for (Rank& r : ranks) r = std::exchange(first, first + stride);
    return ranks;
  }

  RecordedSource& source_;
  const RankTrace& trace_;
  const Callers& callers_;
  Span window_;
  std::vector<GpuStream> streams_;
  /// Communicators by the group's name, size, first rank, distance, the rank's place in it, whether the call
  /// is a message, and the members.
  std::map<std::tuple<std::string, int, int, int, int, bool, std::vector<int>>, int> communicators_;
  std::int64_t requests_ = 0;
  std::map<int, std::vector<std::int64_t>> numbers_;  ///< by stream: the last record up to each kernel
};

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

}  // namespace

bool lacks_host_call(const Comm& comm) {
  return !comm.sized() && communicates_apart(comm.name);
}

bool is_message(const Comm& comm) {
  return comm.name == "send" || comm.name == "recv";
}

bool Comm::known() const {
  return is_message(*this) || collective_of(name);
}

bool Comm::sized() const {
  // torch's calls of other names, such as "wait" and "coalesced", have no elements.
  const bool counted = input >= 0 && element_bytes(type) > 0 && (input > 0 || known());
  return bytes >= 0 || !messages.empty() || counted;
}

Comm merged(const std::vector<Comm>& calls) {
  Comm all = calls[0];
  if (calls.size() == 1) return all;
  const auto bytes = [](const Comm& c, double elements) {
    return c.bytes >= 0 ? c.bytes : element_bytes(c.type) * std::max(elements, 0.0);
  };
  const bool sized = std::ranges::all_of(calls, &Comm::sized);
  const bool alike =
      std::ranges::all_of(calls, [&](const Comm& c) { return c.name == all.name && c.group == all.group; });
  if (!is_message(all) && alike) {
    all.bytes = all.input = all.output = sized ? 0 : -1;
    for (const Comm& c : calls) {
      if (!sized) break;
      all.input += bytes(c, c.input), all.output += bytes(c, c.output);
      all.bytes = calls[0].bytes >= 0 ? all.input : -1;
    }
    all.type = "byte";
    all.sent.clear(), all.received.clear();
    return all;
  }
  all.name = "group";
  all.sent.clear(), all.received.clear();
  all.peer = -1;
  all.bytes = all.input = -1;
  if (!std::ranges::all_of(calls, is_message)) return all;
  std::set<int> to;
  double sent = 0;
  std::ptrdiff_t sends = 0;
  for (const Comm& c : calls)
    if (c.name == "send") to.insert(c.peer), sent += bytes(c, c.input), ++sends;
  // Equally many sends and receives, with everybody as far as is known, are an all-to-all.
  const bool everybody = sends > 1 && 2 * sends == std::ssize(calls) && sends + 1 >= all.size;
  if (everybody && (to.contains(-1) || std::ssize(to) == sends)) {
    all.name = "alltoall";
    if (sized) all.bytes = sent / static_cast<double>(sends);
  } else if (sized) {
    all.messages = calls;
  }
  return all;
}

std::string communicating(std::string_view kernel) {
  constexpr std::string_view libraries[] = {"nccl", "rccl", "msccl", "oneccl"},
                             nameless = "(anonymous namespace)::";
  if (std::ranges::any_of(libraries, [&](std::string_view l) { return contains(kernel, l); }))
    return std::string(kernel.substr(0, kernel.find('(')));
  std::string name(kernel);
  for (std::size_t at; (at = name.find(nameless)) != std::string::npos;) name.erase(at, nameless.size());
  name.resize(std::min(name.size(), name.find_first_of("(<")));
  if (name.starts_with("void ")) name.erase(0, 5);
  return communicates_apart(name) ? name : std::string();
}

void RankTrace::add(Kernel kernel, Comm comm) {
  const double lasts = kernel.end - kernel.begin;
  if (!(lasts > 0 && lasts < 1e6 * longest_of_all.value && kernel.begin >= 0)) {
    impossible += lasts != 0 || !kernel.copies;  // a copy that takes no time is no loss
    return;
  }
  if (kernel.communicates) {
    kernel.call = static_cast<std::int64_t>(comms.size());
    comms.push_back(std::move(comm));
  }
  kernels.push_back(kernel);
}

void RankTrace::runtime(std::string_view name, double at, std::int64_t thread, std::int64_t correlation) {
  if (contains(name, "StreamWaitEvent")) waits.emplace_back(thread, at);
  if (correlation >= 0 && (contains(name, "Launch") || contains(name, "Memcpy") || contains(name, "Memset")))
    launches[correlation] = {at, thread, contains(name, "Graph")};
}

std::unique_ptr<RecordedSource> source_of(std::vector<RankTrace>& traces, const OpenOptions& options,
                                          const std::string& sizes) {
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
  std::int64_t kernels = 0, impossible = 0, outside = 0, on_hosts = 0, peerless = 0, lost = 0, unplayed = 0;
  double outside_us = 0, whole_us = 0, on_hosts_us = 0;
  const std::string path = traces[0].path;
  const bool comparable = comparable_clocks(traces, info.notes);
  const std::int64_t base_ns = std::ranges::min_element(traces, {}, &RankTrace::base_ns)->base_ns;
  std::map<Rank, Seconds> begins;
  Span all{std::numeric_limits<double>::infinity(), 0};
  double longest = 0;
  Unsized unsized;
  const Callers callers(traces, world);
  std::size_t most_gpus = 0;
  std::vector<Retimed> retimed;
  std::vector<Period> periods;
  for (RankTrace& trace : traces) {
    join_host(trace);
    const Span window = select(trace, options);
    if (auto period = by_wall_clock(trace, window)) periods.push_back(*std::move(period));
    unsized.count(trace);
    most_gpus = std::max(most_gpus, gpus(trace));
    GpuRank rank(*source, trace, callers, window);
    rank.build();
    retimed.insert(retimed.end(), rank.retimed.begin(), rank.retimed.end());
    const double since_us = 1e-3 * static_cast<double>(trace.base_ns - base_ns);
    begins[trace.rank] = Seconds(1e-6 * (since_us + window.begin));
    all.begin = std::min(all.begin, since_us + window.begin);
    all.end = std::max(all.end, since_us + window.end);
    longest = std::max(longest, window.end - window.begin);
    info.recorded_ranks.push_back(trace.rank);
    kernels += static_cast<std::int64_t>(trace.kernels.size());
    impossible += trace.impossible + trace.damaged;
    outside += trace.outside;
    outside_us += trace.outside_us, whole_us += trace.whole_us;
    on_hosts += std::ssize(trace.played_by_hosts);
    for (const HostCall& c : trace.played_by_hosts) on_hosts_us += std::max(c.end - c.begin, 0.0);
    peerless += trace.peerless;
    unplayed += std::ssize(trace.unplayed);
    lost += trace.lost;
    trace = {};
  }
  longest_gap(std::move(periods));
  if (kernels == 0)
    throw InputError(path + ": has no kernels of a GPU; profile CUDA activity, over whole steps");
  if (impossible)
    info.losses.push_back({"kernel", impossible, "without a possible begin and duration, or damaged"});
  if (outside)
    info.losses.push_back({"kernel", outside, "outside the steps that are looked at", 1e-6 * outside_us,
                           outside_us / whole_us});
  if (lost) info.losses.push_back({"event", lost, "lost by the profiler, as it says"});
  if (on_hosts)
    info.losses.push_back(
        {"collective", on_hosts, "of gloo, MPI or UCC, which hosts play: only GPUs are", 1e-6 * on_hosts_us});
  if (unplayed) info.losses.push_back({"call", unplayed, "no kernel was recorded that plays it"});
  if (peerless) info.losses.push_back({"message", peerless, "its peer is not said"});
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
  const bool apart = comparable && begin_as_recorded(*source, begins);
  info.recorded = Seconds(1e-6 * (apart ? all.end - all.begin : longest));
  return source;
}

}  // namespace collcast::gpu
