// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/run.hpp"

#include <map>
#include <set>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "validation/campaign/forecast.hpp"
#include "validation/campaign/provenance.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;
std::string key(const Point& point) {
  return dump(to_json(point));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": cannot be made: " + error.message());
}

/// What a campaign states besides its points and how long to measure them.
Json asked(const Campaign& c) {
  Json bounds = Json::object();
  for (const auto& [engine, b] : c.bounds)
    bounds[engine] = {{"mean", b.mean}, {"worst", b.worst}, {"overlap", b.overlap}};
  const auto& workers = c.settings.overlap_workers;
  return {{"description", c.description},
          {"bounds", bounds},
          {"nominal", {{"platform", c.nominal_platform}, {"set", c.nominal_set}}},
          {"multicast", c.settings.multicast},
          {"overlap_workers", workers ? Json(*workers) : Json()}};
}

/// Throws InputError if the folder holds another campaign. (Older folders do not say what was asked.)
void check_same(const Campaign& campaign, const std::vector<Point>& points, const Description& platform,
                const fs::path& folder) {
  const auto lines = read_journal(folder / "prediction.jsonl");
  bool same = lines.size() == points.size() &&
              parse_json(read_file(folder / "platform.json")) == Json(platform.json());
  for (std::size_t i = 0; same && i < lines.size(); ++i)
    same = key(parse_point(lines[i], (folder / "prediction.jsonl").string())) == key(points[i]);
  if (!same)
    throw InputError(
        folder.string() +
        ": holds the predictions of another campaign or platform; choose another folder with -o or --script");
  const Json wanted = asked(campaign), about = parse_json(read_file(folder / "campaign.json"));
  const Json held = about.value("asked", Json::object());
  for (const auto& [key, value] : wanted.items())
    if (held.contains(key) && dump(held[key]) != dump(value))
      throw InputError(folder.string() + ": holds predictions of a campaign whose " + key + " is " +
                       dump(held[key]) + ", not " + dump(value) +
                       "; choose another folder with -o or --script");
}

/// A folder for what other programs read; removed at the end.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) { make_folder(path_); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

Json predict(const Point& point, const std::vector<Predictor>& predictors) {
  Json times = Json::object();
  for (const Predictor& p : predictors)
    if (const auto time = point.algorithm ? p.predict(point) : std::nullopt) times[p.name] = time->value;
  return times;
}

}  // namespace

void predict_campaign(const Campaign& campaign, const Description& platform, const fs::path& folder,
                      const Progress& progress) {
  const std::vector<Point> points = settle(campaign, platform);
  const fs::path file = folder / "prediction.jsonl";
  if (fs::exists(file)) return check_same(campaign, points, platform, folder);
  make_folder(folder);
  const Scratch tools(folder / "tools");
  const std::vector<Predictor> all = predictors(platform, campaign, tools.path());
  Json what = Json::array();
  for (const Predictor& p : all) {
    what.push_back({{"name", p.name}, {"role", to_string(p.role)}, {"what", p.what}});
    if (const auto b = campaign.bounds.find(p.name); b != campaign.bounds.end())
      what.back()["bounds"] = {
          {"mean", b->second.mean}, {"worst", b->second.worst}, {"overlap", b->second.overlap}};
  }
  const Json where = provenance();
  std::string text;
  for (const Point& point : points) {
    progress("predicting " + describe(point));
    Json line = to_json(point);
    line["predicted_s"] = predict(point, all);
    if (campaign.settings.overlap_workers) line["predicted_pure_s"] = line["predicted_s"][all_hidden];
    line["platform"] = platform.name();
    line["provenance"] = where;
    text += dump(line) + "\n";
  }
  write_file(folder / "platform.json", dump(platform.json(), 2) + "\n");
  const Json about{{"description", campaign.description}, {"predictors", what}, {"asked", asked(campaign)}};
  write_file(folder / "campaign.json", dump(about, 2) + "\n");
  write_file(file, text);
}

bool measure_campaign(const MeasurementSettings& settings, const Launcher& launcher, const fs::path& folder,
                      const Progress& progress) {
  Journal measured(folder / "measured.jsonl");
  std::set<std::string> done;
  for (const Json& line : measured.lines())
    done.insert(key(parse_point(line, (folder / "measured.jsonl").string())));
  std::map<Rank, std::vector<Request>> left;
  for (const Json& line : read_journal(folder / "prediction.jsonl")) {
    const Point point = parse_point(line, (folder / "prediction.jsonl").string());
    if (!done.contains(key(point))) left[point.ranks()].push_back({to_json(point), describe(point)});
  }
  for (const auto& [ranks, requests] : left)
    if (!measure(requests, ranks, settings, launcher, folder, measured, progress)) return false;
  return true;
}

}  // namespace collcast::campaign
