// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "model/proof.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

struct ProveOptions {
  Subject subject;
  std::string size;  ///< empty: what the counts add up to, or 1 MiB
  CallText call;
  Format format = Format::table;
};

Json verdict(const Algorithm& a, Rank ranks, const std::optional<Counterexample>& wrong) {
  Json answer{{"collective", definition(a.collective).name},
              {"algorithm", a.name},
              {"ranks", ranks},
              {"holds", !wrong}};
  if (wrong)
    answer["counterexample"] = {{"rank", wrong->rank}, {"block", wrong->block}, {"what", wrong->what}};
  return answer;
}

/// What each rank sends; for schedules without multicasts.
std::vector<Bytes> sent(const Schedule& schedule, const Layout& sizes) {
  std::vector<Bytes> bytes(static_cast<std::size_t>(schedule.ranks));
  for_each_step(schedule, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers)
      if (t.from.rank != t.to.rank) bytes[static_cast<std::size_t>(t.from.rank)] += sizes.size(step, t);
  });
  return bytes;
}

Json prove_call(const Algorithm& a, const Call& call) {
  const Schedule schedule = a.schedule(call);
  const Layout sizes = layout(a, call, schedule);
  const auto began = [&](std::int64_t step) { progress_of("steps", step, schedule.steps); };
  const auto wrong = prove(schedule, a.collective, call.root, began);
  progress_end();
  const Traffic t = traffic(schedule);
  Json answer = verdict(a, call.ranks, wrong);
  Bytes all = sizes.equal_blocks() ? static_cast<double>(t.blocks) * sizes.size({0, 1}) : Bytes();
  Bytes most = sizes.equal_blocks() ? static_cast<double>(t.max_blocks_sent) * sizes.size({0, 1}) : Bytes();
  if (!sizes.equal_blocks())
    for (Bytes b : sent(schedule, sizes)) all += b, most = std::max(most, b);
  answer.update({{"message_bytes", std::llround(call.message.value)},
                 {"steps", schedule.steps},
                 {"messages", t.messages},
                 {"bytes_on_wire", std::llround(all.value)},
                 {"max_messages_per_rank_sent", t.max_messages_sent},
                 {"max_bytes_per_rank_sent", std::llround(most.value)}});
  return answer;
}

Json prove(Subject subject, CallText options, const std::string& size) {
  const auto imported = import(subject, options);
  if (subject.ranks.size() != 1) throw InputError("prove takes a single number for --ranks");
  if (imported && imported->wrong) return verdict(imported->algorithm, imported->ranks, imported->wrong);
  const Algorithm& a = imported ? imported->algorithm
                                : algorithm(definition(subject.collective).collective, subject.algorithm);
  const Rank ranks = parse_ranks(subject.ranks[0]);
  const Bytes message = whole_message(size, options, a.collective, ranks);
  const Call call = make_call(a, options, plain_call(options, a.collective, ranks, message));
  for (const std::string& words : untaken(options, a.collective, std::array{&a})) note(words);
  return prove_call(a, call);
}

void print_proof(const Json& answer) {
  const std::string what = answer["collective"].get<std::string>() + ' ' +
                           answer["algorithm"].get<std::string>() + " on " + dump(answer["ranks"]) +
                           " ranks ";
  print_text(answer["holds"].get<bool>()
                 ? what + "holds: every rank ends with exactly what the collective promises.\n"
                 : what + "does not hold: block " + dump(answer["counterexample"]["block"]) + " of rank " +
                       dump(answer["counterexample"]["rank"]) + ' ' +
                       answer["counterexample"]["what"].get<std::string>() + ".\n");
  if (!answer.contains("steps")) return;
  print_table(
      {{"steps", "messages", "bytes on the wire", "most messages from one rank", "most bytes from one rank"},
       {count(answer["steps"]), count(answer["messages"]), bytes(answer["bytes_on_wire"]),
        count(answer["max_messages_per_rank_sent"]), bytes(answer["max_bytes_per_rank_sent"])}});
}

int run_prove(const ProveOptions& options) {
  const Json answer = prove(options.subject, options.call, options.size);
  if (options.format == Format::json)
    print_json(answer);
  else if (options.format == Format::csv)
    print_csv(Json::array({answer}));
  else
    print_proof(answer);
  return answer["holds"].get<bool>() ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProveOptions>();
  CLI::App* verb =
      app.add_subcommand("prove", "Proves that an algorithm computes its collective, by symbolic execution");
  add_subject(*verb, options->subject, "A name from `collcast algorithms`");
  verb->add_option("-s,--size", options->size, "Message size (default 1MiB, or what --counts add up to)")
      ->option_text("S");
  add_call_options(*verb, options->call, false);
  add_format(*verb, options->format);
  verb->footer(
      "Exit code 1 and a counterexample if it does not hold.\n"
      "Example: collcast prove allreduce --algorithm ring --ranks 1024\n"
      "Example: collcast prove --import allpairs.xml.gz");
  verb->callback([options, &exit_code] { exit_code = run_prove(*options); });
}

}  // namespace collcast::cli
