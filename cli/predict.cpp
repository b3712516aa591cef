// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iostream>

#include "algorithms/exchange/point/point.hpp"
#include "cli/interrupt.hpp"
#include "cli/offload.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "forecast/library.hpp"
#include "libraries/policy.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"

namespace collcast::cli {
namespace {

struct Options {
  Subject subject;
  std::string platform, policy = "fastest", placement = "block", engine = "path";
  std::vector<std::string> sizes, set;
  Memory memory = Memory::device;
  CallOptions call;
  OffloadOptions offload;
  Format format = Format::table;
};

Json row(const Prediction& p) {
  const Definition& d = definition(p.algorithm->collective);
  return {{"collective", d.name},
          {"algorithm", p.algorithm->name},
          {"parameters", parameters(*p.algorithm, p.call)},
          {"ranks", p.call.ranks},
          {"root", d.rooted ? Json(p.call.root) : Json()},
          {"message_bytes", std::llround(p.call.message.value)},
          {"time_s", p.time.value},
          {"low_s", p.low.value},
          {"high_s", p.high.value},
          {"lower_bound_s", p.lower_bound.value},
          {"algbw_GBps", p.algorithm_bandwidth().value / 1e9},
          {"busbw_GBps", p.bus_bandwidth().value / 1e9},
          {"limited_by", p.limited_by},
          {"calibrated", p.calibrated}};
}

/// The algorithms that were asked for, null for the fastest, and a note for each that cannot be played here.
std::vector<const Algorithm*> chosen(const Options& options, Collective collective, Rank ranks,
                                     const Forecaster& forecaster, Json& notes) {
  if (options.subject.algorithm == "auto") return {nullptr};
  if (options.subject.algorithm != "all") return {&algorithm(collective, options.subject.algorithm)};
  std::vector<const Algorithm*> able;
  for (const Algorithm* a : algorithms(collective)) {
    std::string missing = forecaster.lacks(*a);
    if (!a->supports(ranks)) missing = "ranks: " + a->ranks;
    if (missing.empty())
      able.push_back(a);
    else
      notes.push_back(a->name + " is left out on " + std::to_string(ranks) + " ranks: it needs " + missing);
  }
  return able;
}

/// The algorithms as they are played: by the ranks, or on their DPU.
class Played {
 public:
  explicit Played(bool on_dpu) : on_dpu_(on_dpu) {}
  const Algorithm* operator()(const Algorithm* a) {
    return on_dpu_ ? &offloaded_.emplace_back(on_dpu(*a)) : a;
  }

 private:
  bool on_dpu_;
  std::deque<Algorithm> offloaded_;
};

Choice quickest(const Forecaster& forecaster, std::vector<const Algorithm*> common,
                const CallOptions& options, const Call& call, Played& played) {
  const std::string name(definition(common.at(0)->collective).name);
  std::ranges::transform(common, common.begin(), std::ref(played));
  const auto tell = [&](const Algorithm& a) {
    progress("looking for the fastest on " + std::to_string(call.ranks) + " ranks: " + a.name);
  };
  const Choice best =
      fastest(forecaster.fabric(), common, call, parse_segment(options, call.message, true), tell);
  if (best.algorithm) return best;
  throw InputError("no algorithm for " + name + " on " + std::to_string(call.ranks) + " ranks");
}

Json forecast(const Options& options, const Forecaster& forecaster, const Choice& choice, int workers) {
  const Algorithm& a = *choice.algorithm;
  if (!options.offload.asked()) return row(forecaster.predict(a, choice.call, engine(options.engine)));
  const auto [prediction, overlap] =
      predict(options.offload, forecaster, a, choice.call, engine(options.engine));
  Json answer = row(prediction);
  add_overlap(answer, options.offload, workers, overlap);
  return answer;
}

/// What the library of the policy would pick, with its parameters and, where it has any, its protocol.
Json of_policy(const Options& options, const Description& description, Collective collective, Rank ranks,
               const std::vector<Bytes>& sizes, Json& notes) {
  const Library library(options.policy, description, ranks, parse_placement(options.placement),
                        options.memory);
  Json rows = Json::array();
  for (Bytes size : sizes) {
    const Call asked =
        plain_call(options.call, collective, ranks, size, library.forecaster().ranks_per_node());
    const Library::Forecast f = library.predict(collective, asked, engine(options.engine));
    rows.push_back(row(f.prediction));
    if (!f.choice.protocol.empty()) rows.back()["parameters"]["protocol"] = f.choice.protocol;
    notes.push_back(std::to_string(ranks) + " ranks, " + bytes(size.value) + ": " + f.choice.why);
  }
  return rows;
}

Json predictions(const Options& options, const Algorithm* imported, const Description& description,
                 Json& notes) {
  const Collective collective = definition(options.subject.collective).collective;
  const Placement placement = parse_placement(options.placement);
  std::vector<Rank> all_ranks;
  std::vector<Bytes> all_sizes;
  for (const std::string& text : options.subject.ranks) all_ranks.push_back(parse_ranks(text));
  for (const std::string& text : options.sizes) all_sizes.push_back(parse_size(text));
  if (all_sizes.empty()) all_sizes = {counted_message(options.call, collective, all_ranks[0])};

  const int workers = collcast::cli::workers(options.offload, description);
  const bool every = options.subject.algorithm == "all";
  const bool all = every || options.subject.algorithm == "auto";
  const std::vector<const Algorithm*> asked =
      imported ? std::vector{imported}
      : all    ? algorithms(collective)
               : std::vector{&algorithm(collective, options.subject.algorithm)};
  for (const std::string& note : untaken(options.call, collective, asked)) notes.push_back(note);

  Json rows = Json::array();
  for (Rank ranks : all_ranks) {
    if (options.policy != "fastest") {
      for (const Json& r : of_policy(options, description, collective, ranks, all_sizes, notes))
        rows.push_back(r);
      continue;
    }
    const Forecaster forecaster(description, ranks, placement, options.memory, workers);
    const std::vector<const Algorithm*> candidates =
        imported ? std::vector{imported} : chosen(options, collective, ranks, forecaster, notes);
    for (Bytes size : all_sizes) {
      const Call call = plain_call(options.call, collective, ranks, size, forecaster.ranks_per_node());
      for (const Algorithm* a : candidates) {
        if (interrupted()) return notes.push_back("interrupted: what follows was not computed"), rows;
        if (a) progress("predicting " + a->name + " on " + std::to_string(ranks) + " ranks");
        if (const std::string why = every ? forecaster.unwise(*a, size) : ""; !why.empty()) {
          notes.push_back(a->name + " is left out at " + bytes(size.value) + ": " + why);
          continue;
        }
        Played played(options.offload.to_dpu());
        const Algorithm* one = a ? played(a) : nullptr;
        const Choice choice =
            one ? Choice{one, make_call(*one, options.call, call, &forecaster.fabric())}
                : quickest(forecaster, common_algorithms(collective), options.call, call, played);
        rows.push_back(forecast(options, forecaster, choice, workers));
      }
    }
  }
  progress_end();
  return rows;
}

std::string name_with_parameters(const Json& r) {
  const Json& given = r["parameters"];
  std::string name = r["algorithm"];
  if (given.contains("radix")) name += " k=" + given["radix"].dump();
  if (given.contains("channels")) name += " c=" + given["channels"].dump();
  if (given.contains("ranks_per_node")) name += " q=" + given["ranks_per_node"].dump();
  if (given.contains("protocol")) name += " " + given["protocol"].get<std::string>();
  if (given.contains("segments")) name += " K=" + given["segments"].dump() + " x " + bytes(given["segment"]);
  return name;
}

std::vector<std::vector<std::string>> table_of_times(const Json& rows) {
  std::vector<std::vector<std::string>> table{
      {"ranks", "message", "algorithm", "time", "low", "high", "bound", "algbw", "busbw", "limited by"}};
  for (const Json& r : rows)
    table.push_back({r["ranks"].dump(), bytes(r["message_bytes"]), name_with_parameters(r),
                     seconds(r["time_s"]), seconds(r["low_s"]), seconds(r["high_s"]),
                     seconds(r["lower_bound_s"]), gbps(r["algbw_GBps"]), gbps(r["busbw_GBps"]),
                     r["limited_by"]});
  return table;
}

std::vector<std::vector<std::string>> table_of_overlap(const Json& rows) {
  std::vector<std::vector<std::string>> table{{"ranks", "message", "algorithm", "alone", "low", "high",
                                               "computation", "both", "overlap", "limited by"}};
  for (const Json& r : rows)
    table.push_back(
        {r["ranks"].dump(), bytes(r["message_bytes"]), name_with_parameters(r), seconds(r["time_s"]),
         seconds(r["low_s"]), seconds(r["high_s"]), seconds(r["compute_s"]), seconds(r["total_s"]),
         std::to_string(std::lround(r["overlap_percent"].get<double>())) + " %", r["limited_by"]});
  return table;
}

void print(const Options& options, const Description& description, const Json& rows, const Json& notes) {
  if (options.format == Format::json) {
    Json answer{{"platform", description.name()}, {"engine", options.engine}, {"predictions", rows}};
    if (!notes.empty()) answer["notes"] = notes;
    std::cout << answer.dump(2) << '\n';
    return;
  }
  if (options.format == Format::csv) {
    print_csv(rows);
  } else {
    std::cout << options.subject.collective << " on " << description.name() << ", engine " << options.engine
              << heading(options.offload, description) << "\n\n";
    print_table(options.offload.asked() ? table_of_overlap(rows) : table_of_times(rows));
    if (!rows.empty() && !rows[0]["calibrated"].get<bool>())
      std::cout << "\nNot calibrated: some parameters of " << description.name()
                << " are datasheet values or guesses; `collcast platforms " << description.name()
                << "` lists them.\n";
  }
  for (const Json& note : notes) std::cerr << "note: " << note.get<std::string>() << '\n';
}

int run(Options& options) {
  if (options.subject.algorithm.empty() && options.subject.import.empty()) options.subject.algorithm = "auto";
  const auto imported = import(options.subject, options.call);
  if (imported && imported->wrong) {
    std::cerr << "collcast: " << imported->refusal() << '\n';
    return 1;
  }
  Description description = load_platform(options.platform);
  override_platform(description, options.set);
  const std::string& name = options.subject.algorithm;
  if (!imported && name != "all" && name != "auto")
    algorithm(definition(options.subject.collective).collective, name);
  if (options.policy != "fastest" && (imported || name != "auto"))
    throw InputError("--policy goes with --algorithm auto");
  const Engine& engine = collcast::engine(options.engine);
  check(options.offload, engine);
  if (options.policy != "fastest" && options.offload.asked())
    throw InputError("--offload does not go with --policy");
  Json notes = Json::array();
  if (engine.name == "formula" && description.name() != "flat")
    notes.push_back("the formula takes alpha, beta and gamma of the slowest path that the schedule uses");
  if (imported && imported->unused_messages > 0)
    notes.push_back(std::to_string(imported->unused_messages) +
                    " messages of the file whose data no result needs are left out");
  const Json rows = predictions(options, imported ? &imported->algorithm : nullptr, description, notes);
  print(options, description, rows, notes);
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("predict", "How long a collective takes on a platform");
  add_subject(*verb, options->subject,
              "A name from `collcast algorithms`, all, or auto (default): the fastest by critical path");
  verb->add_option("--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("--size", options->sizes,
                   "Message sizes, as nccl-tests counts them (default: what --counts add up to)")
      ->delimiter(',')
      ->option_text("S[,S...]");
  add_policy(*verb, options->policy, "What auto does");
  add_engine(*verb, options->engine);
  add_placement(*verb, options->placement);
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_memory(*verb, options->memory);
  add_call_options(*verb, options->call);
  add_offload(*verb, options->offload);
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast predict allreduce --platform summit --ranks 6,96 --size 4KiB,64MiB --algorithm all\n"
      "Example: collcast predict alltoall --platform bluefield-2-cluster --ranks 128 --size 64KiB --offload "
      "dpu\n"
      "Example: collcast predict --import allpairs.xml.gz --platform summit --size 64MiB");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace collcast::cli
