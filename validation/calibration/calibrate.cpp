// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "validation/calibration/concurrent_messages.hpp"
#include "validation/calibration/hardware.hpp"
#include "validation/calibration/parameters.hpp"
#include "validation/calibration/rising.hpp"

namespace collcast {
namespace {

Samples samples(const std::vector<Measurement>& table) {
  Samples all;
  for (const Measurement& m : table) all.push_back({m.message, m.time, m.rounding});
  return all;
}

std::vector<std::string> files_of(const PathMeasurements& tables) {
  std::set<std::string> files;
  for (const auto* table :
       {&tables.latency, &tables.messages, &tables.more_pairs, &tables.both_ways, &tables.stars})
    for (const Measurement& m : *table) files.insert(m.file);
  return {files.begin(), files.end()};
}

/// The part of a description that a parameter's path names; made if it is missing.
Json& part_at(Json& json, const std::string& path) {
  Json* at = &json;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) at = &(*at)[key];
  return *at;
}

/// Two ranks of a platform, at the ends of a path, to ask for times.
class PathMachine {
 public:
  PathMachine(const Description& platform, const Path& path)
      : ends_(ends_of(platform, path)), machine_(platform, ends_.ranks) {}
  Wire wire(Bytes message) const { return machine_.wire(ends_.from, ends_.to, message); }

  Seconds time(const Measurement& m) const {
    if (m.timing == Timing::latency) return half_round_trip(wire(m.message), m.message);
    return windowed(wire(m.message), wire(Bytes(4)), m.message, m.window);
  }

 private:
  PathEnds ends_;
  Machine machine_;
};

std::optional<double> mean_error(const PathMachine& machine, const std::vector<Measurement>& table) {
  if (table.empty()) return std::nullopt;
  double sum = 0;
  for (const Measurement& m : table) sum += std::abs(machine.time(m) / m.time - 1);
  return sum / static_cast<double>(table.size());
}

class Calibrator {
 public:
  Calibrator(const Description& base, const std::map<std::string, std::string>& dates)
      : base_(base), dates_(dates), json_(base.json()) {}

  Calibration run(const SortedMeasurements& sorted, const PiecewiseOptions& options) {
    require_calibratable(base_);
    out_.notes = sorted.notes;
    fit(sorted, options);
    set_copies(sorted.copies);
    set_shared_bandwidth(sorted);
    for (PathReport& report : out_.paths) {
      fit_together(report, sorted.paths.at(report.path));
      raise_links(report, sorted.paths.at(report.path));
      tell_pace(report);
      set_latency(report);
    }
    if (out_.paths.empty() && out_.hardware.empty())
      throw InputError(base_.name() +
                       ": the tables say nothing that calibrates it: " + text::join(out_.notes, "; "));
    for (PathReport& report : out_.paths) fit_to_links(report, sorted.paths.at(report.path), options);
    set_software();
    for (PathReport& report : out_.paths) {
      const PathMachine machine(now(), report.path);
      const PathMeasurements& tables = sorted.paths.at(report.path);
      report.latency_error = mean_error(machine, tables.latency);
      report.message_error = mean_error(machine, tables.messages);
      tell_unexplained(report, report.latency_error, "half round trips");
      tell_unexplained(report, report.message_error, "windows");
      if (report.star_fit) tell_unexplained(report, report.star_fit->mean_residual, "messages at once");
    }
    write();
    return std::move(out_);
  }

 private:
  std::string source(const std::vector<std::string>& files) const {
    return text::join(files, ", ", [&](const std::string& file) {
      const auto date = dates_.find(file);
      return std::filesystem::path(file).filename().string() +
             (date == dates_.end() ? "" : " (" + date->second + ")");
    });
  }

  void fit(const SortedMeasurements& sorted, const PiecewiseOptions& options) {
    for (const auto& [path, tables] : sorted.paths) {
      ends_of(base_, path);
      if (tables.latency.empty() && tables.messages.empty()) {
        out_.notes.push_back(
            name(path) +
            ": several pairs at once say what they share, nothing of one message: that stays "
            "as it was; a table of one pair or of latencies would say it");
        continue;
      }
      longest_[path] = longest_lone(tables);
      out_.paths.push_back({path, fit_path(both(tables), {}, options), files_of(tables), {}, 0, {}, {}});
    }
  }

  static PathTables both(const PathMeasurements& tables) {
    PathTables both{samples(tables.latency), samples(tables.messages)};
    if (!tables.messages.empty()) both.window = tables.messages[0].window;
    return both;
  }

  /// Fits a path again once links are known: bytes take at least as long as on the links.
  void fit_to_links(PathReport& report, const PathMeasurements& tables, const PiecewiseOptions& options) {
    const Wire links = PathMachine(hardware_of(now()), report.path).wire(Bytes(0));
    report.fit = fit_path(both(tables), links.per_byte, options);
    const std::vector<Bytes>& levelled = report.fit.levelled;
    if (!levelled.empty())
      out_.notes.push_back(name(report.path) + ": messages of " + text::bytes(levelled.front().value) +
                           " to " + text::bytes(levelled.back().value) +
                           " take less time than smaller ones, or their bytes than links take; " +
                           std::to_string(levelled.size()) + " sizes are levelled");
  }

  void set_hardware(const std::string& parameter, Json value, const std::string& reason) {
    Json& at = part_at(json_, parameter);
    const double before = at["value"], after = value["value"];
    at = std::move(value);
    out_.hardware.push_back({parameter, reason, before, after});
    changed_.insert(parameter);
  }

  /// Sets link bandwidths from copies between GPUs, which tell what the narrowest link on the way carries:
  /// the median of all pairs of GPUs with this kind of narrowest link.
  void set_copies(const std::vector<Measurement>& copies) {
    constexpr double large = 1e6;
    std::map<std::string, std::vector<double>> rates;
    std::set<std::string> files;
    std::map<std::string, int> left_out;
    for (const Measurement& m : copies) {
      const char* why = m.timing != Timing::copy  ? "both ways at once"
                        : !m.peer_access          ? "without peer access"
                        : m.message.value < large ? "of less than 1 MB"
                                                  : nullptr;
      if (why) ++left_out[why];
      if (why) continue;
      const std::vector<Hop> hops = hops_between(base_, m.sender, m.receiver);
      const Hop& narrowest = *std::ranges::min_element(hops, {}, &Hop::bandwidth_GBps);
      rates[narrowest.parameter].push_back(1e-9 * (m.message / m.time).value / narrowest.count);
      files.insert(m.file);
    }
    for (const auto& [why, n] : left_out)
      out_.notes.push_back("left out: copies between GPUs " + why + " (" + std::to_string(n) + ")");
    for (auto& [parameter, values] : rates) {
      std::ranges::sort(values);
      const double median = (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
      const double deviation = (values[values.size() * 9 / 10] - values[values.size() / 10]) / 3.3;
      set_hardware(parameter, calibrated_rate(median, deviation, source({files.begin(), files.end()})),
                   "copies between GPUs, median of " + std::to_string(values.size()));
    }
  }

  /// Sets the bandwidth of NICs: what several pairs that share a node's NICs reach together.
  void set_shared_bandwidth(const SortedMeasurements& sorted) {
    double best = 0;
    const Measurement* fastest = nullptr;
    for (const auto& [path, tables] : sorted.paths) {
      if (path.way != Way::between_nodes) continue;
      for (const Measurement& m : tables.more_pairs) {
        if (m.timing != Timing::bandwidth) continue;
        const double rate = 1e-9 * pairs_per_node(m) * (m.message / m.time).value /
                            nics_used(base_, pairs_per_node(m), path.from);
        if (rate > best) best = rate, fastest = &m;
      }
    }
    if (fastest == nullptr) return;
    nic_GBps_ = best;
    set_hardware("network.bandwidth_GBps", calibrated_rate(best, 0, source({fastest->file})),
                 std::to_string(fastest->pairs) + " pairs over " +
                     std::to_string(nics_used(base_, pairs_per_node(*fastest), *fastest->from)) + " NICs");
  }

  Description now() const { return {base_.name(), base_.file(), json_}; }

  /// Fits what keeps messages waiting: overheads, the gap, and the port that all of them pass.
  void fit_together(PathReport& report, const PathMeasurements& tables) {
    const std::vector<Star> stars = concurrent_messages(base_, tables, report.fit);
    const Bytes longest = longest_lone(tables);
    std::ptrdiff_t unsaid = 0;
    for (const auto* table : {&tables.stars, &tables.both_ways})
      unsaid += std::ranges::count_if(
          *table, [&](const Measurement& m) { return !says_together(m, report.fit, longest); });
    if (unsaid > 0)
      out_.notes.push_back(name(report.path) + ": left out are " + std::to_string(unsaid) +
                           " measurements of several messages at once, of sizes that no latency table says");
    if (stars.empty()) return;
    const Wire wire = PathMachine(now(), report.path).wire(Bytes(0));
    report.stars = stars.size();
    report.star_fit =
        fit_stars(stars, {wire.overhead, wire.receive_overhead, wire.gap, wire.per_byte - wire.software});
    const StarFit& found = *report.star_fit;
    const auto keeps = [&](const StarCost& cost, const char* what, const std::string& value) {
      if (!cost.determined)
        out_.notes.push_back(name(report.path) + ": " + what +
                             " is not determined by what was measured; it " +
                             (cost.lowered ? "is lowered to what that allows, " : "stays ") + value);
    };
    const auto time = [](const StarCost& cost) { return text::seconds(cost.value); };
    keeps(found.overhead, "the sender's overhead", time(found.overhead));
    keeps(found.receive_overhead, "the receiver's overhead", time(found.receive_overhead));
    keeps(found.gap, "the gap between messages", time(found.gap));
    keeps(found.port, "the rate of a port", text::gbps(1e-9 / found.port.value));
    if (found.exchange > 1 + unlike)
      out_.notes.push_back(
          name(report.path) + ": both ways at once take " + text::number(found.exchange) +
          " times as long as one way; here ports carry both at once, and what exchanges large "
          "messages is forecast as much too fast");
    if (report.path.way == Way::between_nodes) set_port(report);
  }

  /// Sets the rate of a port: what came through it, in one stream or in several.
  void set_port(const PathReport& report) {
    const StarCost& port = report.star_fit->port;
    if (!port.determined) return;
    double rate = 1e-9 / port.value, deviation = rate * port.deviation / port.value;
    const Estimate<SecondsPerByte>& stream = report.fit.pieces.back().per_byte;
    const double one = 1e-9 / stream.value.value;
    if (std::abs(one / rate - 1) < std::max(0.03, 2 * deviation / rate)) rate = one;
    if (nic_GBps_ && *nic_GBps_ >= rate) return;  // another path shows that the same port is faster
    const std::string parameter = "network.bandwidth_GBps";
    const double before = base_.json()["network"]["bandwidth_GBps"]["value"];
    nic_GBps_ = rate;
    set_hardware(parameter, calibrated_rate(rate, deviation, source(report.files)),
                 "messages of several ranks at once");
    tell_unlike(parameter, before, rate, " GB/s");
  }

  /// Notes if one pair is slower than the links: its software may limit it, or the links are not those of the
  /// base.
  void tell_pace(const PathReport& report) {
    if (report.path != Path{Way::between_nodes} || (report.star_fit && report.star_fit->port.determined))
      return;
    double fastest = 0, links = HUGE_VAL;
    for (const PathPiece& piece : report.fit.pieces)
      if (piece.knows_pace()) fastest = std::max(fastest, 1e-9 / piece.per_byte.value.value);
    for (const Hop& hop : hops_of(now(), report.path)) links = std::min(links, hop.bandwidth_GBps);
    if (fastest > 0 && fastest < 0.9 * links)
      out_.notes.push_back(
          name(report.path) + ": one pair reaches " + text::gbps(fastest) + ", " + base_.name() +
          "'s links " + text::gbps(links) +
          ": taken for the software's pace; several pairs or fans (--run) would say whether it is "
          "the links'");
  }

  /// Sets the network's latency from messages between host memories, as small messages of a device may go
  /// another way than large ones. Latency beyond the links' counts as the software's as long as it is short.
  /// A message that is faster than the links, or slower by more than software costs, was sent over other
  /// links.
  void set_latency(const PathReport& report) {
    if (!report.fit.pieces[0].fixed) return;
    const Estimate<Seconds>& fixed = *report.fit.pieces[0].fixed;
    const Seconds links = PathMachine(hardware_of(now()), report.path).wire(Bytes(0)).latency;
    if (report.path.way != Way::between_nodes) return lower_latency(report, fixed, links);
    if (report.path != Path{Way::between_nodes}) return;
    const std::optional<StarFit>& star_fit = report.star_fit;
    const bool known = star_fit && star_fit->overhead.determined && star_fit->receive_overhead.determined;
    const Seconds overheads =
        known ? Seconds(star_fit->overhead.value + star_fit->receive_overhead.value) : Seconds();
    const Seconds latency = fixed.value - overheads, beyond = latency - links;
    if (beyond > Seconds() ? beyond < longest_software || beyond < unlike * links : -beyond < unlike * links)
      return;
    const std::string parameter = "network.latency_us";
    const double before = json_["network"]["latency_us"]["value"], after = before + 0.5e6 * beyond.value;
    const std::string words = "a message " + name(report.path) + " takes " + text::seconds(fixed.value.value);
    if (after < 0)
      throw InputError(base_.name() + ": its links are not those of the tables: " + words +
                       ", and its links take " + text::seconds(links.value));
    if (beyond > Seconds() && !known)
      return out_.notes.push_back(words + ", " + base_.name() + "'s links " + text::seconds(links.value) +
                                  ": the rest is taken for the software's, half of it at each end, though "
                                  "half round trips do not say so; "
                                  "say " +
                                  parameter + " in the base, or measure bursts and fans (--run)");
    const double deviation =
        0.5e6 * std::hypot(fixed.deviation.value, known ? star_fit->overhead.deviation : 0,
                           known ? star_fit->receive_overhead.deviation : 0);
    set_hardware(parameter, calibrated(after, deviation, source(report.files)), words);
    tell_unlike(parameter, before, after, " us");
  }

  /// Lowers latencies within a node, as no link is slower than a message that went over it. All links on the
  /// way get faster by the same factor, as nothing says which one is.
  void lower_latency(const PathReport& report, const Estimate<Seconds>& fixed, Seconds links) {
    if (!(fixed.value + 2 * fixed.deviation < links)) return;
    std::set<std::string> lowered;
    for (const Hop& hop : hops_of(now(), report.path)) {
      if (!(hop.latency_us > 0) || !lowered.insert(hop.latency).second) continue;
      const double share = fixed.value / links;
      set_hardware(hop.latency,
                   calibrated(hop.latency_us * share, hop.latency_us * (fixed.deviation / links),
                              source(report.files)),
                   "a message " + name(report.path) + " takes " + text::seconds(fixed.value.value));
    }
  }

  void tell_unexplained(const PathReport& report, const std::optional<double>& error, const char* what) {
    constexpr double half = 0.5;
    if (error && *error > half)
      out_.notes.push_back(name(report.path) + ": the new platform says the " + what + " only within " +
                           text::percent(*error) +
                           ", mean: times of messages scatter less and grow with their size; look at " +
                           text::join(report.files, ", ", [](const std::string& file) { return file; }));
  }

  void tell_unlike(const std::string& parameter, double before, double after, const std::string& unit) {
    if (std::abs(after - before) > unlike * before)
      out_.notes.push_back(base_.name() + " has " + text::number(before) + unit + " as its " + parameter +
                           ", and the measurements contradict it: the new platform has " +
                           text::number(after) + unit);
  }

  /// Raises the bandwidth of links, as none is slower than what went over it; with large messages, latency
  /// and gaps hide little of that. A message uses one NIC.
  void raise_links(const PathReport& report, const PathMeasurements& tables) {
    BytesPerSecond reached;
    for (const auto* table : {&tables.latency, &tables.messages})
      for (const Measurement& m : *table) reached = std::max(reached, m.message / m.time);
    const PathPiece* fastest = nullptr;
    for (const PathPiece& piece : report.fit.pieces)
      if (piece.last >= Bytes(262144) && piece.knows_pace() &&
          (fastest == nullptr || piece.per_byte.value < fastest->per_byte.value))
        fastest = &piece;
    if (fastest == nullptr) return;
    double rate = std::min(1e-9 / fastest->per_byte.value.value, 1e-9 * reached.value * 1.05);
    if (report.path.way == Way::between_nodes && nic_GBps_ && rate > 1.02 * *nic_GBps_) {
      out_.notes.push_back(name(report.path) + ": one pair reaches " + text::number(rate) +
                           " GB/s, and several pairs " + text::number(*nic_GBps_) +
                           " GB/s per NIC; here a message uses one NIC");
      rate = *nic_GBps_;
    }
    const double deviation = rate * fastest->per_byte.deviation.value / fastest->per_byte.value.value;
    for (const Hop& hop : hops_of(now(), report.path))
      if (hop.bandwidth_GBps < rate - std::max(0.01 * rate, 2 * deviation) &&
          raised_.insert(hop.parameter).second)
        set_hardware(hop.parameter,
                     calibrated_rate(rate / hop.count, deviation / hop.count, source(report.files)),
                     name(report.path) + " reaches more");
  }

  void set_software() {
    const Description hardware = hardware_of(now());
    for (const PathReport& report : out_.paths) {
      const Wire links = PathMachine(hardware, report.path).wire(Bytes(0));
      const auto [way, memory] = software_keys(report.path);
      BaseSoftware base;
      base.eager = PathMachine(now(), report.path).wire(longest_.at(report.path)).eager;
      Json& software = json_["software"][way][memory];
      if (!software.is_null()) base.costs = software;
      Json costs = software_costs(report.fit, report.star_fit, {links.latency, links.per_byte}, base,
                                  source(report.files));
      const bool tells_pace = costs.contains("bandwidth_GBps") || costs.contains("pieces");
      keep_larger_pieces(base.costs, report.fit.pieces.back().last, costs);
      software.update(costs);
      let_rise(software, links.per_byte);
      for (const char* key : {"pieces", "gap_us"})
        if (costs.contains(key)) costs[key] = software[key];
      software_[way][memory] = costs;
      tell_undetermined(report, costs, tells_pace);
    }
  }

  /// Keeps the base's pieces for messages larger than all measured ones.
  static void keep_larger_pieces(const Json& base, Bytes last, Json& costs) {
    if (!base.contains("pieces")) return;
    if (!costs.contains("pieces")) costs["pieces"] = Json::array();
    for (const Json& piece : base["pieces"])
      if (1024 * piece["from_KiB"]["value"].get<double>() > last.value) costs["pieces"].push_back(piece);
  }

  void tell_undetermined(const PathReport& report, const Json& costs, bool tells_pace) {
    const Wire longest = PathMachine(now(), report.path).wire(Bytes(1 << 30));
    if (!costs.contains("handshake_us") && !longest.eager)
      out_.notes.push_back(name(report.path) +
                           ": no half round trip is longer than the eager limit; a rendezvous stays at " +
                           text::seconds(longest.handshake.value));
    if (!tells_pace)
      out_.notes.push_back(name(report.path) +
                           ": messages are too short to tell how fast bytes are; that stays as it was");
  }

  /// Writes only what differs from the base.
  void write() {
    out_.platform["base"] = base_.file().empty() ? base_.name() : base_.file();
    out_.platform["description"] = base_.text() + "; calibrated";
    for (const std::string& parameter : changed_)
      part_at(out_.platform, parameter) = part_at(json_, parameter);
    if (!software_.is_null()) out_.platform["software"] = software_;
  }

  /// Base and tables may differ by so much (relative) without a note.
  static constexpr double unlike = 0.05;
  /// The longest that any library takes for a small message, besides overheads.
  static constexpr Seconds longest_software = Seconds(10e-6);

  const Description& base_;
  const std::map<std::string, std::string>& dates_;
  Json json_, software_;
  std::set<std::string> changed_, raised_;
  std::map<Path, Bytes> longest_;   ///< longest measured half round trip
  std::optional<double> nic_GBps_;  ///< if several pairs tell it
  Calibration out_;
};

}  // namespace

Seconds predicted(const Description& platform, const Path& path, const Measurement& m) {
  return PathMachine(platform, path).time(m);
}

void require_calibratable(const Description& base) {
  if (base.json()["network"]["kind"] == "uniform")
    throw InputError(base.name() +
                     ": cannot be calibrated: a uniform network has one latency and one bandwidth for all "
                     "messages; take a base with nodes and switches, such as testbed or edr-cluster");
}

Calibration calibrate(const Description& base, const std::vector<Measurement>& measurements,
                      const std::map<std::string, std::string>& dates, const PiecewiseOptions& options) {
  return Calibrator(base, dates).run(sort_by_path(measurements), options);
}

}  // namespace collcast
