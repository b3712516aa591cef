// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "validation/campaign/node.hpp"

namespace collcast::campaign {
namespace {

std::vector<int> counts(const Node& row, const char* key, int standard, int least) {
  std::vector<int> all;
  if (!row.has(key)) return {standard};
  for (const Node& item : row.at(key).items()) all.push_back(item.count(least));
  return all;
}

/// A row's ranks or sizes, or else those that the file states for all rows.
Node of_row_or_file(const Node& row, const Node& file, const char* key) {
  return row.has(key) ? row.at(key) : file.at(key);
}

/// The sizes of a row; a collective that moves no data has one.
std::vector<Node> sizes_of(const Node& row, const Node& file, Collective collective) {
  static const Json none = 0;
  if (definition(collective).whole(1) == 0) return {Node(none, "sizes")};
  return of_row_or_file(row, file, "sizes").items();
}

Bytes segment_of(const Node& node) {
  const Bytes segment = node.size();
  if (segment < Bytes(1)) node.reject("a segment has at least a byte");
  return segment;
}

/// Throws InputError for a setting of the row that its calls do not have.
void refuse_unused(const Node& row, const Point& p) {
  if (row.has("root") && !definition(p.collective).rooted)
    row.at("root").reject(std::string(definition(p.collective).name) + " has no root");
  for (const char* key : {"radix", "segment", "channels"})
    if (row.has(key) && !p.algorithm) row.at(key).reject("the library chooses for itself");
}

/// Adds the points of a row of the file: the product of its lists.
void add_row(const Node& row, const Node& file, std::vector<PlannedPoint>& points) {
  row.only({"collective", "algorithm", "ranks", "sizes", "root", "radix", "segment", "channels",
            "ranks_per_node", "jobs"});
  PlannedPoint planned;
  Point& p = planned.point;
  p.collective =
      row.at("collective").guarded([&] { return definition(row.at("collective").text()).collective; });
  if (const std::string name = row.at("algorithm").text(); name != library_algorithm)
    p.algorithm = row.at("algorithm").guarded([&] { return &algorithm(p.collective, name); });
  refuse_unused(row, p);
  if (row.has("root")) p.call.root = row.at("root").count(0);
  if (row.has("channels")) p.call.channels = row.at("channels").count(1);
  p.jobs = row.has("jobs") ? row.at("jobs").count(1) : 1;
  for (const Node& ranks : of_row_or_file(row, file, "ranks").items())
    for (const int radix : counts(row, "radix", 2, 2))
      for (const int node : counts(row, "ranks_per_node", 1, 1))
        for (const Node& size : sizes_of(row, file, p.collective)) {
          if (ranks.count(1) % p.jobs != 0) ranks.reject("cannot be shared out evenly to the row's jobs");
          p.call.ranks = ranks.count(1) / p.jobs;
          p.call.radix = radix;
          p.call.ranks_per_node = node;
          p.call.message = size.size();
          planned.segments = PlannedPoint::Segments::given;
          p.call.segments = 1;
          if (p.algorithm && p.algorithm->segmented) {
            const bool best = !row.has("segment") || row.at("segment").text() == "auto";
            if (best)
              planned.segments = PlannedPoint::Segments::best;
            else
              p.call.segments = std::max<Block>(
                  1, static_cast<Block>(std::ceil(p.call.message / segment_of(row.at("segment")))));
          }
          if (p.algorithm) row.guarded([&] { check(*p.algorithm, p.call); });
          points.push_back(planned);
        }
}

MeasurementSettings read_settings(const Node& node) {
  node.only({"least", "most", "interval", "limit_s", "check_up_to", "multicast", "overlap_workers"});
  MeasurementSettings settings;
  if (node.has("least")) settings.least = node.at("least").count(1);
  settings.most = node.has("most") ? node.at("most").count(1) : std::max(settings.most, settings.least);
  if (settings.most < settings.least)
    node.reject("most, " + std::to_string(settings.most) + ", is below least, " +
                std::to_string(settings.least));
  if (node.has("interval")) settings.interval = node.at("interval").number();
  if (node.has("limit_s")) settings.limit_s = node.at("limit_s").number();
  if (node.has("check_up_to")) settings.check_up_to = node.at("check_up_to").size();
  if (node.has("multicast")) settings.multicast = node.at("multicast").text();
  if (node.has("overlap_workers")) settings.overlap_workers = node.at("overlap_workers").count(0);
  return settings;
}

std::map<std::string, Bounds> read_bounds(const Node& node) {
  const std::vector<std::string> engines{"path", "simgrid"};
  node.only(engines);
  std::map<std::string, Bounds> all;
  for (const std::string& engine : engines) {
    if (!node.has(engine)) continue;
    const Node of_engine = node.at(engine);
    of_engine.only({"mean", "worst", "overlap"});
    Bounds& bounds = all[engine];
    if (of_engine.has("mean")) bounds.mean = of_engine.at("mean").number();
    if (of_engine.has("worst")) bounds.worst = of_engine.at("worst").number();
    if (of_engine.has("overlap")) bounds.overlap = of_engine.at("overlap").number();
  }
  return all;
}

}  // namespace

Campaign parse_campaign(const std::string& text, const std::string& file) try {
  const Json json = parse_json(text, file);
  const Node top(json, file);
  top.only({"description", "ranks", "sizes", "points", "measure", "nominal", "bounds"});
  Campaign campaign;
  if (top.has("description")) campaign.description = top.at("description").text();
  for (const Node& row : top.at("points").items()) add_row(row, top, campaign.points);
  std::set<std::string> seen;
  for (const PlannedPoint& planned : campaign.points)
    if (!seen.insert(dump(to_json(planned.point))).second)
      top.at("points").reject(describe(planned.point) + " is there twice");
  if (top.has("measure")) campaign.settings = read_settings(top.at("measure"));
  if (top.has("nominal")) {
    const Node nominal = top.at("nominal");
    nominal.only({"platform", "set"});
    campaign.nominal_platform = nominal.at("platform").text();
    if (nominal.has("set"))
      for (const Node& item : nominal.at("set").items()) campaign.nominal_set.push_back(item.text());
  }
  if (campaign.settings.overlap_workers)
    for (const PlannedPoint& planned : campaign.points)
      if (!planned.point.algorithm || planned.point.jobs > 1)
        top.at("points").reject(describe(planned.point) + " has no overlap that could be predicted");
  if (top.has("bounds")) campaign.bounds = read_bounds(top.at("bounds"));
  return campaign;
} catch (const InputError& e) {
  throw InputError(printable(e.what()));  // words quoted from the file may contain line ends
}

}  // namespace collcast::campaign
