// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "libraries/transport.hpp"
#include "model/calibration/least_squares.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/description/description.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "validation/calibration/nccl_cases.hpp"
#include "validation/calibration/nccl_links.hpp"
#include "validation/calibration/parameters.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {
namespace {

/// One cost of a protocol, and where the software keeps it.
struct Knob {
  const char* key;
  std::vector<nccl::PerProtocol nccl::Software::*> places;
};
const std::array<Knob, 5> knobs = {
    {{"launch_us", {&nccl::Software::ring_launch, &nccl::Software::tree_launch}},
     {"channel_us", {&nccl::Software::channel}},
     {"hop_us", {&nccl::Software::ring_hop}},
     {"tree_hop_us", {&nccl::Software::tree_hop}},
     {"proxy_us", {&nccl::Software::proxy}}}};
constexpr std::size_t launch_knob = 0;
constexpr std::array<const char*, 3> protocols = {"LL", "LL128", "Simple"};

/// A cost without a published constant is taken to be about this [us].
constexpr double unpublished_us = 1;
/// Published constants of other machines are taken to be right within a factor of three.
const Prior published{1, std::log(3)};
/// The most that two standard deviations of a determined cost may be: a factor of two.
const double most_interval = std::log(2);

struct Cost {
  std::size_t knob, protocol;
  double before;
  std::size_t launch = one_gpu;

  double first(const nccl::Software& s) const { return (s.*knobs[knob].places.front())[protocol]; }
  void set(nccl::Software& s, double us) const {
    for (const auto place : knobs[knob].places) (s.*place)[protocol] = us;
  }
  void set(NcclSoftwares& s, double us) const {
    for (std::size_t by = 0; by < s.size(); ++by)
      if (knob != launch_knob || by == launch) set(s[by], us);
  }
  bool same(const Cost& c) const { return knob == c.knob && protocol == c.protocol && launch == c.launch; }
  std::string parameter() const {
    return std::string("software.nccl.") + protocols[protocol] + "." + knobs[knob].key;
  }
};

/// A cost that tables determine.
struct FittedCost : Cost {
  double us = 0, deviation = 0;  ///< deviation of its logarithm
};

NcclSoftwares with(NcclSoftwares s, const std::vector<FittedCost>& costs) {
  for (const FittedCost& c : costs) c.set(s, c.us);
  return s;
}

template <class AnyCost>
NcclSoftwares with(NcclSoftwares s, const std::vector<AnyCost>& costs, const std::vector<double>& values) {
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i].set(s, values[i]);
  return s;
}

double factor(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e);
  return errors.empty() ? 0 : std::expm1(sum / static_cast<double>(errors.size()));
}

/// How far off the tables are forecast: the mean of them, as a factor.
double off(const std::vector<NcclTable>& tables, double NcclTable::*error = &NcclTable::after) {
  std::vector<double> all;
  for (const NcclTable& t : tables) all.push_back(std::log1p(t.*error));
  return factor(all);
}

const std::string none_determined =
    "the tables determine none of NCCL's costs; tables of one node and of several tell a launch from a hop";

class NcclCalibrator {
 public:
  NcclCalibrator(const Description& base, const std::vector<Measurement>& all, const std::string& policy)
      : base_(base), cases_(base, all, policy), start_(cases_.software()) {
    const auto add_cost = [&](Cost c) {
      c.before = c.first(start_[one_gpu]);
      costs_.push_back(c);
    };
    for (const NcclCase& c : cases_.all()) fitted_to_.push_back(&c);
    for (std::size_t p = 0; p < protocols.size(); ++p) {
      for (std::size_t k = 0; k < knobs.size(); ++k) add_cost({k, p, 0});
      add_cost({launch_knob, p, 0, several_gpus});
    }
  }

  /// How far off the tables are forecast with the base.
  double off_before() const {
    NcclCalibration out;
    tables(out, start_, start_);
    return off(out.tables, &NcclTable::before);
  }

  /// The values are those that forecast best while the other costs stay as published. Their uncertainty comes
  /// from a fit of all costs at once. `doubt`: why large messages are forecast otherwise than measured, if
  /// that is known.
  NcclCalibration run(const std::string& source, const std::string& doubt = "") {
    if (cases_.all().empty())
      throw InputError("there is no size that NCCL plays by rings or trees to calibrate with");
    NcclCalibration out;
    LogFit all = fitted(costs_, start_);
    if (leave_out_bytes(with(start_, costs_, all.values), !doubt.empty())) all = fitted(costs_, start_);
    std::vector<FittedCost> found = determined(all);
    const std::vector<FittedCost> beside = add_beside(found);
    out.noise = fit(found);
    if (!doubt.empty()) out.notes.push_back(doubt);
    const NcclSoftwares now = with(start_, keep_better(found, out));
    tables(out, now, {now[one_gpu], now[one_gpu]});
    if (doubt.empty())
      for (const NcclTable& t : out.tables) check_links(out, t);
    write(found, source, out);
    tell_beside(beside, found, out);
    tell_left_out(found, out);
    tell_undetermined(all, out);
    out.platform["calibrated_on"] = calibrated_on(base_, range(now, source));
    return out;
  }

 private:
  std::vector<double> errors(const NcclSoftwares& s) const {
    std::vector<double> all;
    for (const NcclCase* c : fitted_to_) all.push_back(c->log_error(s));
    return all;
  }

  /// Leaves points that bytes limit out of the fit, in tables whose large messages are forecast otherwise
  /// than measured, if no software costs explain them, or if there is a doubt. Returns whether there is such
  /// a table.
  bool leave_out_bytes(const NcclSoftwares& explaining, bool doubted) {
    const std::size_t before = fitted_to_.size();
    for (const auto& by_table : cases_.by_table()) {
      const auto& table = by_table.second;
      const auto off = [&](const NcclSoftwares& s) { return std::abs(large_error(table, s)) >= unlike; };
      if (!off(start_) || !(doubted || off(explaining))) continue;
      std::erase_if(fitted_to_, [&](const NcclCase* c) {
        return std::ranges::find(table, c) != table.end() && c->play(start_).limited_by != nccl::by_latency;
      });
    }
    return fitted_to_.size() < before;
  }

  template <class AnyCost>
  LogFit fitted(const std::vector<AnyCost>& active, const NcclSoftwares& otherwise) const {
    std::vector<Prior> priors;
    for (const Cost& c : active)
      priors.push_back({c.before > 0 ? c.before : unpublished_us, published.deviation});
    return fit_logs([&](const std::vector<double>& v) { return errors(with(otherwise, active, v)); }, priors);
  }

  /// Whether half of a cost and twice the cost are both unlikely, whatever the other costs of its protocol
  /// are.
  bool is_told(std::size_t i, const LogFit& all) const {
    if (2 * all.deviations[i] > most_interval) return false;
    std::vector<Cost> others;
    for (std::size_t j = 0; j < costs_.size(); ++j)
      if (j != i && costs_[j].protocol == costs_[i].protocol) others.push_back(costs_[j]);
    const auto unlikely = [&](double times) {
      NcclSoftwares held = with(start_, costs_, all.values);
      costs_[i].set(held, times * all.values[i]);
      return fitted(others, held).unlikely;
    };
    constexpr double two_deviations = 2;
    return std::min(unlikely(0.5), unlikely(2)) - unlikely(1) > two_deviations;
  }

  /// The costs that the tables determine, as the fit of all costs has them.
  std::vector<FittedCost> determined(const LogFit& all) const {
    std::vector<FittedCost> found;
    for (std::size_t i = 0; i < costs_.size(); ++i)
      if (is_told(i, all))
        found.push_back({costs_[i], all.values[i], std::hypot(all.deviations[i], between_runs)});
    return found;
  }

  bool has(const std::vector<FittedCost>& found, const Cost& c) const {
    return std::ranges::any_of(found, [&](const Cost& f) { return f.same(c); });
  }

  /// Adds costs that tables tell only if the others stay as they are: a cost that explains far more than any
  /// other of its protocol could instead. Adds the one that explains most first.
  std::vector<FittedCost> add_beside(std::vector<FittedCost>& found) const {
    constexpr double two_deviations = 2;
    std::vector<FittedCost> added;
    while (true) {
      const double now = fitted(found, start_).unlikely;
      std::optional<FittedCost> best;
      double least = now - two_deviations;
      for (std::size_t p = 0; p < protocols.size(); ++p) {
        double first = now, second = now;
        std::optional<FittedCost> of_protocol;
        for (const Cost& c : costs_) {
          if (c.protocol != p || has(found, c)) continue;
          std::vector<FittedCost> more = found;
          more.push_back({c});
          const LogFit fit = fitted(more, start_);
          second = std::min(second, std::max(first, fit.unlikely));
          if (!(fit.unlikely < first)) continue;
          first = fit.unlikely;
          of_protocol = {c, fit.values.back(), std::hypot(fit.deviations.back(), between_runs)};
        }
        if (first > second - two_deviations || !(first < least) || 2 * of_protocol->deviation > most_interval)
          continue;
        least = first, best = of_protocol;
      }
      if (!best) return added;
      found.push_back(*best), added.push_back(*best);
    }
  }

  void tell_beside(const std::vector<FittedCost>& beside, const std::vector<FittedCost>& found,
                   NcclCalibration& out) const {
    std::vector<std::string> names;
    for (const FittedCost& c : beside)
      if (c.launch == one_gpu && has(found, c)) names.push_back(c.parameter());
    if (!names.empty())
      out.notes.push_back("told only beside the other costs as they are: " + text::join(names));
  }

  /// Fits these costs while the others stay as in the base; returns the noise that is left.
  double fit(std::vector<FittedCost>& costs) const {
    const LogFit now = fitted(costs, start_);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i].us = now.values[i];
    return now.noise;
  }

  /// How far off the points of this protocol are forecast.
  double off_of(std::size_t protocol, const NcclSoftwares& s) const {
    std::vector<double> all;
    for (const NcclCase& c : cases_.all())
      if (static_cast<std::size_t>(c.candidate.protocol) == protocol) all.push_back(c.log_error(s));
    return factor(all);
  }

  /// Drops the costs of a protocol whose points would be forecast worse than with the base.
  const std::vector<FittedCost>& keep_better(std::vector<FittedCost>& costs, NcclCalibration& out) const {
    constexpr double rounding = 1e-4;
    for (std::size_t p = 0; p < protocols.size(); ++p) {
      const double before = off_of(p, start_), after = off_of(p, with(start_, costs));
      if (after < before + rounding) continue;
      std::erase_if(costs, [&](const Cost& c) { return c.protocol == p; });
      out.notes.push_back("with fitted costs " + std::string(protocols[p]) + " would be forecast " +
                          text::percent(after) + " off, with those of the base it is " +
                          text::percent(before) + ": these stay");
    }
    return costs;
  }

  void write(const std::vector<FittedCost>& found, const std::string& source, NcclCalibration& out) const {
    for (const Cost& c : costs_)
      if (c.launch == one_gpu) out.costs.push_back({c.parameter(), c.before, {}, {}});
    for (const FittedCost& c : found) {
      if (c.launch == several_gpus) continue;
      NcclCost& cost = *std::ranges::find(out.costs, c.parameter(), &NcclCost::parameter);
      cost.after = c.us, cost.deviation = c.deviation;
      out.platform["software"]["nccl"][protocols[c.protocol]][knobs[c.knob].key] =
          calibrated_within(c.us, cost.low(), cost.high(), source);
    }
    if (!out.platform.empty()) return;
    throw InputError(text::join(out.notes, "; ") + (out.notes.empty() ? "" : "; ") + none_determined);
  }

  void tell_left_out(const std::vector<FittedCost>& found, NcclCalibration& out) const {
    for (const auto& [shape, points] : cases_.left_out())
      out.notes.push_back(std::to_string(points) + (points == 1 ? " point is" : " points are") +
                          " left out, which NCCL plays by " + shape +
                          ": costs are fitted to rings and trees");
    if (std::ranges::none_of(cases_.all(),
                             [](const NcclCase& c) { return launched(*c.measured) == several_gpus; }))
      return;
    std::vector<std::string> theirs;
    for (const FittedCost& c : found)
      if (c.launch == several_gpus) theirs.push_back(c.parameter() + ", " + text::number(c.us) + " us");
    out.notes.push_back(
        "a thread launches several GPUs in tables of -g, one after the other, which is not what one takes: "
        "they do not change the launch" +
        (theirs.empty() ? "" : "; theirs is " + text::join(theirs, ", or ")));
  }

  /// Notes the costs that stay: those that the tables do not tell, and those that no size shows, whose
  /// uncertainty is as before.
  void tell_undetermined(const LogFit& all, NcclCalibration& out) const {
    constexpr std::string_view section = "software.nccl.";
    std::vector<std::string> unseen, untold;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const Cost& c = costs_[i];
      if (c.launch == several_gpus) continue;
      if (std::ranges::find(out.costs, c.parameter(), &NcclCost::parameter)->after) continue;
      const bool seen = all.deviations[i] < 0.999 * published.deviation;
      (seen ? untold : unseen)
          .push_back(c.parameter().substr(section.size()) + " (" + text::number(c.before) + " us)");
    }
    if (!untold.empty())
      out.notes.push_back(
          "software.nccl stays as it was where these tables do not tell a cost to within a factor of two: " +
          text::join(untold) + "; tables of one node and of several tell a launch from a hop");
    if (!unseen.empty())
      out.notes.push_back("software.nccl stays as it was where no size of these tables shows a cost: " +
                          text::join(unseen));
  }

  CalibratedOn range(const NcclSoftwares& now, const std::string& source) const {
    const nccl::KernelSettings sent{nccl::parse(cases_.policy())->release, {}, {}};
    const std::string transport = Transport{Transport::Kind::nccl, sent}.name();
    CalibratedOn on{transport.substr(0, transport.find(':')), source, {}, {}, {}};
    const auto widen = [](CalibratedOn::Range& range, std::int64_t n) {
      range.least = range.least == 0 ? n : std::min(range.least, n), range.most = std::max(range.most, n);
    };
    for (const NcclCase& c : cases_.all()) {
      widen(on.ranks, c.call.ranks);
      widen(on.message, std::max<std::int64_t>(1, std::llround(c.call.message.value)));
    }
    std::set<std::string> collectives;
    std::map<std::tuple<Collective, Rank, int>, std::vector<double>>
        errors;  // errors of one call, over all its runs
    for (const NcclCase& c : cases_.all()) {
      collectives.emplace(definition(c.measured->collective).name);
      errors[{c.measured->collective, c.call.ranks, c.measured->nodes}].push_back(-c.log_error(now));
    }
    on.collectives.assign(collectives.begin(), collectives.end());
    std::vector<std::vector<double>> groups;
    for (auto& [call, all] : errors) groups.push_back(std::move(all));
    set_residuals(on, groups);
    return on;
  }

  void tables(NcclCalibration& out, const NcclSoftwares& fitted, const NcclSoftwares& written) const {
    for (const auto& [key, cases] : cases_.by_table()) {
      const auto& [file, collective, ranks] = key;
      NcclTable table{file, collective, ranks, cases.size(), 0, 0, {}, large_error(cases, fitted)};
      std::vector<double> before, after;
      for (const NcclCase* c : cases) {
        before.push_back(c->log_error(start_)), after.push_back(c->log_error(written));
        table.most = std::max(table.most, c->call.message);
      }
      table.before = factor(before), table.after = factor(after);
      out.tables.push_back(table);
    }
  }

  void check_links(NcclCalibration& out, const NcclTable& t) const {
    constexpr double contradiction = 0.7;
    if (std::abs(t.large_log_error) < unlike) return;
    const std::string words =
        t.file + ": with any software " + base_.name() + " forecasts " + text::bytes(t.most.value) + " " +
        text::percent(std::abs(std::expm1(t.large_log_error))) +
        (t.large_log_error < 0 ? " too fast" : " too slow") + ": its links are not those of the table";
    if (std::abs(t.large_log_error) > contradiction) throw InputError(words);
    out.notes.push_back(words);
  }

  const Description& base_;
  NcclCases cases_;
  NcclSoftwares start_;
  std::vector<const NcclCase*> fitted_to_;
  std::vector<Cost> costs_;
};

void write(const GuessedLink& link, const std::string& source, NcclCalibration& out) {
  std::string pointer = "/" + link.parameter;
  std::ranges::replace(pointer, '.', '/');
  const double runs = std::exp(2 * between_runs);
  out.platform[Json::json_pointer(pointer)] = calibrated_within(
      link.after, std::min(link.low, link.after / runs), std::max(link.high, link.after * runs), source);
  constexpr double far = 1.5;
  const double times = std::exp(std::abs(std::log(link.after / link.before)));
  std::string words = link.parameter + " was a guess, " + text::number(link.before) +
                      " GB/s, with which large messages are not forecast as measured: it becomes " +
                      text::number(link.after) + " GB/s; slower than " + text::number(link.low) +
                      " and faster than " + text::number(link.high) + " explain them worse";
  if (times > far)
    words += ". That is a factor of " + text::number(times) +
             ": before you rely on it, measure the link by itself (p2pBandwidthLatencyTest, ib_write_bw)";
  out.notes.insert(out.notes.begin(), words);
}

NcclCalibration fitted(const Description& base, const std::vector<Measurement>& measurements,
                       const std::string& policy, const std::string& source) {
  const LinkFinding links = find_link(base, measurements, policy);
  NcclCalibrator calibrator(base, measurements, policy);
  std::string told = links.doubt;
  if (links.moved) {
    Description linked = base;
    set(linked, links.moved->parameter + "=" + text::exact(links.moved->after));
    NcclCalibration out = NcclCalibrator(linked, measurements, policy).run(source);
    if (off(out.tables) <= calibrator.off_before()) {
      write(*links.moved, source, out);
      return out;
    }
    told = links.moved->parameter + " of " + text::number(links.moved->after) +
           " GB/s would explain large messages, but the tables as a whole worse: it stays a guess, " +
           text::number(links.moved->before) + " GB/s";
  }
  return calibrator.run(source, told);
}

}  // namespace

double NcclCost::low() const {
  return *after * std::exp(-2 * *deviation);
}
double NcclCost::high() const {
  return *after * std::exp(2 * *deviation);
}

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
  NcclCalibration out = fitted(base, measurements, policy, source);
  if (std::string other = other_release(measurements, policy); !other.empty())
    out.notes.push_back(std::move(other));
  Json head = {{"base", base.file().empty() ? base.name() : base.file()},
               {"description", base.text() + "; NCCL's software calibrated"}};
  head.update(out.platform);
  out.platform = std::move(head);
  return out;
}

}  // namespace collcast
