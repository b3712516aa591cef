// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/nccl_links.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "platforms/description/blueprint.hpp"
#include "platforms/description/node_graph.hpp"
#include "support/text.hpp"
#include "validation/calibration/nccl_cases.hpp"

namespace collcast {
namespace {

/// Explanations whose errors differ by less than this cannot be told apart.
constexpr double alike = 0.02;

/// How far off large messages are forecast: the mean over the tables.
double large_off(const NcclCases& cases) {
  double sum = 0, count = 0;
  for (const auto& [key, table] : cases.by_table())
    sum += std::abs(large_error(table, cases.software())), ++count;
  return count == 0 ? 0 : sum / count;
}

bool clearly_better(double off, double other) {
  return std::max(off, alike) < other / 2;
}

struct Searched : GuessedLink {
  double off = 0;       ///< error with the best value
  bool inside = false;  ///< inside the search: slower and faster links explain large messages worse
  double change() const { return std::abs(std::log(after / before)); }
};

/// How far off large messages are if a guess is changed by so many octaves.
using Off = std::function<double(double octaves)>;

struct Scanned {
  double off, low, high;  ///< the best, and on both sides the next one that is worse, or the end
  bool inside;
};

Scanned scan(const Off& off_at, double from, double to, int steps) {
  std::vector<double> off;
  const auto octaves = [&](std::ptrdiff_t i) { return from + (to - from) * static_cast<double>(i) / steps; };
  for (int i = 0; i <= steps; ++i) off.push_back(off_at(octaves(i)));
  const auto best = std::ranges::min_element(off);
  const auto worse = [&](double other) { return other > *best + 1e-9; };
  const auto after = std::find_if(best, off.end(), worse);
  const auto before = std::find_if(std::make_reverse_iterator(best), off.rend(), worse);
  const bool inside = before != off.rend() && after != off.end();
  return {*best, before == off.rend() ? from : octaves(off.rend() - before - 1),
          after == off.end() ? to : octaves(after - off.begin()), inside};
}

/// The bandwidths, from a quarter to four times the guess, with which large messages are forecast best. It is
/// a range, as NCCL takes links in steps.
Searched searched(const Description& base, const Parameter& guess, const std::vector<Measurement>& large,
                  const std::string& policy) {
  const auto value = [&](double octaves) { return guess.value * std::exp2(octaves); };
  const auto off_at = [&](double octaves) {
    Description changed = base;
    set(changed, guess.path + "=" + text::exact(value(octaves)));
    return large_off(NcclCases(changed, large, policy));
  };
  const Scanned coarse = scan(off_at, -2, 2, 64);
  const Scanned fine = scan(off_at, coarse.low, coarse.high, 16);
  return {{guess.path, guess.value, value((fine.low + fine.high) / 2), value(fine.low), value(fine.high)},
          fine.off,
          coarse.inside};
}

/// The kinds of links on the way from a rank's memory to its network card, with the least number of them side
/// by side.
std::map<std::string, int> feeding(const Blueprint& b) {
  const NodeGraph graph(b);
  const std::vector<int> nics = b.of_kind(Blueprint::Vertex::Kind::nic);
  std::map<std::string, int> kinds;
  for (const int vertex : b.ranks_on) {
    const int nic = graph.nic_of(vertex);
    if (nic < 0) continue;
    for (const int link : graph.route(vertex, nics[static_cast<std::size_t>(nic)])) {
      const auto at = static_cast<std::size_t>(graph.links()[static_cast<std::size_t>(link)].line);
      const Blueprint::Line& line = b.lines[at];
      int& least =
          kinds.try_emplace(b.link_kinds[static_cast<std::size_t>(line.kind)].name, line.count).first->second;
      least = std::min(least, line.count);
    }
  }
  return kinds;
}

/// Whether the link would still be fast enough for the network cards behind it; true if it has none, or their
/// bandwidth is not known.
bool drives_cards(const Blueprint& b, const GuessedLink& link) {
  if (!b.bandwidth || b.bandwidth->stamp == Stamp::guess) return true;
  return std::ranges::none_of(feeding(b), [&](const auto& kind) {
    const auto drives = [&](double GBps) { return GBps * kind.second >= b.bandwidth->value; };
    return link.parameter == "node.link_kinds." + kind.first + ".bandwidth_GBps" && drives(link.before) &&
           !drives(link.high);
  });
}

/// The guesses that explain large messages.
std::vector<Searched> explaining(const Description& base, const std::vector<Measurement>& large,
                                 const std::string& policy, double off) {
  std::vector<Searched> found;
  for (const Parameter& p : base.parameters()) {
    if (p.stamp != Stamp::guess || !p.path.ends_with("bandwidth_GBps") || p.path.starts_with("devices."))
      continue;
    const Searched link = searched(base, p, large, policy);
    if (link.off < unlike && link.inside && clearly_better(link.off, off) &&
        drives_cards(read_blueprint(base), link))
      found.push_back(link);
  }
  return found;
}

struct OtherShape {
  nccl::Shape shape;
  double off;
};

/// Other shapes that NCCL may have played on the base's links and that explain large messages.
std::vector<OtherShape> other_shapes(const Description& base, const std::vector<Measurement>& large,
                                     const std::string& policy, double off) {
  std::vector<OtherShape> found;
  for (const nccl::Shape shape : {nccl::Shape::ring, nccl::Shape::tree}) {
    NcclCases played(base, large, policy);
    played.play_by(shape);
    const double now = large_off(played);
    if (now < unlike && clearly_better(now, off)) found.push_back({shape, now});
  }
  return found;
}

/// Files whose large messages contradict the forecast, and the first one's error.
struct Contradiction {
  std::set<std::string> files;
  double error = 0;
  bool channels = false;  ///< the base's channels limit such messages
};

Contradiction contradiction(const NcclCases& cases) {
  Contradiction found;
  const NcclSoftwares software = cases.software();
  for (const auto& [key, table] : cases.by_table()) {
    const double error = large_error(table, software);
    if (std::abs(error) < unlike) continue;
    if (found.files.empty()) found.error = error;
    found.files.insert(std::get<0>(key));
    const NcclCase& last = **std::ranges::max_element(table, {}, [](auto* c) { return c->call.message; });
    found.channels |= error < 0 && last.play(software).limited_by == nccl::gpu_channels;
  }
  return found;
}

std::string in_words(const Contradiction& c, const std::vector<OtherShape>& shapes,
                     const std::vector<Searched>& links, const std::string& policy) {
  std::vector<std::string> causes;
  for (const OtherShape& s : shapes)
    causes.push_back("that NCCL played " + text::lower(nccl::name(s.shape)) +
                     "s, which its model does not choose");
  if (c.channels) causes.push_back("fewer channels, as these are what limits here");
  for (const Searched& l : links)
    causes.push_back(l.parameter + " of " + text::number(l.after) + " instead of " + text::number(l.before) +
                     " GB/s");
  std::string words =
      text::join(c.files) + ": large messages are forecast " + text::percent(std::abs(std::expm1(c.error))) +
      (c.error < 0 ? " too fast" : " too slow") + ", and the tables cannot tell why: it may be " +
      text::join(causes, ", or ") +
      ". Links stay as they are. NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=TUNING says what NCCL "
      "played";
  for (const OtherShape& s : shapes)
    words += "; --policy " + policy + (policy.find(':') == std::string::npos ? ":" : ",") +
             "algo=" + std::string(nccl::name(s.shape)) + " forecasts " + text::lower(nccl::name(s.shape)) +
             "s";
  return words;
}

/// Of the links that explain large messages best, the one that has to change least. None if another cause
/// explains them as well, or another link would with less than twice that change.
std::optional<GuessedLink> determined(const Contradiction& c, const std::vector<OtherShape>& shapes,
                                      const std::vector<Searched>& links) {
  if (links.empty() || c.channels) return {};
  const double least_off = std::ranges::min(links, {}, &Searched::off).off;
  std::vector<Searched> best;
  for (const Searched& l : links)
    if (!clearly_better(least_off, l.off)) best.push_back(l);
  std::ranges::sort(best, {}, &Searched::change);
  if (best.size() > 1 && best[1].change() < 2 * best[0].change()) return {};
  const auto worse = [&](const OtherShape& s) { return clearly_better(best[0].off, s.off); };
  if (!std::ranges::all_of(shapes, worse)) return {};
  return best[0];
}

}  // namespace

LinkFinding find_link(const Description& base, const std::vector<Measurement>& all,
                      const std::string& policy) {
  const std::vector<Measurement> large = large_ones(all);
  if (large.empty()) return {};
  const NcclCases cases(base, large, policy);
  const double off = large_off(cases);
  if (off < unlike) return {};
  const std::vector<OtherShape> shapes = other_shapes(base, large, policy, off);
  const std::vector<Searched> links = explaining(base, large, policy, off);
  const Contradiction contradicted = contradiction(cases);
  LinkFinding found{determined(contradicted, shapes, links), {}};
  if (!found.moved && !(shapes.empty() && links.empty()))
    found.doubt = in_words(contradicted, shapes, links, policy);
  return found;
}

}  // namespace collcast
