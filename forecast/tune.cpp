// SPDX-License-Identifier: Apache-2.0
#include "forecast/tune.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <utility>

#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/transport.hpp"
#include "libraries/segments.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Play = Tuned::Play;

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;  ///< beyond, nothing changes

std::string in_words(const tuner::Rule& r) {
  if (!r.shape.empty()) return r.shape + " " + r.protocol + " c=" + std::to_string(r.channels);
  std::string name = r.entry ? std::string(r.entry->theirs) : "";
  if (r.entry && r.entry->radix > 2) name += " k=" + std::to_string(r.entry->radix);
  if (r.segment > 0) name += " segment " + text::bytes(static_cast<double>(r.segment));
  return name;
}

Play played(tuner::Rule rule, const Prediction& p) {
  std::string name = in_words(rule);
  return {std::move(rule), std::move(name), p.time, p.low, p.high, p.engine, p.note};
}

bool same(const tuner::Rule& a, const tuner::Rule& b) {
  return a.tuned == b.tuned && a.entry == b.entry && a.segment == b.segment && a.shape == b.shape &&
         a.protocol == b.protocol && a.channels == b.channels;
}

/// What can be asked of a library on a platform: how long a call takes by itself, and how long when it is
/// told.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Play standard(Collective collective, Bytes size) = 0;
  virtual std::vector<Play> told(Collective collective, Bytes size) = 0;
  /// Why a play that is faster than the default gets no rule all the same; empty: it may get one.
  virtual std::string doubt(Bytes, const Play&) { return {}; }
  /// The rules of the file where nothing is tuned: from size 0 on without a gap, or none if the tuned rules
  /// hold there. Throws InputError.
  virtual std::vector<tuner::Rule> untuned(Collective collective) const {
    return {tuner::Rule{.collective = collective}};
  }
  /// Completes a rule with what else the file states.
  virtual void complete(tuner::Rule&) const {}
  virtual Rank nodes() const = 0;
};

struct Site {
  const Description& platform;
  Rank ranks;
  Placement placement;
  Memory memory;
  const Engine& engine;

  Library library(const std::string& policy) const { return {policy, platform, ranks, placement, memory}; }
  Call call(const Library& l, Bytes size) const {
    Call c{.ranks = ranks, .message = size};
    const Rank node = l.forecaster().ranks_per_node();
    c.ranks_per_node = ranks % node == 0 ? node : 1;
    return c;
  }
};

/// The sizes from `low` + 1 to `high` at which something changes; `alike` tells whether it is the same at two
/// sizes. NCCL's estimates are linear in the size between powers of two, at which its corrections step. So
/// between two powers no algorithm and protocol become the fastest twice.
template <class Alike>
std::vector<std::int64_t> changes(std::int64_t low, std::int64_t high, Alike&& alike) {
  std::vector<std::int64_t> all;
  const auto between = [&](auto&& self, std::int64_t a, std::int64_t b) -> void {
    if (a >= b || alike(a, b)) return;
    if (b - a == 1) return all.push_back(b);
    const std::int64_t middle = a + (b - a) / 2;
    self(self, a, middle), self(self, middle, b);
  };
  for (std::int64_t a = low; a < high;) {
    const std::int64_t power = std::bit_ceil(static_cast<std::uint64_t>(a) + 1);
    const std::int64_t b = std::min(high, power);
    between(between, a, b - 1), between(between, b - 1, b);
    a = b;
  }
  return all;
}

class Nccl : public Subject {
 public:
  Nccl(const Site& site, const std::string& policy)
      : site_(site), base_(*nccl::parse(policy)), own_(site.library(policy)) {
    const int all = base_.all_channels(own_.situation());
    for (const nccl::Shape shape : {nccl::Shape::tree, nccl::Shape::ring})
      for (const nccl::Protocol protocol :
           {nccl::Protocol::ll, nccl::Protocol::ll128, nccl::Protocol::simple})
        for (int channels = all; channels >= 1; channels /= 2) {
          nccl::Policy p = base_;
          p.algo = shape, p.proto = protocol, p.channels = channels;
          variants_.emplace_back(p, site);
        }
  }
  Play standard(Collective collective, Bytes size) override {
    const Call call = site_.call(own_, size);
    const nccl::Candidate chosen = nccl::choose(base_, collective, call, own_.situation());
    Play p = played(rule_of(collective, base_, chosen.shape, chosen.protocol),
                    own_.predict(collective, call, site_.engine).prediction);
    p.own_transport = nccl::has_transport(chosen.shape);
    return p;
  }
  std::vector<Play> told(Collective collective, Bytes size) override {
    std::vector<Play> all;
    const std::vector<nccl::Candidate> able =
        nccl::candidates(base_, collective, site_.call(own_, size), own_.situation());
    for (const Variant& v : variants_) {
      const auto chosen = std::ranges::find_if(able, [&](const nccl::Candidate& c) {
        return c.shape == v.policy.algo && c.protocol == v.policy.proto;
      });
      if (chosen == able.end()) continue;  // NCCL marks it unsupported
      all.push_back(
          played(rule_of(collective, v.policy, chosen->shape, chosen->protocol),
                 v.library.predict(collective, site_.call(v.library, size), site_.engine).prediction));
    }
    return all;
  }
  /// Doubts broadcasts and reduces: in a loop, calls follow each other down the chain, so that by the closed
  /// form a call takes no longer than its slowest place. A single call takes the whole chain.
  std::string doubt(Bytes size, const Play& best) override {
    const Collective collective = best.rule.collective;
    if (collective != Collective::broadcast && collective != Collective::reduce) return {};
    const auto alone = [&](const Library& library) {
      return library.predict(collective, site_.call(library, size), engine("contention")).prediction;
    };
    const auto told = std::ranges::find_if(variants_, [&](const Variant& v) {
      return same(rule_of(collective, v.policy, *v.policy.algo, *v.policy.proto), best.rule);
    });
    const Prediction now = alone(own_), then = alone(told->library);
    if (now.time > then.high) return {};
    return "calls that follow each other would be faster by " + best.name + ", a call alone would take " +
           text::seconds(then.time.value) + " instead of " + text::seconds(now.time.value);
  }
  /// NCCL's own choices by size. They need lines of their own, as a call without a line gets one channel.
  std::vector<tuner::Rule> untuned(Collective collective) const override {
    const auto at = [&](std::int64_t size) {
      const Call call = site_.call(own_, Bytes(static_cast<double>(size)));
      const nccl::Candidate chosen = nccl::choose(base_, collective, call, own_.situation());
      return rule_of(collective, base_, chosen.shape, chosen.protocol);
    };
    std::vector<tuner::Rule> rules{at(1)};
    rules.back().from = 0;
    for (const std::int64_t size :
         changes(1, most_bytes, [&](auto a, auto b) { return same(at(a), at(b)); })) {
      rules.back().to = size - 1;
      rules.push_back(at(size));
      rules.back().from = size;
    }
    return rules;
  }
  void complete(tuner::Rule& r) const override {
    const auto asked = nccl::parse(base_.release.text() + ":channels=" + std::to_string(r.channels) +
                                   ",algo=" + r.shape + ",proto=" + r.protocol);
    const auto at = [&](std::int64_t size) {
      const Call call = site_.call(own_, Bytes(static_cast<double>(size)));
      return nccl::channels(*asked, call, own_.situation(), *asked->algo, *asked->proto);
    };
    const std::int64_t last = std::min(r.to, most_bytes);
    r.steps = {{r.from, at(std::max<std::int64_t>(r.from, 1))}};
    for (const std::int64_t size :
         changes(std::min(r.from, last), last, [&](auto a, auto b) { return at(a) == at(b); }))
      r.steps.push_back({size, at(size)});
  }
  Rank nodes() const override { return own_.situation().nodes; }

 private:
  struct Variant {
    nccl::Policy policy;
    Library library;
    Variant(const nccl::Policy& p, const Site& site) : policy(p), library(site.library(p.text())) {}
  };
  tuner::Rule rule_of(Collective collective, const nccl::Policy& policy, nccl::Shape shape,
                      nccl::Protocol protocol) const {
    tuner::Rule r{.collective = collective};
    r.shape = nccl::name(shape), r.protocol = nccl::name(protocol);
    r.channels = policy.all_channels(own_.situation());
    return r;
  }

  Site site_;
  nccl::Policy base_;
  Library own_;
  std::deque<Variant> variants_;
};

class Mpi : public Subject {
 public:
  Mpi(const Site& site, const std::string& policy, const tuner::Format& format)
      : site_(site),
        knows_(!policy.empty()),
        own_(site.library(knows_ ? policy : "openmpi-4.1")),
        entries_(format.entries),
        covers_all_sizes_(format.covers_all_sizes) {}

  Play standard(Collective collective, Bytes size) override {
    if (!knows_) throw InputError("what the library does by default is not known");
    const Library::Forecast f = own_.predict(collective, site_.call(own_, size), site_.engine);
    tuner::Rule rule{.collective = collective, .entry = entry_of(f.choice)};
    Play p = played(std::move(rule), f.prediction);
    if (p.name.empty()) p.name = f.choice.algorithm->name;
    return p;
  }
  std::vector<Play> told(Collective collective, Bytes size) override {
    std::vector<Play> all;
    for (const tuner::Entry& e : entries_) {
      if (e.collective != collective) continue;
      const Algorithm& a = algorithm(collective, e.ours);
      if (!a.supports(site_.ranks)) continue;
      for (const std::int64_t segment : segments(e, size)) all.push_back(price(a, e, size, segment));
    }
    return all;
  }
  std::vector<tuner::Rule> untuned(Collective collective) const override {
    return covers_all_sizes_ ? std::vector<tuner::Rule>() : Subject::untuned(collective);
  }
  Rank nodes() const override { return occupancy(own_.forecaster().machine()).nodes; }

 private:
  /// Segments to try, in bytes; 0: the message as a whole.
  static std::vector<std::int64_t> segments(const tuner::Entry& e, Bytes size) {
    std::vector<std::int64_t> all{0};
    for (std::int64_t s = 4096; e.segments && s <= 1 << 20 && static_cast<double>(s) < size.value; s *= 2)
      all.push_back(s);
    return all;
  }
  int radix(const tuner::Entry& e) const { return e.radix == tuner::all_ranks ? site_.ranks : e.radix; }
  const tuner::Entry* entry_of(const Choice& choice) const {
    for (const tuner::Entry& e : entries_)
      if (e.collective == choice.algorithm->collective &&
          algorithm_of(e, choice.staged) == choice.algorithm &&
          (e.radix == 0 || !choice.algorithm->radix || radix(e) == choice.call.radix))
        return &e;
    return nullptr;
  }
  static const Algorithm* algorithm_of(const tuner::Entry& e, bool staged) {
    const Algorithm& a = algorithm(e.collective, e.ours);
    return staged ? &in_host_memory(a) : &a;
  }
  Play price(const Algorithm& a, const tuner::Entry& e, Bytes size, std::int64_t segment) {
    Choice choice{&a, site_.call(own_, size)};
    choice.staged = knows_ && own_.stages(a.collective, choice.call);
    choice.algorithm = algorithm_of(e, choice.staged);
    if (e.radix != 0) choice.call.radix = radix(e);
    const Bytes cut = segment > 0 ? Bytes(static_cast<double>(segment)) : size;
    choice.call = segmented(own_.forecaster().fabric(), a, choice.call, cut);
    choice.blocking = !e.started;
    tuner::Rule rule{.collective = a.collective, .entry = &e, .segment = segment};
    return played(std::move(rule), own_.predict(choice, site_.engine));
  }

  Site site_;
  bool knows_;
  Library own_;
  std::span<const tuner::Entry> entries_;
  bool covers_all_sizes_;
};

/// Adds rules from size 0 on without a gap: those of tuned points, and between and around them `untuned`
/// ones.
void add_rules(tuner::Tuning& tuning, const std::vector<Tuned::Point>& points,
               const std::vector<tuner::Rule>& untuned) {
  std::vector<tuner::Rule> rules;
  std::int64_t next = 0;
  const auto append = [&](tuner::Rule rule, std::int64_t to) {
    if (to < next) return;
    if (rules.empty() || !same(rules.back(), rule)) {
      rule.from = next;
      rules.push_back(std::move(rule));
    }
    rules.back().to = to;
    if (to != tuner::no_end) next = to + 1;
  };
  const auto leave = [&](std::int64_t to) {
    for (const tuner::Rule& r : untuned) append(r, std::min(r.to, to));
  };
  const auto size = [&](std::size_t i) { return std::max(1.0, points[i].size.value); };
  leave(std::llround(points[0].size.value) - 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::int64_t to = std::llround(points[i].size.value);
    if (i + 1 < points.size())
      to = std::max<std::int64_t>(to, std::llround(std::sqrt(size(i) * size(i + 1))) - 1);
    tuner::Rule rule = points[i].best.rule;
    rule.tuned = true;
    points[i].told ? append(std::move(rule), to) : leave(to);
  }
  leave(tuner::no_end);
  if (untuned.empty()) rules.back().to = tuner::no_end;
  std::ranges::move(rules, std::back_inserter(tuning.rules));
}

std::unique_ptr<Subject> subject(const tuner::Format& format, const Site& site, const std::string& policy) {
  if (format.entries.empty()) return std::make_unique<Nccl>(site, policy);
  return std::make_unique<Mpi>(site, policy, format);
}

/// The library's own policy, in the release that was asked for.
std::string policy_of(const TuneQuestion& q, const tuner::Format& format) {
  if (q.policy.empty()) return std::string(format.policy);
  check_policy(q.policy);
  const std::string family(format.policy.substr(0, format.policy.find('-')));
  if (q.policy.starts_with("rccl") && family == "nccl")
    throw InputError("policy '" + q.policy + "' is of RCCL, for which tune has no file");
  if (family.empty() || !q.policy.starts_with(family))
    throw InputError("policy '" + q.policy + "' is not one of " + std::string(format.name) + "'s own");
  if (const auto asked = nccl::parse(q.policy), first = nccl::parse(format.policy);
      asked && asked->release < first->release)
    throw InputError("policy '" + q.policy + "' reads no such file; the first that does is " +
                     std::string(format.policy));
  return q.policy;
}

std::vector<Collective> collectives_of(const TuneQuestion& q, const tuner::Format& format) {
  const std::vector<Collective> able = collectives(format);
  if (q.collectives.empty()) return able;
  std::vector<Collective> asked;
  for (const std::string& name : q.collectives) {
    const Collective collective = definition(name).collective;
    if (std::ranges::find(able, collective) == able.end())
      throw InputError(std::string(format.name) + " cannot be told how to play " + name);
    if (std::ranges::find(asked, collective) == asked.end()) asked.push_back(collective);
  }
  return asked;
}

Tuned::Point point(Subject& subject, Collective collective, Bytes size) {
  Tuned::Point p{.collective = collective, .size = size};
  try {
    p.standard = subject.standard(collective, size);
  } catch (const InputError& e) {
    p.unknown = e.what();
  }
  const std::string hint = "; --collective says which are tuned";
  try {
    p.choices = subject.told(collective, size);
  } catch (const InputError& e) {
    throw InputError(e.what() + hint);
  }
  if (p.choices.empty())
    throw InputError("the library cannot be told any algorithm for " +
                     std::string(definition(collective).name) + " here" + hint);
  p.best = *std::ranges::min_element(p.choices, {}, &Play::time);
  if (!p.standard) return p;
  if (!p.standard->own_transport)
    p.unknown = p.standard->name + " is not timed over the library's own transport";
  else if (p.standard->time > p.best.high)
    p.doubt = subject.doubt(size, p.best), p.told = p.doubt.empty();
  constexpr double rounding = 1 + 1e-9;
  if (p.unknown.empty() && p.standard->time <= rounding * p.best.time) p.best = *p.standard;
  return p;
}

/// Adds what a point has to say besides its times.
void tell(Tuned& tuned, Collective collective, Bytes size, const Tuned::Point& p) {
  const auto note = [&tuned](std::string words) { add_once(tuned.notes, std::move(words)); };
  const auto kept = [&](const std::string& why) {
    if (!why.empty())
      note("the default of " + std::string(definition(collective).name) + " at " + text::bytes(size.value) +
           " is kept: " + why);
  };
  if (!tuned.policy.empty()) kept(p.unknown);
  kept(p.doubt);
  if (p.standard && !p.standard->note.empty()) note(std::string(p.standard->note));
  for (const Play& a : p.choices)
    if (!a.note.empty()) note(std::string(a.note));
}

}  // namespace

Tuned tune(const TuneQuestion& q, const Watch& watch) {
  const InterruptedBy user(watch.interrupt);
  const tuner::Format& format = tuner::format(q.library);
  if (q.ranks < 2) throw InputError("tune needs 2 ranks or more");
  if (q.sizes.empty() || !std::ranges::is_sorted(q.sizes))
    throw InputError("tune needs --size in ascending order");
  Description platform = load_platform(q.platform);
  set_all(platform, q.set);
  const bool devices = format.entries.empty();
  const Site site{platform, q.ranks, parse_placement(q.placement),
                  q.memory.value_or(devices ? Memory::device : Memory::host), engine(q.engine)};
  Tuned tuned{
      .platform = platform.name(), .policy = policy_of(q, format), .notes = notes_on_settings(platform)};
  const auto note = [&tuned](std::string words) { add_once(tuned.notes, std::move(words)); };
  check_memory(tuned.policy, site.memory);
  const auto asked = subject(format, site, tuned.policy);
  tuned.tuning.ranks = q.ranks;
  tuned.tuning.nodes = asked->nodes();
  const std::vector<Collective> compared = collectives_of(q, format);
  for (const Collective collective : compared) {
    std::vector<Tuned::Point> points;
    for (const Bytes size : q.sizes) {
      watch.progress("tuning " + std::string(definition(collective).name) + ", " + text::bytes(size.value));
      end_if_interrupted();
      points.push_back(point(*asked, collective, size));
      if (tuned.policy.empty()) points.back().told = true;
      tell(tuned, collective, size, points.back());
    }
    add_rules(tuned.tuning, points, asked->untuned(collective));
    std::ranges::move(points, std::back_inserter(tuned.points));
  }
  // NCCL's plug-in gives a call without a line one channel, so the other collectives get lines with their
  // defaults.
  for (const Collective collective : collectives(format)) {
    if (!devices || std::ranges::find(compared, collective) != compared.end()) continue;
    try {
      std::ranges::move(asked->untuned(collective), std::back_inserter(tuned.tuning.rules));
    } catch (const InputError& e) {
      note(std::string(definition(collective).name) +
           " has no line, so NCCL gives it one channel: " + e.what());
    }
  }
  for (tuner::Rule& r : tuned.tuning.rules) asked->complete(r);
  if (tuned.policy.empty())
    note("what " + std::string(format.name) +
         " does by default is unknown to collcast: the file holds the fastest that it can be told");
  for (const tuner::Entry& e : format.entries)
    if (tuned.policy.empty() && std::ranges::find(compared, e.collective) != compared.end() &&
        !algorithm(e.collective, e.ours).supports(q.ranks))
      note(std::string(format.name) + "'s " + std::string(e.theirs) + " of " +
           std::string(definition(e.collective).name) + " is not played on " +
           text::counted(q.ranks, "rank") + ": it was not compared, and may be faster");
  return tuned;
}

}  // namespace collcast
