// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/tune.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "forecast/sweep/space.hpp"
#include "model/alternatives.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"
#include "support/text.hpp"

namespace collcast::cli {
namespace {

struct TuneOptions {
  TuneQuestion question;
  std::string platforms, policies, file, plot;
  std::vector<std::string> ranks, set, sizes;
  Memory memory = Memory::device;
  Format format = Format::table;
  bool all = false;
};

std::string names() {
  return text::join(tuner::formats(), "; ",
                    [](const tuner::Format& l) { return std::string(l.name) + ": " + std::string(l.what); });
}

/// A case: a platform, a number of ranks, a policy, and a value of each parameter.
struct TuneCase {
  TuneQuestion question;
  Json varied = Json::object();  ///< the settings in which cases differ
  std::string file;
};

/// The file of a case: "rules-summit-64.txt" for "rules.txt".
std::string file_of(const std::string& file, const Json& varied) {
  std::filesystem::path path(file);
  std::string name = path.stem().string();
  for (const auto& [key, value] : varied.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : dump(value);
    if (text.ends_with(".json")) text = std::filesystem::path(text).stem().string();
    std::ranges::replace_if(
        text, [](char c) { return std::string_view("/:,= ").find(c) != std::string_view::npos; }, '_');
    name += '-' + text;
  }
  return path.replace_filename(name + path.extension().string()).string();
}

std::vector<TuneCase> tune_cases(const TuneOptions& options) {
  const std::vector<std::string> platforms = listed(options.platforms);
  std::vector<std::string> policies;
  for (const std::string& name : listed(options.policies))
    std::ranges::move(spelled_out(name), std::back_inserter(policies));
  if (policies.empty()) policies.emplace_back();
  const std::vector<Rank> ranks = parse_rank_counts(options.ranks);
  std::vector<TuneCase> all;
  for (const std::string& platform : platforms)
    for (const std::string& policy : policies)
      for (const sweep::SetCase& with : sweep::set_cases(options.set))
        for (const Rank n : ranks) {
          TuneCase& c = all.emplace_back();
          c.question = options.question, c.question.platform = platform, c.question.policy = policy;
          c.question.set = with.set, c.question.ranks = n;
          if (platforms.size() > 1) c.varied["platform"] = platform;
          if (policies.size() > 1) c.varied["policy"] = policy;
          for (const std::string& assignment : with.chosen) {
            const auto equals = assignment.find('=');
            c.varied[assignment.substr(0, equals)] = assignment.substr(equals + 1);
          }
          if (ranks.size() > 1) c.varied["ranks"] = n;
          if (!options.file.empty()) c.file = file_of(options.file, c.varied);
        }
  return all;
}

/// The report of a case; also writes the case's file.
report::Report tuned_report(const TuneOptions& options, const TuneCase& c, const tuner::Format& format,
                            const Watch& watch) {
  const Tuned tuned = tune(c.question, watch);
  report::Report report = report::make(tuned, format);
  report::tell_without_effect(report, c.question, watch);
  progress_end();
  if (options.all && options.format == Format::csv) report.sections.clear();  // a CSV is one table
  if (options.all) report.sections.push_back(report::choices(tuned));
  if (!c.file.empty()) {
    write_file(c.file, format.write(tuned.tuning));
    std::string use(format.use);
    if (const auto at = use.rfind("FILE"); at != std::string::npos) use.replace(at, 4, c.file);
    report.remark += "\n" + c.file + " is read by: " + use;
  }
  plot(options.plot, report::picture(tuned, format), report.notes);
  return report;
}

/// Adds a case's rows, notes and files to those of the cases before it.
void add_case(report::Report& all, report::Report one, const TuneCase& c) {
  for (std::size_t i = 0; i < one.sections.size(); ++i) {
    if (all.sections.size() == i) {
      all.sections.push_back({one.sections[i].key, Json::array(), {}});
      for (const auto& [key, value] : c.varied.items())
        all.sections[i].columns.push_back({key, [key = key](const Json& row) {
                                             return row[key].is_string() ? row[key].get<std::string>()
                                                                         : dump(row[key]);
                                           }});
      std::ranges::move(one.sections[i].columns, std::back_inserter(all.sections[i].columns));
    }
    for (const Json& row : one.sections[i].rows) {
      all.sections[i].rows.push_back(c.varied);
      all.sections[i].rows.back().update(row);
    }
  }
  const auto lines = one.remark.find('\n');
  if (all.remark.empty()) all.remark = one.remark.substr(0, lines);
  if (lines != std::string::npos) all.remark += one.remark.substr(lines);
  for (const std::string& words : one.notes) add_once(all.notes, words);
}

/// Answers several cases in one report. Returns the exit code: 1 if a case makes no sense.
int answer_tune_cases(const TuneOptions& options, const std::vector<TuneCase>& cases,
                      const tuner::Format& format, const Watch& watch) {
  if (!options.plot.empty()) throw InputError("--plot takes a single case, not a list of them");
  report::Report report;
  report.head = {{"for", format.name}, {"cases", cases.size()}};
  report.title = std::string(format.what) + ", " + text::counted(std::ssize(cases), "case");
  std::string refused;
  for (const TuneCase& c : cases) try {
      add_case(report, tuned_report(options, c, format, watch), c);
    } catch (const InputError& e) {
      refused = e.what();
      std::string which;
      for (const auto& [key, value] : c.varied.items())
        which += key + ' ' + (value.is_string() ? value.get<std::string>() : dump(value)) + ", ";
      report.notes.push_back(which.substr(0, which.size() - 2) + ": " + refused);
    }
  progress_end();
  if (report.sections.empty()) throw InputError(refused);
  print(report, options.format);
  return refused.empty() ? 0 : 1;
}

int run_tune(TuneOptions& options, bool memory_given) {
  TuneQuestion& q = options.question;
  const tuner::Format& format = tuner::format(q.library);
  q.sizes = parse_sizes(options.sizes);
  if (memory_given) q.memory = options.memory;
  const std::vector<TuneCase> cases = tune_cases(options);
  if (!options.plot.empty()) report::check_plot(options.plot);
  std::set<std::string> files;
  for (const TuneCase& c : cases)
    if (!c.file.empty()) {
      if (!files.insert(c.file).second)
        throw InputError("-o: two of the cases would write " + c.file + "; tune them one by one");
      check_writable(c.file);
      refuse_own_input(c.file, {c.question.platform}, "the platform");
    }
  catch_interrupts();
  const Watch watch{progress, &interrupt_flag()};
  if (cases.size() > 1) return answer_tune_cases(options, cases, format, watch);
  print(tuned_report(options, cases[0], format, watch), options.format);
  return 0;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TuneOptions>();
  TuneQuestion& q = options->question;
  CLI::App* verb =
      app.add_subcommand("tune", "Writes the file by which a library chooses the fastest algorithms");
  verb->add_option("--for", q.library, names())->required()->option_text("LIBRARY");
  verb->add_option(
          "-p,--platform", options->platforms,
          "Names from `collcast platforms`, or files. Several of these, of --ranks, --policy and of a "
          "--set are tuned one by one")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option("-n,--ranks", options->ranks, "Numbers of ranks, and ranges of them")
      ->required()
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("-s,--size", options->sizes, "Message sizes and ranges of them, ascending: 1KiB:1GiB:x4")
      ->required()
      ->delimiter(',')
      ->option_text("S[,S...]");
  verb->add_option("-o,--output", options->file,
                   "The file; of several platforms, ranks, policies or values a file each: rules.txt becomes "
                   "rules-summit-64.txt")
      ->option_text("FILE");
  verb->add_option("--collective", q.collectives,
                   "Collectives to tune (default: all that the library can be told about)")
      ->delimiter(',')
      ->option_text("C[,C...]");
  verb->add_flag(
      "--all", options->all,
      "Also lists every choice that the library can be told, with its time; as CSV that list alone");
  verb->add_option("--policy", options->policies, "The release whose defaults are compared, e.g. nccl-2.30")
      ->option_text("P[,P...]");
  add_engine(*verb, q.engine);
  add_placement(*verb, q.placement);
  auto* memory = verb->add_option("--memory", options->memory,
                                  "Where ranks keep their data (default: device for nccl, else host)")
                     ->transform(one_of(
                         std::map<std::string, Memory>{{"host", Memory::host}, {"device", Memory::device}}))
                     ->option_text("host|device");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE[,...]");
  add_plot(*verb, options->plot, "time over message size, by default and with the file");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast tune --for openmpi --platform frontera --ranks 64 --size 1KiB:4MiB:x4 -o rules.txt\n"
      "Example: collcast tune --for nccl --platform dgx-a100,dgx-h100 --ranks 16:64:x2 --size 1MiB:1GiB:x4");
  verb->callback([options, memory, &exit_code] { exit_code = run_tune(*options, memory->count() > 0); });
}

}  // namespace collcast::cli
