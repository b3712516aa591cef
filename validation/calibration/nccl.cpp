// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "libraries/nccl/transport.hpp"
#include "libraries/situation.hpp"
#include "libraries/transport.hpp"
#include "model/calibration/least_squares.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/description/description.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "validation/calibration/parameters.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {
namespace {

/// One cost of one protocol, wherever the software has it.
struct Knob {
  const char* key;
  std::vector<nccl::PerProtocol nccl::Software::*> places;
};
const std::array<Knob, 4> knobs = {
    {{"launch_us", {&nccl::Software::ring_launch, &nccl::Software::tree_launch}},
     {"channel_us", {&nccl::Software::channel}},
     {"hop_us", {&nccl::Software::ring_hop}},
     {"proxy_us", {&nccl::Software::proxy}}}};
constexpr std::size_t launch_knob = 0;
constexpr std::array<const char*, 3> protocols = {"LL", "LL128", "Simple"};

/// What no constant was published of is taken to be about this much [us].
constexpr double unpublished_us = 1;
/// Published constants of other machines are good to a factor of three.
const Prior published{1, std::log(3)};
/// A table determines a cost that it says to within a factor of two.
const double most_deviation = std::log(2);

/// A thread that launches several GPUs (-g) does so one after the other, and the last holds up all: its
/// launch is fitted, and is not a platform's.
enum : std::size_t { of_one, of_several };
using Softwares = std::array<nccl::Software, 2>;  ///< by what a thread launches

std::size_t launched(const Measurement& m) {
  return m.gpus_a_thread > 1 ? of_several : of_one;
}

struct Cost {
  std::size_t knob, protocol;
  double before;
  std::size_t launch = of_one;

  double first(const nccl::Software& s) const { return (s.*knobs[knob].places.front())[protocol]; }
  void set(nccl::Software& s, double us) const {
    for (const auto place : knobs[knob].places) (s.*place)[protocol] = us;
  }
  void set(Softwares& s, double us) const {
    for (std::size_t by = 0; by < s.size(); ++by)
      if (knob != launch_knob || by == launch) set(s[by], us);
  }
  std::string parameter() const {
    return std::string("software.nccl.") + protocols[protocol] + "." + knobs[knob].key;
  }
};

/// A measured call, ready to be played again and again.
struct Case {
  const Measurement* measured;
  nccl::Policy policy;
  Call call;
  const Situation* situation;
  nccl::Candidate candidate;

  double log_error(const Softwares& software) const {
    const nccl::Play p =
        nccl::play(policy, measured->collective, call, *situation, candidate, software[launched(*measured)]);
    return std::log(p.time / measured->time);
  }
};

/// What was published, and in its place what the platform says.
nccl::Software software_on(const Blueprint& b, int minor, const Situation& s) {
  nccl::Software software = nccl::published_software(minor, s);
  for (std::size_t p = 0; p < protocols.size(); ++p) {
    const Blueprint::NcclCosts& costs = b.nccl[p];
    const std::optional<Parameter> of[] = {costs.launch, costs.channel, costs.hop, costs.proxy};
    for (std::size_t k = 0; k < knobs.size(); ++k)
      if (of[k]) Cost{k, p, 0}.set(software, of[k]->value);
    if (costs.tree_hop) software.tree_hop[p] = costs.tree_hop->value;
  }
  return software;
}

double factor(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e);
  return errors.empty() ? 0 : std::expm1(sum / static_cast<double>(errors.size()));
}

/// Large messages are the links': where software does not explain them by this much, the base is wrong.
constexpr double unlike = 0.1;

/// Whether a message is a large one of a table whose largest has `most` bytes.
bool is_large(Bytes message, Bytes most) {
  return message >= 0.25 * most && most >= Bytes(1 << 22);
}

class NcclCalibrator {
 public:
  NcclCalibrator(const Description& base, const std::vector<Measurement>& all, std::string policy)
      : base_(base), policy_(std::move(policy)) {
    if (!nccl::parse(policy_))
      throw InputError(
          "nccl-tests tables calibrate NCCL's software: --policy nccl-2.18, or the release that ran, not '" +
          policy_ + "'");
    for (const Measurement& m : all) add(m);
    const Situation& first = situations_.begin()->second;
    start_.fill(software_on(read_blueprint(base), nccl::parse(policy_)->minor.minor, first));
    const auto add_cost = [&](Cost c) {
      c.before = c.first(start_[of_one]);
      costs_.push_back(c);
    };
    for (std::size_t p = 0; p < protocols.size(); ++p) {
      for (std::size_t k = 0; k < knobs.size(); ++k) add_cost({k, p, 0});
      add_cost({launch_knob, p, 0, of_several});
    }
  }

  /// How far off large messages are, with the base's software: the mean over the tables.
  double large_off() const {
    NcclCalibration out;
    tables(out, start_, start_);
    double sum = 0;
    for (const NcclTable& t : out.tables) sum += std::abs(t.large) / static_cast<double>(out.tables.size());
    return sum;
  }

  /// The values are those that forecast best beside what stays as published; how far they may be off is told
  /// by a fit in which nothing is taken to be known.
  NcclCalibration run(const std::string& source) {
    if (cases_.empty())
      throw InputError("there is no size that NCCL plays by rings or trees to calibrate with");
    const LogFit all = fitted(costs_);
    std::vector<Cost> determined;
    std::vector<double> deviations;
    for (std::size_t i = 0; i < costs_.size(); ++i)
      if (all.deviations[i] <= most_deviation) {
        determined.push_back(costs_[i]);
        deviations.push_back(all.deviations[i]);
      }
    LogFit fit = fitted(determined);
    fit.deviations = deviations;
    return answer(determined, fit, source);
  }

 private:
  void add(const Measurement& m) {
    const std::string told =
        m.settings.empty() ? policy_
                           : policy_ + (policy_.find(':') == std::string::npos ? ":" : ",") + m.settings;
    auto [at, fresh] = situations_.try_emplace({told, m.ranks, m.nodes});
    if (fresh)
      at->second = m.nodes > 0 ? situation(base_, {m.nodes, (m.ranks + m.nodes - 1) / m.nodes}, told)
                               : situation(base_, m.ranks, told);
    const nccl::Policy policy = *nccl::parse(told);
    const Call call{.ranks = m.ranks, .message = m.message};
    const nccl::Candidate chosen = nccl::choose(policy, m.collective, call, at->second);
    if (nccl::has_transport(chosen.shape))
      cases_.push_back({&m, policy, call, &at->second, chosen});
    else
      ++left_out_[std::string(nccl::name(chosen.shape))];
  }

  Softwares software(const std::vector<Cost>& active, const std::vector<double>& values) const {
    Softwares s = start_;
    for (std::size_t i = 0; i < active.size(); ++i) active[i].set(s, values[i]);
    return s;
  }
  std::vector<double> errors(const Softwares& s) const {
    std::vector<double> all;
    for (const Case& c : cases_) all.push_back(c.log_error(s));
    return all;
  }

  LogFit fitted(const std::vector<Cost>& active) const {
    std::vector<Prior> priors;
    for (const Cost& c : active)
      priors.push_back({c.before > 0 ? c.before : unpublished_us, published.deviation});
    return fit_logs([&](const std::vector<double>& v) { return errors(software(active, v)); }, priors);
  }

  NcclCalibration answer(const std::vector<Cost>& active, const LogFit& fit,
                         const std::string& source) const {
    NcclCalibration out;
    out.noise = fit.noise;
    for (const Cost& c : costs_)
      if (c.launch == of_one) out.costs.push_back({c.parameter(), c.before, {}, {}});
    Json& section = out.platform["software"]["nccl"];
    std::vector<std::string> of_threads;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const Cost& c = active[i];
      if (c.launch == of_several) {
        of_threads.push_back(c.parameter() + ", " + text::number(fit.values[i]) + " us");
        continue;
      }
      NcclCost& cost = *std::ranges::find(out.costs, c.parameter(), &NcclCost::parameter);
      cost.after = fit.values[i], cost.deviation = fit.deviations[i];
      section[protocols[c.protocol]][knobs[c.knob].key] =
          calibrated(fit.values[i], fit.values[i] * std::expm1(fit.deviations[i]), source);
    }
    if (section.empty()) throw InputError("the tables determine none of NCCL's costs");
    for (const auto& [shape, points] : left_out_)
      out.notes.push_back(std::to_string(points) + (points == 1 ? " point is" : " points are") +
                          " left out, which NCCL plays by " + shape +
                          ": costs are fitted to rings and trees");
    if (std::ranges::any_of(cases_, [](const Case& c) { return launched(*c.measured) == of_several; }))
      out.notes.push_back(
          "a thread launches several GPUs in tables of -g, one after the other, which is not what one takes: "
          "they do not change the launch" +
          (of_threads.empty() ? "" : "; theirs is " + text::join(of_threads, ", or ")));
    const Softwares fitted = software(active, fit.values);
    tables(out, fitted, {fitted[of_one], fitted[of_one]});
    for (const NcclTable& t : out.tables) check_links(out, t);
    out.platform["calibrated_on"] = calibrated_on(base_, range(fitted, source));
    return out;
  }

  using Table = std::tuple<std::string, Collective, Rank>;
  std::map<Table, std::vector<const Case*>> by_table() const {
    std::map<Table, std::vector<const Case*>> groups;
    for (const Case& c : cases_)
      groups[{c.measured->file, c.measured->collective, c.measured->ranks}].push_back(&c);
    return groups;
  }

  CalibratedOn range(const Softwares& now, const std::string& source) const {
    const nccl::KernelSettings sent{nccl::parse(policy_)->minor, {}, {}};
    const std::string transport = Transport{Transport::Kind::nccl, sent}.name();
    CalibratedOn on{transport.substr(0, transport.find(':')), source, {}, {}, {}};
    const auto widen = [](CalibratedOn::Range& range, std::int64_t n) {
      range.least = range.least == 0 ? n : std::min(range.least, n), range.most = std::max(range.most, n);
    };
    for (const Case& c : cases_) {
      widen(on.ranks, c.call.ranks);
      widen(on.message, std::max<std::int64_t>(1, std::llround(c.call.message.value)));
    }
    std::set<std::string> collectives;
    std::map<std::tuple<Collective, Rank, int>, std::vector<double>>
        errors;  // of one call, however many runs
    for (const Case& c : cases_) {
      collectives.emplace(definition(c.measured->collective).name);
      errors[{c.measured->collective, c.call.ranks, c.measured->nodes}].push_back(-c.log_error(now));
    }
    on.collectives.assign(collectives.begin(), collectives.end());
    std::vector<std::vector<double>> groups;
    for (auto& [call, all] : errors) groups.push_back(std::move(all));
    set_residuals(on, groups);
    return on;
  }

  void tables(NcclCalibration& out, const Softwares& fitted, const Softwares& written) const {
    for (const auto& [key, cases] : by_table()) {
      const auto& [file, collective, ranks] = key;
      NcclTable table{file, collective, ranks, cases.size(), 0, 0, {}, 0};
      std::vector<double> before, after, large;
      Bytes most;
      for (const Case* c : cases) most = std::max(most, c->call.message);
      for (const Case* c : cases) {
        before.push_back(c->log_error(start_)), after.push_back(c->log_error(written));
        if (is_large(c->call.message, most)) large.push_back(c->log_error(fitted));
      }
      table.before = factor(before), table.after = factor(after);
      if (!large.empty())
        table.large = std::accumulate(large.begin(), large.end(), 0.0) / static_cast<double>(large.size());
      table.most = most;
      out.tables.push_back(table);
    }
  }

  void check_links(NcclCalibration& out, const NcclTable& t) const {
    constexpr double contradiction = 0.7;
    if (std::abs(t.large) < unlike) return;
    const std::string words = t.file + ": with any software " + base_.name() + " forecasts " +
                              text::bytes(t.most.value) + " " + text::percent(std::abs(std::expm1(t.large))) +
                              (t.large < 0 ? " too fast" : " too slow") +
                              ": its links are not those of the table";
    if (std::abs(t.large) > contradiction) throw InputError(words);
    out.notes.push_back(words);
  }

  const Description& base_;
  std::string policy_;
  std::map<std::tuple<std::string, Rank, Rank>, Situation> situations_;
  std::vector<Case> cases_;
  std::map<std::string, int> left_out_;  ///< points by the shape that plays them
  Softwares start_;
  std::vector<Cost> costs_;
};

/// A link whose bandwidth is a guess, and what the large messages make of it.
struct GuessedLink {
  std::string parameter;
  double before = 0, low = 0, high = 0;  ///< of what explains them best, as NCCL takes links in steps
  double off = 0;
  double after() const { return std::sqrt(low * high); }
  double change() const { return std::abs(std::log(after() / before)); }
};

/// The large ones of each table: what links alone explain.
std::vector<Measurement> large_ones(const std::vector<Measurement>& all) {
  std::map<std::tuple<std::string, Collective, Rank>, Bytes> most;
  for (const Measurement& m : all) {
    Bytes& of_table = most[{m.file, m.collective, m.ranks}];
    of_table = std::max(of_table, m.message);
  }
  std::vector<Measurement> large;
  for (const Measurement& m : all)
    if (is_large(m.message, most.at({m.file, m.collective, m.ranks}))) large.push_back(m);
  return large;
}

/// The bandwidth, from a quarter to four times what it is, with which large messages are forecast best.
GuessedLink searched(const Description& base, const Parameter& guess, const std::vector<Measurement>& large,
                     const std::string& policy) {
  GuessedLink best{guess.path, guess.value, 0, 0, std::numeric_limits<double>::infinity()};
  for (int sixteenth = -32; sixteenth <= 32; ++sixteenth) {
    const double value = guess.value * std::exp2(sixteenth / 16.0);
    Description changed = base;
    set(changed, guess.path + "=" + text::exact(value));
    const double off = NcclCalibrator(changed, large, policy).large_off();
    if (off < best.off - 1e-9) best.low = value, best.off = off;
    if (off < best.off + 1e-9) best.high = value;
  }
  return best;
}

/// The guess to which the tables' large messages point, if the base's links are not theirs and one of them
/// explains it; of several, the one that has to change least.
std::optional<GuessedLink> guessed_link(const Description& base, const std::vector<Measurement>& all,
                                        const std::string& policy) {
  const std::vector<Measurement> large = large_ones(all);
  if (large.empty() || NcclCalibrator(base, large, policy).large_off() < unlike) return {};
  std::optional<GuessedLink> best;
  for (const Parameter& p : base.parameters()) {
    if (p.stamp != Stamp::guess || !p.path.ends_with("bandwidth_GBps") || p.path.starts_with("devices."))
      continue;
    const GuessedLink link = searched(base, p, large, policy);
    if (link.off < unlike && (!best || link.change() < best->change())) best = link;
  }
  return best;
}

}  // namespace

NcclCalibration calibrate_nccl(const Description& base, const std::vector<Measurement>& measurements,
                               const std::string& policy, const std::string& source) {
  reject_waiting(measurements);
  for (const Measurement& m : measurements) {
    if (m.timing != Timing::collective || m.library.find("nccl-tests") == std::string::npos)
      throw InputError(m.source() + ": is not a table of nccl-tests");
    if (m.sockets > 0)
      throw InputError(m.file + ": sockets=: ranks are taken to fill a node slot by slot here; leave it out");
  }
  if (measurements.empty()) throw InputError("there is no measurement to calibrate with");
  const auto link = guessed_link(base, measurements, policy);
  Description linked = base;
  if (link) set(linked, link->parameter + "=" + text::exact(link->after()));
  NcclCalibration out = NcclCalibrator(linked, measurements, policy).run(source);
  if (link) {
    Json value = calibrated_rate(link->after(), 0, source);
    value["low"] = std::min(link->low, value["low"].get<double>());
    value["high"] = std::max(link->high, value["high"].get<double>());
    std::string pointer = "/" + link->parameter;
    std::ranges::replace(pointer, '.', '/');
    out.platform[Json::json_pointer(pointer)] = std::move(value);
    out.notes.insert(out.notes.begin(),
                     link->parameter + " was a guess, " + text::number(link->before) +
                         " GB/s, with which large messages are not forecast as measured: it becomes " +
                         text::number(link->after()) + " GB/s, of " + text::number(link->low) + " to " +
                         text::number(link->high) + " that explain them alike");
  }
  Json head = {{"base", base.file().empty() ? base.name() : base.file()},
               {"description", base.text() + "; NCCL's software calibrated"}};
  head.update(out.platform);
  out.platform = std::move(head);
  for (const NcclCost& c : out.costs)
    if (!c.after)
      out.notes.push_back(c.parameter + " is not determined by these tables: it stays as published, " +
                          text::number(c.before) + " us");
  return out;
}

}  // namespace collcast
