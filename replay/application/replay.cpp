// SPDX-License-Identifier: Apache-2.0
#include "replay/application/replay.hpp"

#include <algorithm>

#include "replay/application/account.hpp"
#include "replay/application/application.hpp"
#include "replay/application/followed.hpp"
#include "replay/application/stage.hpp"
#include "replay/source/by_node.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// What MPI libraries buffer at least; for platforms that do not say.
const Bytes buffered_sends(65536);

/// Times and tallies by operation name, with the names that only one of the two has.
std::vector<ReplayReport::Operation> operations(const Account& account, const Application& application) {
  std::map<std::string, ReplayReport::Operation> by_name;
  for (const auto& [name, time] : account.times()) by_name[name].time = time / application.ranks();
  for (const auto& [name, tally] : application.collectives().tallies()) {
    ReplayReport::Operation& o = by_name[name];
    o.count = tally.count;
    o.bytes = tally.bytes;
    if (tally.recorded > Seconds()) o.recorded = tally.recorded / application.ranks();
    o.algorithm = text::join(tally.algorithms);
  }
  std::vector<ReplayReport::Operation> all;
  for (auto& [name, o] : by_name) o.name = name, all.push_back(std::move(o));
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

std::vector<Loss> not_modelled(const Source& source, const Application& application) {
  std::vector<Loss> all = source.info().losses;
  for (Loss& loss : application.collectives().skipped()) all.push_back(std::move(loss));
  return all;
}

/// Renames the shares of ranks' own named pauses, which are no collectives.
void tell_own(std::vector<Share>& shares, const Application& application) {
  for (Share& s : shares)
    if (s.cause == Cause::collective && application.operations().is_own(s.name)) s.cause = Cause::compute;
}

/// Adds the calls that ranks had still to make, or were in, when a replay stopped early.
void add_unplayed(std::vector<Loss>& all, const Followed& followed) {
  for (const auto& [operation, calls] : followed.communication())
    if (calls.left > 0)
      all.push_back({operation, calls.left,
                     "of " + std::to_string(calls.all) +
                         " calls of ranks: not played to the end: the trace ends before what they wait for"});
}

/// Sets what limits the time: by the chain of causes, or if the run is too long for that, by what was busy.
void set_limit(ReplayReport& report, const Result& result, const Fabric& fabric,
               const Application& application) {
  const Bottleneck link = bottleneck(result, fabric);
  report.explanation = explanation(fabric, result.chain, {}, report.time, link.name,
                                   application.collectives().limits(), result.links, result.ports);
  tell_own(report.explanation, application);
  if (!report.explanation.empty()) {
    report.limited_by = report.explanation.front().name;
    report.limited_by_share = report.explanation.front().time / report.time;
    return;
  }
  report.limited_by = "latency and waiting";
  if (report.compute >= 0.5 * report.time)
    report.limited_by = "computation";
  else if (link.busy >= 0.5)
    report.limited_by = link.name, report.limited_by_share = link.busy;
  if (report.limited_by == "computation" && report.time.value > 0)
    report.limited_by_share = report.compute / report.time;
}

/// Whether the source is a recording of GPUs; a described job has no file format.
bool is_of_gpus(const SourceInfo& info) {
  return info.memory == Memory::device && !info.format.empty() && info.format != "job";
}

/// Whether the policy is that of the platform's users.
bool takes_usual_policy(const ReplayOptions& options, const Source& source) {
  return options.policy.empty() && options.memory != Memory::host && !source.info().by_mpi;
}

ReplayOptions with_policy(ReplayOptions options, const Source& source, const Description& platform) {
  if (options.policy.empty())
    options.policy = options.memory == Memory::host ? "fastest" : policy_for(source, platform);
  return options;
}

std::vector<int> nodes(const Machine& machine) {
  std::vector<int> all(static_cast<std::size_t>(machine.ranks()));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = machine.node(static_cast<Rank>(r));
  return all;
}

class Replay {
 public:
  Replay(const Source& source, const Description& platform, const ReplayOptions& options)
      : platform_(platform),
        options_(with_policy(options, source, platform)),
        guess_(takes_usual_policy(options, source) ? note_on_usual_policy(platform) : ""),
        nominal_(platform, source, options_),
        by_node_(by_node(source, nodes(nominal_.machine))),
        source_(by_node_ ? *by_node_ : source),
        selection_(platform, nominal_.machine, nominal_.fabric, options_.policy, options_.algorithms) {
    const bool by_dpus = !options_.offloaded.collectives.empty();
    const bool in_blocks = options_.placement.fills_nodes();
    if (by_dpus && !in_blocks) throw InputError("collectives of DPUs are priced in block placement only");
    if ((by_dpus || is_nccl(options_.policy)) && in_blocks)
      prices_.emplace(source_, platform, nominal_.machine, options_.policy, options_.offloaded);
  }

  ReplayReport report() {
    ReplayReport report;
    const Followed followed(source_);
    Application application = on(nominal_, &Prices::Answer::time, followed);
    Account account(application);
    std::vector<Observer*> watching{&account};
    Parts parts(application, nominal_.fabric);
    if (options_.parts) watching.push_back(&parts);
    if (options_.watched)
      watching.push_back(
          options_.watched(nominal_.fabric, [&](const Observer::Interval& i) { return account.name_of(i); }));
    Observers all(std::move(watching));
    const Result result = play(*options_.engine, application, nominal_.fabric, &all);
    check_offloaded();
    report.time = result.time;
    for (const Result::OfRank& rank : result.ranks) {
      report.compute += rank.compute / source_.ranks();
      report.lower_bound = std::max(report.lower_bound, rank.compute);
    }
    report.exposed = report.time - report.compute;
    if (options_.parts) report.parts = parts.of_ranks(report.time);
    report.communication = account.communication() / source_.ranks();
    const Seconds idle = report.time - account.busy() / source_.ranks(), rounded = 1e-9 * report.time;
    report.idle = idle <= rounded ? Seconds() : report.exposed - idle <= rounded ? report.exposed : idle;
    report.operations = operations(account, application);
    report.not_modelled = not_modelled(source_, application);
    report.stopped_short = !result.stopped_short.empty();
    if (report.stopped_short) add_unplayed(report.not_modelled, followed);
    set_limit(report, result, nominal_.fabric, application);
    report.policy = options_.policy;
    report.calibrated = nominal_.machine.calibrated();
    report.recorded = source_.info().recorded;
    add_notes(report, result);
    set_interval(report);
    return report;
  }

  Seconds time(Seconds ReplayReport::*end) {
    if (end == &ReplayReport::low) return at_end(fast(), {});
    if (end == &ReplayReport::high) return at_end(slow(), {});
    return time(*options_.engine, nominal_, &Prices::Answer::time);
  }

 private:
  /// `end`: which end of the prices' intervals to take.
  Application on(const Stage& stage, Seconds Prices::Answer::*end) { return on(stage, end, source_); }
  Application on(const Stage& stage, Seconds Prices::Answer::*end, const Source& source) {
    const bool synchronous = stage.fabric.protocol().eager_limit < Bytes(0);
    Collectives::PriceOf price;
    if (prices_) price = [this, end](const Activity& a) { return priced(a, end); };
    Collectives::LaunchOf launch;
    if (stage.pairs) launch = [&pairs = *stage.pairs](Bytes bytes) { return pairs.launch_of(bytes); };
    return {source,
            selection_,
            {options_.compute_scale, synchronous ? buffered_sends : Bytes(-1), price, launch, true}};
  }

  std::optional<Collectives::Price> priced(const Activity& a, Seconds Prices::Answer::*end) {
    const std::string named =
        a.algorithm.empty() ? selection_.named_by_user(a.collective, a.message) : std::string(a.algorithm);
    const auto answer = prices_->of(a, named);
    if (!answer) return {};
    return Collectives::Price{(*answer).*end, answer->choice.empty() ? named : answer->choice,
                              answer->limited_by, answer->load, answer->between_nodes};
  }

  Result play(const Engine& engine, Application& application, const Fabric& fabric, Observer* observer) {
    PlayOptions play = options_.play;
    play.observer = observer;
    play.may_stop_short = source_.info().truncated;
    play.here = true;
    play.explain = observer != nullptr;
    return engine.play(application, fabric, play);
  }

  Seconds time(const Engine& engine, const Stage& stage, Seconds Prices::Answer::*end) {
    Application application = on(stage, end);
    return play(engine, application, stage.fabric, nullptr).time;
  }

  /// An end of the platform's uncertainty: the description, the prices, and the factor on constants that were
  /// published for other machines.
  struct End {
    Description described;
    Seconds Prices::Answer::*price;
    double published;
  };
  End fast() const {
    return {optimistic(platform_), &Prices::Answer::low, 1 / (1 + uncertainty(Stamp::guess))};
  }
  End slow() const { return {pessimistic(platform_), &Prices::Answer::high, 1 + uncertainty(Stamp::guess)}; }

  /// The time at an end. If the engine is not quick, its nominal time (`middle`, if known) moves in
  /// proportion as that of `path` does.
  Seconds at_end(const End& end, std::optional<Seconds> middle) {
    const Stage stage(end.described, source_, options_, end.published);
    if (options_.engine->quick) return time(*options_.engine, stage, end.price);
    const Engine& path = collcast::engine("path");
    const Seconds played = middle ? *middle : time(&ReplayReport::time);
    if (!centre_) centre_ = time(path, nominal_, &Prices::Answer::time);
    return centre_->value > 0 ? time(path, stage, end.price) / *centre_ * played : played;
  }

  /// Throws InputError if DPUs were asked for and had nothing to do.
  void check_offloaded() const {
    if (options_.offloaded.collectives.empty() || prices_->offloaded() > 0) return;
    const std::vector<std::string> why = prices_->notes("the ranks");
    throw InputError(source_.info().name + ": DPUs can play none of its " +
                     names(options_.offloaded.collectives) + (why.empty() ? "" : ": " + why[0]));
  }

  void set_interval(ReplayReport& report) {
    report.low = report.high = report.time;
    if (!options_.interval) return;
    report.low = std::min(at_end(fast(), report.time), report.time);
    report.high = std::max(at_end(slow(), report.time), report.time);
  }

  void add_notes_of_prices(ReplayReport& report, const std::string& messages, bool sent) const {
    for (std::string& note : prices_->notes(messages)) report.notes.push_back(std::move(note));
    if (!is_nccl(options_.policy) || !prices_->any()) return;
    if (options_.engine->name == "path")
      report.notes.push_back("each collective of " + options_.policy +
                             " takes the time that `predict` forecasts by its default engine");
    else if (sent)
      report.notes.push_back("messages do not share links with the collectives of " + options_.policy +
                             " that are under way, which are single operations");
  }

  void add_notes(ReplayReport& report, const Result& result) const {
    report.notes = source_.info().notes;
    if (!guess_.empty()) report.notes.push_back(guess_);
    if (source_.info().by_node && !by_node_)
      report.notes.push_back(
          text::count(source_.info().by_node) +
          " collectives went node by node, and are flat here, as Horovod's are where nodes "
          "have one rank each, or not equally many");
    if (is_of_gpus(source_.info()) && report.compute > Seconds() && options_.compute_scale == 1)
      report.notes.push_back(
          "computation is as recorded on the traced GPU, whichever GPU the platform has; --compute-scale of "
          "`replay` and `compare` changes it");
    const bool alone = source_.ranks() == 1 && std::ranges::any_of(report.operations, [](const auto& o) {
                         return o.bytes > Bytes();
                       });
    if (alone)
      report.notes.push_back(std::string("one rank talks to nobody; name the files of all") +
                             (source_.info().unscalable.empty() ? ", or --ranks above 1" : ""));
    if (!result.stopped_short.empty())
      report.notes.push_back("the replay ends where the trace does: " + result.stopped_short);
    report.notes.insert(report.notes.end(), selection_.notes().begin(), selection_.notes().end());
    for (const std::string& words : selection_.unused())
      report.notes.push_back("--algorithm " + words + " changes nothing: " + source_.info().name +
                             " has no such collective whose algorithm is chosen");
    const std::string messages = nominal_.nccl ? "ncclSend and ncclRecv" : "the platform's own software";
    if (prices_)
      add_notes_of_prices(report, messages, result.messages > 0);
    else if (is_nccl(options_.policy))
      report.notes.push_back(options_.policy +
                             " chose the algorithms; in this placement they are played as messages of " +
                             messages + ", not by NCCL's kernels");
    constexpr std::int64_t minutes_of_simgrid = 300'000;  // messages: some thousand a second
    if (options_.engine->name == "simgrid" && result.messages > minutes_of_simgrid)
      report.notes.push_back("SimGrid played " + std::to_string(result.messages) +
                             " messages; --engine contention keeps the same rules and is many times faster");
    if (selection_.blocking() && with_blocking_sends(platform_).json() != platform_.json())
      report.notes.push_back("sends that block have an eager limit of their own on " + platform_.name() +
                             "; the replay sends them like all others");
  }

  const Description& platform_;
  const ReplayOptions options_;
  const std::string guess_;  ///< a note, if the policy is one
  Stage nominal_;
  const std::unique_ptr<Source> by_node_;  ///< null: the source has no hierarchical collectives
  const Source& source_;
  Selection selection_;
  std::optional<Seconds> centre_;  ///< time by `path` on the platform as described
  std::optional<Prices> prices_;   ///< if collectives have prices
};

}  // namespace

std::string policy_for(const Source& source, const Description& platform) {
  if (source.info().by_mpi) return "fastest";
  const std::string usual = usual_policy(platform);
  return is_nccl(usual) ? usual : "fastest";
}

std::string computation_of(const SourceInfo& info) {
  if (info.memory == Memory::device) return "recorded GPU time";
  return info.format == "cct" ? "recorded CPU time" : "recorded time of computation";
}

ReplayReport replay(const Source& source, const Description& platform, const ReplayOptions& options) {
  if (!(options.compute_scale >= 0) || options.compute_scale > 1e9)
    throw InputError("--compute-scale takes a number from 0 to 1e9");
  return Replay(source, platform, options).report();
}

Seconds replay_time(const Source& source, const Description& platform, const ReplayOptions& options,
                    Seconds ReplayReport::*end) {
  return Replay(source, platform, options).time(end);
}

}  // namespace collcast
