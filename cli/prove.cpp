// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "model/proof.hpp"

namespace collcast::cli {
namespace {

struct Options {
  Subject subject;
  std::string size = "1MiB";
  CallOptions call;
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

Json prove_call(const Algorithm& a, const Call& call) {
  const Schedule schedule = a.schedule(call);
  const Layout sizes = layout(a, call, schedule);
  const Traffic t = traffic(schedule);
  auto bytes_of = [&](Block blocks) {
    return std::llround(sizes.size({0, 1}).value * static_cast<double>(blocks));
  };
  Json answer = verdict(a, call.ranks, prove(schedule, a.collective, call.root));
  answer.update({{"message_bytes", std::llround(call.message.value)},
                 {"steps", schedule.steps},
                 {"messages", t.messages},
                 {"bytes_on_wire", bytes_of(t.blocks)},
                 {"max_messages_per_rank_sent", t.max_messages_sent},
                 {"max_bytes_per_rank_sent", bytes_of(t.max_blocks_sent)}});
  return answer;
}

Json prove(Subject subject, CallOptions options, Bytes size) {
  const auto imported = import(subject, options);
  if (subject.ranks.size() != 1) throw InputError("prove takes one number of ranks");
  if (imported && imported->wrong) return verdict(imported->algorithm, imported->ranks, imported->wrong);
  const Algorithm& a = imported ? imported->algorithm
                                : algorithm(definition(subject.collective).collective, subject.algorithm);
  return prove_call(a, make_call(a, options, parse_ranks(subject.ranks[0]), size));
}

void print(const Json& answer) {
  std::cout << answer["collective"].get<std::string>() << ' ' << answer["algorithm"].get<std::string>()
            << " on " << answer["ranks"] << " ranks ";
  if (answer["holds"].get<bool>())
    std::cout << "holds: every rank ends with exactly what the collective promises.\n";
  else
    std::cout << "does not hold: block " << answer["counterexample"]["block"] << " of rank "
              << answer["counterexample"]["rank"] << ' '
              << answer["counterexample"]["what"].get<std::string>() << ".\n";
  if (!answer.contains("steps")) return;
  print_table(
      {{"steps", "messages", "bytes on the wire", "most messages from one rank", "most bytes from one rank"},
       {count(answer["steps"]), count(answer["messages"]), bytes(answer["bytes_on_wire"]),
        count(answer["max_messages_per_rank_sent"]), bytes(answer["max_bytes_per_rank_sent"])}});
}

int run(const Options& options) {
  const Json answer = prove(options.subject, options.call, parse_size(options.size));
  if (options.format == Format::json)
    std::cout << answer.dump(2) << '\n';
  else if (options.format == Format::csv)
    print_csv(Json::array({answer}));
  else
    print(answer);
  return answer["holds"].get<bool>() ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("prove", "Proves that an algorithm computes its collective, by symbolic execution");
  add_subject(*verb, options->subject, "A name from `collcast algorithms`");
  verb->add_option("--size", options->size, "Message size (default 1MiB)")->option_text("S");
  add_call_options(*verb, options->call);
  add_format(*verb, options->format);
  verb->footer(
      "Exit code 1 and a counterexample if it does not hold.\n"
      "Example: collcast prove allreduce --algorithm ring --ranks 1024\n"
      "Example: collcast prove --import allpairs.xml.gz");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace collcast::cli
