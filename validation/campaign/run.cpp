// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/run.hpp"

#include <iostream>
#include <map>
#include <set>

#include "model/error.hpp"
#include "replay/launch/complaint.hpp"
#include "validation/campaign/forecast.hpp"
#include "validation/campaign/journal.hpp"
#include "validation/campaign/provenance.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string key(const Point& point) {
  return to_json(point).dump();
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": cannot be made: " + error.message());
}

/// Refuses a folder that holds another campaign.
void check_same(const std::vector<Point>& points, const Description& platform, const fs::path& folder) {
  const auto lines = read_journal(folder / "prediction.jsonl");
  bool same = lines.size() == points.size() &&
              Json::parse(read_whole(folder / "platform.json"), nullptr, false) == Json(platform.json());
  for (std::size_t i = 0; same && i < lines.size(); ++i)
    same = key(parse_point(lines[i], (folder / "prediction.jsonl").string())) == key(points[i]);
  if (!same)
    throw InputError(folder.string() +
                     ": holds the predictions of another campaign or platform; name another folder with -o");
}

/// A folder for what other programs read; gone at the end.
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
    if (point.algorithm) times[p.name] = p.predict(point).value;
  return times;
}

std::vector<std::string> arguments(const Care& care, const fs::path& requests) {
  return {requests.string(),
          "--least",
          std::to_string(care.least),
          "--most",
          std::to_string(care.most),
          "--interval",
          std::to_string(care.interval),
          "--limit",
          std::to_string(care.limit_s),
          "--least-of-long",
          std::to_string(care.least_of_long),
          "--check-up-to",
          std::to_string(static_cast<std::int64_t>(care.check_up_to.value))};
}

/// Long enough for the longest repetitions: checking and warming up come on top of the limit.
double patience(const Care& care) {
  return 120 + 20 * care.limit_s;
}

/// The points of one rank count that are still to be measured, in one launch.
class Group {
 public:
  Group(const Care& care, const Launcher& launcher, const fs::path& folder, Journal& measured)
      : care_(care), launcher_(launcher), folder_(folder), measured_(measured) {}

  bool run(Rank ranks, const std::vector<Point>& points, const Progress& progress) {
    const fs::path requests = fs::absolute(folder_ / "requests.jsonl"), log = folder_ / "measure.log";
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Json request{{"id", i}};
      request.update(to_json(points[i]));
      text += request.dump() + "\n";
    }
    write_whole(requests, text);
    write_whole(log, "");
    const Json where = provenance();
    std::size_t done = 0;
    progress("measuring " + describe(points[0]));
    const auto take = [&](const std::string& line) {
      const Json answer = Json::parse(line, nullptr, false);
      if (!answer.is_object() || answer.value("id", points.size()) >= points.size()) return;
      const std::size_t id = answer["id"];
      Json kept = to_json(points[id]);
      kept.update(answer);
      kept.erase("id");
      kept["launcher"] = launcher_.command(ranks, {})[0];
      kept["provenance"] = where;
      measured_.append(kept);
      ++done;
      if (id + 1 < points.size()) progress("measuring " + describe(points[id + 1]));
    };
    const int code = launcher_.run(ranks, arguments(care_, requests), log, patience(care_), take);
    fs::remove(requests);
    if (code == 0 && done == points.size()) return true;
    const std::string words = complaint(read_whole(log), code);
    if (code == 1 && words.find(" is wrong: ") != std::string::npos) {
      std::cerr << words << '\n';
      return false;
    }
    const std::string at = done < points.size() ? " at " + describe(points[done]) : "";
    throw SubstrateError("measuring stopped" + at + ": " + words + "; what was measured is in " +
                         folder_.string() + ", and the same command goes on from there");
  }

 private:
  const Care& care_;
  const Launcher& launcher_;
  const fs::path& folder_;
  Journal& measured_;
};

}  // namespace

void predict_campaign(const Campaign& campaign, const Description& platform, const fs::path& folder,
                      const Progress& progress) {
  const std::vector<Point> points = settle(campaign, platform);
  const fs::path file = folder / "prediction.jsonl";
  if (fs::exists(file)) return check_same(points, platform, folder);
  make_folder(folder);
  const Scratch tools(folder / "tools");
  const std::vector<Predictor> all = predictors(platform, campaign, tools.path());
  Json what = Json::array();
  for (const Predictor& p : all)
    what.push_back({{"name", p.name}, {"role", to_string(p.role)}, {"what", p.what}});
  const Json where = provenance();
  std::string text;
  for (const Point& point : points) {
    progress("predicting " + describe(point));
    Json line = to_json(point);
    line["predicted_s"] = predict(point, all);
    line["platform"] = platform.name();
    line["provenance"] = where;
    text += line.dump() + "\n";
  }
  write_whole(folder / "platform.json", platform.json().dump(2) + "\n");
  const Json about{{"description", campaign.description},
                   {"mean_bound", campaign.mean_bound},
                   {"worst_bound", campaign.worst_bound},
                   {"predictors", what}};
  write_whole(folder / "campaign.json", about.dump(2) + "\n");
  write_whole(file, text);
}

bool measure_campaign(const Care& care, const Launcher& launcher, const fs::path& folder,
                      const Progress& progress) {
  Journal measured(folder / "measured.jsonl");
  std::set<std::string> done;
  for (const Json& line : measured.lines())
    done.insert(key(parse_point(line, (folder / "measured.jsonl").string())));
  std::map<Rank, std::vector<Point>> left;
  for (const Json& line : read_journal(folder / "prediction.jsonl")) {
    const Point point = parse_point(line, (folder / "prediction.jsonl").string());
    if (!done.contains(key(point))) left[point.ranks()].push_back(point);
  }
  Group group(care, launcher, folder, measured);
  for (const auto& [ranks, points] : left)
    if (!group.run(ranks, points, progress)) return false;
  return true;
}

}  // namespace collcast::campaign
