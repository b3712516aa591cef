// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "cli/options.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/workload_options.hpp"
#include "model/alternatives.hpp"
#include "model/collective.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/plan.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/verbs.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct CompareOptions : workloads::ReplayText {
  std::string nodes, budget, model;
  std::vector<std::string> on, platforms, sizes;
  std::string framework, precision, batch, global_batch, transport;  ///< these and `set` are for Several
  std::vector<std::string> set;
  bool engine_given = false;  ///< the verbs have different defaults
  Format format = Format::table;
};

/// What is asked of each platform: a verb of sweeps, and the setting with what is compared.
struct Compared {
  std::string verb, key, value;
};

std::string first_of(const std::string& list) {
  return list.empty() ? list : listed(list)[0];
}

Compared compared(const CompareOptions& options) {
  if (options.files.empty() == options.model.empty())
    throw InputError(
        "compare takes exactly one of: a trace, a collective, an application, a job's file, --model");
  if (!options.model.empty()) return {"train", "model", options.model};
  const std::string files = text::join(options.files, "\n"), names = text::join(options.files, ",");
  if (workloads::is_job(first_of(names))) return {"job", "job", names};
  if (files_like(files).empty()) {
    if (names.find_first_of("/.*?[") == std::string::npos) {
      for (const std::string& name : listed(names)) definition(name);  // throws, and lists the names
      return {"predict", "collective", names};
    }
    for (const std::string& word : options.files) read_file(word);  // throws, and says why
  }
  return {"replay", "trace", files};
}

/// A platform as the user changed it, and the numbers of ranks that take part; none: those of the subject.
struct Contender {
  std::string on, platform;
  std::vector<std::string> set, ranks;
  std::optional<double> price;  ///< USD per hour of a node
};

/// The platforms of one argument: "edr-cluster,network.bandwidth_GBps=25,50" is two.
std::vector<Contender> contenders(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const bool is_value = parts.size() > 1 && part.find_first_of("0123456789") == 0;
    if (is_value && part.find('=') == std::string::npos)
      parts.back() += ',' + part;
    else
      parts.push_back(part);
  }
  const std::vector<std::string> set(parts.begin() + 1, parts.end());
  for (const std::string& assignment : set)
    if (assignment.find('=') == std::string::npos)
      throw InputError("--on " + text + ": '" + assignment +
                       "' is not KEY=VALUE; another platform has an --on of its own");
  std::vector<Contender> all;
  for (const sweep::SetCase& c : sweep::set_cases(set)) {
    all.push_back({parts[0], parts[0], c.set, {}, {}});
    for (const std::string& assignment : c.set) all.back().on += ',' + assignment;
  }
  return all;
}

/// The number of ranks that the budget, in USD per hour, pays for.
std::int64_t paid_ranks(const Contender& c, const std::string& budget, int per_node, std::int64_t most,
                        std::vector<std::string>& notes) {
  if (!c.price)
    throw InputError("--budget: the price of " + c.on + " is unknown; add it after a comma, as in " +
                     c.platform + "," + workloads::price_key + "=20");
  const double paid = std::floor(parse_number(budget, "--budget", 0, 1e12) / *c.price);
  if (paid < 1) throw InputError("--budget: a node of " + c.on + " costs more");
  if (paid * per_node > static_cast<double>(most))
    add_once(notes, "--budget pays for more nodes than " + c.on + " has: it takes all of them");
  return static_cast<std::int64_t>(std::min(paid * per_node, static_cast<double>(most)));
}

/// Sets the contender's price, and its numbers of ranks as asked for.
void complete(Contender& c, const CompareOptions& options, std::vector<std::string>& notes) {
  Description platform = load_platform(c.platform);
  set_all(platform, c.set);
  for (const Parameter& p : platform.parameters())
    if (p.path == workloads::price_key && p.value > 0) c.price = p.value;
  const int per_node = workloads::ranks_per_node(platform);
  const std::int64_t most = max_ranks(platform);
  c.ranks = listed(options.ranks);
  for (const std::string& nodes : listed_counts(options.nodes)) {
    const std::int64_t ranks = per_node * parse_count(nodes, "--nodes", 1, 1 << 24);
    if (ranks > most)
      throw InputError("--nodes " + nodes + ": " + c.on + " holds " + text::counted(most, "rank") + ", not " +
                       std::to_string(ranks));
    c.ranks.push_back(std::to_string(ranks));
  }
  for (const std::string& list : listed(options.budget))
    for (const std::string& budget : setting_values(list))
      c.ranks.push_back(std::to_string(paid_ranks(c, budget, per_node, most, notes)));
}

/// "8 ranks of\n pw.x -in qe-si.in\nrecorded in 6.23 s (...)", as far as the trace tells.
std::string title(const Source& trace) {
  const SourceInfo& info = trace.info();
  std::string text = info.name + ": " + text::counted(trace.ranks(), "rank");
  if (!info.command.empty()) text += " of\n  " + info.command;
  if (info.recorded.value > 0)
    text += "\nrecorded in " + seconds(info.recorded.value) +
            (info.memory == Memory::device ? "" : " (on a machine that its ranks may have shared)");
  return text;
}

/// The points asked of a platform: a grid of the same size as every other platform's.
sweep::Space space(const CompareOptions& options, const Compared& of, const Contender& c,
                   const CLI::App& line) {
  Several cases(of.verb, line, {"platform", "ranks", "algorithm"});
  cases.add("platform", std::vector{c.platform});
  cases.add(of.key, of.verb == "replay" ? std::vector{of.value} : listed(of.value));
  cases.add("ranks", c.ranks);
  cases.set(c.set);
  if (of.verb == "predict") {
    std::vector<std::string> names;
    for (const std::string& several : options.algorithms)
      std::ranges::copy(listed(several), std::back_inserter(names));
    cases.add("algorithm", names);
    if (options.sizes.empty()) cases.add("size", "0");
  } else if (of.verb == "replay") {
    cases.add("algorithm", algorithm_cases(options.algorithms));
    cases.add("engine", options.engine);  // also the default, which is not that of sweeps
  }
  return cases.space("compare");
}

std::vector<Column> columns(const Compared& of, const Json& rows) {
  std::vector<Column> all{text_of("platform", "platform"), count_of("ranks", "ranks"),
                          count_of("nodes", "nodes")};
  if (std::ranges::any_of(rows, [](const Json& r) { return !r["hourly_USD"].is_null(); }))
    all.push_back(number_of("USD/h", "hourly_USD", number));
  std::ranges::move(
      of.verb != "predict"
          ? workloads::time_columns(of.verb)
          : std::vector<Column>{number_of("message", "message_bytes", bytes),
                                text_of("algorithm", "algorithm"), number_of("time", "time_s", seconds),
                                number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
                                text_of("limited by", "limited_by")},
      std::back_inserter(all));
  return all;
}

/// Shows idle time in a column of its own if ranks of a replay are idle.
void tell_idle(Report& report) {
  if (!workloads::shows_idle(report.sections[0])) return;
  const std::string parts = "exposed communication";
  report.remark.replace(report.remark.find(parts), parts.size(), parts + " + idle");
}

/// What is compared, in a line or a few.
void describe(Report& report, const CompareOptions& options, const Compared& of) {
  report.head = {{of.key, of.value}};
  report.title = of.value + (options.engine_given ? ", engine " + options.engine : "");
  if (options.engine_given) report.head["engine"] = options.engine;
  if (of.verb != "replay") return;
  const auto source =
      open_source(workloads::trace_files(of.value), workloads::steps(first_of(options.steps)));
  const std::string& said = options.compute_scale;
  const std::string scale =
      first_of(said) != said || is_range(said) ? said : number(parse_number(said, "--compute-scale", 0, 1e9));
  report.head = {{"trace", source->info().name}, {"engine", options.engine}, {"ranks", source->ranks()}};
  report.title = title(*source);
  report.remark =
      "total = compute + exposed communication: means over the ranks, which include\n"
      "waiting for others. low and high: the total at both ends of the platform's\n"
      "uncertainty.\n"
      "compute: the " +
      computation_of(source->info()) + ", times " + scale +
      ". `collcast replay` shows every operation of one run.";
}

/// Whether an option belongs to what a verb answers. Here DPUs play collectives of traces only.
bool belongs(const std::string& option, const sweep::Verb& verb) {
  const auto is = [&](const sweep::Key& key) { return option_of(key.name) == option; };
  return std::ranges::any_of(verb.keys, is) && (option != "--offload" || verb.name == "replay");
}

/// Throws InputError if an option was given that does not go with the subject.
void require_fitting(const CLI::App& line, const std::string& subject) {
  const std::vector<sweep::Verb> verbs = workloads::verbs();
  for (const CLI::Option* option : line.get_options()) {
    std::vector<std::string_view> subjects;
    for (const sweep::Verb& verb : verbs)
      if (belongs(option->get_name(), verb)) subjects.push_back(verb.name);
    if (option->count() > 0 && !subjects.empty() && std::ranges::count(subjects, subject) == 0)
      throw InputError(option->get_name() + " goes with what `" + std::string(subjects.back()) +
                       "` answers, not with what `" + subject + "` does");
  }
}

/// Throws InputError if options are missing or do not go together.
void check_asked(const CompareOptions& options, const Compared& of) {
  if (!options.ranks.empty() + !options.nodes.empty() + !options.budget.empty() > 1)
    throw InputError(
        "--ranks, --nodes and --budget do not go together: each says what all platforms have in common");
  if (of.verb == "predict" && options.sizes.empty() && of.value != "barrier")
    throw InputError("--size is required: how large the messages of " + of.value + " are");
  if ((of.verb == "predict" || of.verb == "train") && options.ranks.empty() && options.nodes.empty() &&
      options.budget.empty())
    throw InputError("one of --ranks, --nodes and --budget is required");
  if (options.on.empty() && options.platforms.empty())
    throw InputError("--on or --platform is required; see collcast compare --help");
  for (const std::string& engine : listed(options.engine)) playing_engine(engine);
}

std::vector<Contender> all_contenders(const CompareOptions& options) {
  std::vector<Contender> all;
  for (const auto* names : {&options.on, &options.platforms})
    for (const std::string& text : *names) std::ranges::move(contenders(text), std::back_inserter(all));
  return all;
}

/// A row of an answer, with the contender that it is of.
Json named_row(const Contender& of, const sweep::Space& space, std::int64_t number, const Json& row) {
  Json named{{"platform", of.on}};
  named.update(sweep::row_at(space, number, row));
  named.erase("point");
  named["platform"] = of.on;
  named["hourly_USD"] = of.price ? Json(*of.price * row["nodes"].get<double>()) : Json();
  return named;
}

bool was_refused(const Answered& answer) {
  return !answer.refused.empty();
}

/// The rows of the answers, of which each contender has as many; adds their notes. Throws InputError if all
/// were refused, or the only one of some contender.
Json answered_rows(Report& report, const std::vector<Answered>& answers, const std::vector<Contender>& all,
                   const std::vector<sweep::Space>& spaces) {
  const bool none = std::ranges::all_of(answers, was_refused);
  Json rows = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::size_t which = i % all.size();
    const auto number = static_cast<std::int64_t>(i / all.size());
    if (was_refused(answers[i])) {
      if (answers.size() == all.size() || none) throw InputError(answers[i].refused);
      add_once(report.notes, "a case of " + all[which].on + " was refused: " + answers[i].refused);
    }
    for (const Json& row : answers[i].rows.rows)
      rows.push_back(named_row(all[which], spaces[which], number, row));
    for (const std::string& words : answers[i].rows.notes) add_once(report.notes, words);
  }
  return rows;
}

int run_compare(const CompareOptions& options, const CLI::App& line) {
  const Compared of = compared(options);
  check_asked(options, of);
  Report report;
  describe(report, options, of);
  std::vector<Contender> all = all_contenders(options);
  const sweep::Verb verb = sweep_verb(of.verb);
  std::vector<sweep::Space> spaces;
  for (Contender& c : all) {
    complete(c, options, report.notes);
    spaces.push_back(space(options, of, c, line));
  }
  std::vector<sweep::Point> points;
  for (std::int64_t number = 0; number < spaces[0].size(); ++number)
    for (const sweep::Space& one : spaces) points.push_back(one.at(number));
  const std::vector<Answered> answers = ask_all(of.verb, points);
  Json rows = answered_rows(report, answers, all, spaces);
  std::vector<Column> shown = columns_with_settings(spaces[0], verb.keys, rows, columns(of, rows));
  report.sections = {{"runs", std::move(rows), std::move(shown)}};
  if (of.verb == "replay") tell_idle(report);
  if (of.verb == "train") workloads::tell_memory(report);
  const bool fit = workloads::tell_what_fits(report);
  print(report, options.format);
  return fit && std::ranges::none_of(answers, was_refused) ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare", "A trace, a collective or a job on several platforms, side by side");
  verb->add_option(
          "what", options->files,
          "A trace's files, as in `replay`; a collective; or an application or a job's file, as in `job`")
      ->option_text("FILE...|COLLECTIVE|JOB");
  add_texts(*verb, {{"-m,--model", &options->model, "M", "Or a training step of this model, as in `train`"},
                    {"--framework", &options->framework, "F[,F...]", "Of --model"},
                    {"--precision", &options->precision, "fp32|tf32|amp|fp8", "Of --model"},
                    {"--batch", &options->batch, "B", "Of --model"},
                    {"--global-batch", &options->global_batch, "B", "Of --model"}});
  verb->get_option("--global-batch")->excludes("--batch");
  verb->add_option("-s,--size", options->sizes, "Message sizes of a collective")
      ->delimiter(',')
      ->option_text("S[,S...]");
  verb->add_option("--on", options->on,
                   "A platform, with changes after commas; may be repeated, a row each. "
                   "P,network.bandwidth_GBps=25,50 is two")
      ->option_text("P[,KEY=VALUE[,VALUE...]...]");
  verb->add_option("-p,--platform", options->platforms, "Platforms as they are, a row each")
      ->delimiter(',')
      ->option_text("P[,P...]");
  verb->add_option("--set", options->set,
                   "Overrides a parameter of every platform, e.g. network.bandwidth_GBps=25; several values "
                   "give a row each. So do several of any other option but --on, for each platform")
      ->option_text("KEY=VALUE[,...]");
  add_transport(*verb, options->transport);
  add_replay_options(*verb, *options);
  verb->get_option("--algorithm")
      ->description("Of a trace's collectives, as in `replay`; or of the collective: ring")
      ->option_text("COLLECTIVE[@SIZE]=A|A");
  verb->get_option("--ranks")
      ->description("Numbers of ranks on each platform; of a trace: replicas along its data dimension")
      ->option_text("N[,N...]");
  add_texts(
      *verb,
      {{"--nodes", &options->nodes, "N[,N...]", "Numbers of nodes of each platform, filled with ranks"},
       {"--budget", &options->budget, "X[,X...]",
        "As many nodes of each platform as X USD per hour pay for (node.price_per_hour_USD)"},
       {"--steps", &options->steps, "A[-B]", "Only these steps of a profiler trace, by their numbers"}});
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast compare traces/qe-si-8.cct --on summit --on edr-cluster,network.bandwidth_GBps=50\n"
      "Example: collcast compare --model resnet50 --nodes 1:16:x4 --platform summit,dgx-a100 --framework "
      "ddp,horovod\n"
      "Example: collcast compare allreduce --size 1MiB,64MiB --budget 100 --on "
      "dgx-a100,node.price_per_hour_USD=20 --on summit,node.price_per_hour_USD=8");
  verb->callback([options, verb, &exit_code] {
    options->engine_given = verb->count("--engine") > 0;
    require_fitting(*verb, compared(*options).verb);
    exit_code = run_compare(*options, *verb);
  });
}

}  // namespace collcast::cli
