// SPDX-License-Identifier: Apache-2.0
#include "cli/validate_run.hpp"

#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/what_if.hpp"
#include "forecast/report/plot.hpp"
#include "model/collective.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/process/slurm.hpp"
#include "validation/campaign/forecast.hpp"
#include "validation/campaign/run.hpp"
#include "validation/campaign/script.hpp"
#include "validation/report/figure.hpp"
#include "validation/report/results.hpp"
#include "validation/report/sections.hpp"

namespace collcast::cli {
namespace {

namespace fs = std::filesystem;

/// A campaign's text, and the name of its file.
struct Text {
  std::string words, file;
};

bool moves_data(const std::string& collective) {
  return definition(collective).whole(1) > 0;
}

/// The campaign from a file, or from the other options.
Text asked_text(const CampaignOptions& o) {
  const bool spelled = !o.collective.empty() || !o.algorithms.empty() || !o.ranks.empty() || !o.sizes.empty();
  if (o.campaign.empty() == !spelled)
    throw InputError(
        "a campaign is either --campaign FILE or all of --collective, --algorithm, --ranks and --size");
  if (!spelled) return {read_file(o.campaign), o.campaign};
  const bool sized = o.collective.empty() || moves_data(o.collective);
  if (o.collective.empty() || o.algorithms.empty() || o.ranks.empty() || (sized && o.sizes.empty()))
    throw InputError(
        "a campaign without --campaign takes all of --collective, --algorithm, --ranks and --size");
  if (!sized && !o.sizes.empty()) note(o.collective + " moves no data: --size changes nothing");
  Json sizes = Json::array(), points = Json::array();
  for (const Bytes size : parse_sizes(o.sizes)) sizes.push_back(std::llround(size.value));
  for (const std::string& name : o.algorithms)
    points.push_back({{"collective", o.collective}, {"algorithm", name}});
  const Json spelled_out{{"ranks", parse_rank_counts(o.ranks)}, {"sizes", sizes}, {"points", points}};
  return {dump(spelled_out), "command line"};
}

campaign::Campaign asked(const CampaignOptions& o) {
  const Text text = asked_text(o);
  return campaign::parse_campaign(text.words, text.file);
}

Json answer(const report::Results& results) {
  const std::string engine = "path";
  Json points = Json::array(), predictors = Json::array();
  for (const report::Result* r : predicted(results)) {
    Json point = to_json(r->point);
    point["measured_s"] = r->measured_s;
    point["predicted_s"] = r->predicted_s.at(engine);
    point["error"] = r->error(engine);
    Json all = Json::object();
    for (const auto& [name, time] : r->predicted_s) all[name] = r->error(name);
    point["errors"] = all;
    point["source"] = (fs::path(results.folders[r->folder]) / "measured.jsonl").string();
    points.push_back(point);
  }
  for (const report::NamedPredictor& o : results.predictors) {
    const report::Errors e = errors(predicted(results), o.name);
    predictors.push_back({{"predictor", o.name},
                          {"role", o.role},
                          {"points", e.points},
                          {"mean_absolute_error", e.mean_absolute},
                          {"geometric_mean_error", e.mean_factor},
                          {"worst", e.worst}});
  }
  double regret = 0;
  const std::vector<report::Regret> choices = regrets(results, engine);
  for (const report::Regret& r : choices) regret += r.regret() / static_cast<double>(choices.size());
  const report::Errors e = errors(predicted(results), engine);
  return {{"engine", engine},
          {"points", points},
          {"mean_absolute_error", e.mean_absolute},
          {"geometric_mean_error", e.mean_factor},
          {"worst", e.worst},
          {"predictors", predictors},
          {"mean_regret", choices.empty() ? Json() : Json(regret)},
          {"not_measured", results.unmeasured},
          {"within_bounds", within_bounds(results)}};
}

/// Writes report.html, report.md and report.png to the first of the folders.
void write_files(const report::Results& results, const std::vector<report::Chapter>& all,
                 const fs::path& folder) {
  const std::string title = "collcast: predicted against measured";
  const bool figure = report::can_plot() && !results.all.empty();
  std::vector<report::Chapter> pictured = all;
  pictured.insert(pictured.begin() + std::min<std::ptrdiff_t>(1, std::ssize(pictured)),
                  {"Predicted and measured",
                   "Points: measured, with the interval of the median. Lines: critical path.",
                   {},
                   report::figures(results, "path")});
  write_file(folder / "report.md", report::markdown(title, all));
  write_file(folder / "report.html", report::html(title, pictured, answer(results)));
  if (figure) report::write_plot((folder / "report.png").string(), report::picture(results, "path"));
  const std::string page = (folder / "report.html").string();
  note(results.all.empty() ? page + " has no figures: nothing is measured yet"
       : figure            ? page + " and report.png hold the figures"
                           : page + " holds the figures; there is no gnuplot for report.png");
}

/// Notes the overrides that change no forecast of our engines.
void note_without_effect(const campaign::Campaign& todo, const CampaignOptions& o,
                         const Description& platform) {
  if (o.set.empty()) return;
  const auto times = [&](const std::vector<std::string>& set) {
    Description other = load_platform(o.platform);
    set_all(other, set);
    return campaign::engine_times(todo, other);
  };
  for (const std::string& words : without_effect(campaign::engine_times(todo, platform), o.set, times))
    note(words);
}

int tell(const std::vector<fs::path>& folders, Format format, const std::string& drawn) {
  const report::Results results = report::read_results(folders);
  const std::vector<report::Chapter> all = sections(results);
  write_files(results, all, folders[0]);
  if (!drawn.empty()) report::write_plot(drawn, report::picture(results, "path"));
  if (format == Format::json) {
    print_json(answer(results));
  } else if (format == Format::csv) {
    print_csv(answer(results)["points"]);
  } else {
    for (const report::Chapter& s : all) {
      std::cout << s.title << "\n\n";
      if (!s.words.empty()) print_text(s.words + "\n\n");
      print_table(s.table);
      std::cout << '\n';
    }
  }
  return within_bounds(results) ? 0 : 1;
}

}  // namespace

int validate_run(const CampaignOptions& options) {
  const campaign::Campaign todo = asked(options);
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  const campaign::Launcher launcher(options.command);
  end_at_interrupt("interrupted; what was measured is kept, and the same command continues from " +
                   options.folder);
  campaign::predict_campaign(todo, platform, options.folder, progress);
  note_without_effect(todo, options, platform);
  const bool right = campaign::measure_campaign(todo.settings, launcher, options.folder, progress);
  progress_end();
  return right ? tell({options.folder}, options.format, options.plot) : 1;
}

int validate_script(const CampaignOptions& options) {
  const Text text = asked_text(options);
  const campaign::Campaign todo = campaign::parse_campaign(text.words, text.file);
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  const fs::path folder = fs::absolute(options.script);
  const campaign::Batch batch{options.command, options.sbatch};
  const std::string script = campaign::batch_script(todo, batch);
  campaign::predict_campaign(todo, platform, folder, progress);
  progress_end();
  note_without_effect(todo, options, platform);
  write_file(folder / "asked.json", text.words + "\n");
  write_file(folder / "run.sh", script);
  write_file(folder / "README.md", campaign::batch_words(todo, batch));
  if (options.slurm)
    note(slurm::submitted(folder / "run.sh", {"--chdir=" + folder.string()}) +
         "; when it has ended, `collcast validate --report " + options.script + "` tells");
  else
    note(options.script + "/README.md says how run.sh there measures what was forecast");
  return 0;
}

int validate_report(const CampaignOptions& options) {
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : options.reports)
    if (!seen.insert(std::filesystem::weakly_canonical(folder)).second)
      throw InputError(folder + ": is named twice");
  return tell({options.reports.begin(), options.reports.end()}, options.format, options.plot);
}

}  // namespace collcast::cli
