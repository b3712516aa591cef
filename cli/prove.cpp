// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "model/proof.hpp"

namespace collcast::cli {
namespace {

struct Options {
  std::string collective, algorithm, ranks, size = "1MiB";
  CallOptions call;
  Format format = Format::table;
};

Json prove_call(const Algorithm& a, const Call& call) {
  const Schedule schedule = a.schedule(call);
  const Layout sizes = layout(a, call, schedule);
  const Traffic t = traffic(schedule);
  const auto wrong = prove(schedule, a.collective, call.root);
  auto bytes_of = [&](Block blocks) {
    return std::llround(sizes.size({0, 1}).value * static_cast<double>(blocks));
  };
  Json answer{{"collective", definition(a.collective).name},
              {"algorithm", a.name},
              {"ranks", call.ranks},
              {"message_bytes", std::llround(call.message.value)},
              {"holds", !wrong},
              {"steps", schedule.steps},
              {"messages", t.messages},
              {"bytes_on_wire", bytes_of(t.blocks)},
              {"max_messages_per_rank_sent", t.max_messages_sent},
              {"max_bytes_per_rank_sent", bytes_of(t.max_blocks_sent)}};
  if (wrong)
    answer["counterexample"] = {{"rank", wrong->rank}, {"block", wrong->block}, {"what", wrong->what}};
  return answer;
}

int run(const Options& options) {
  const Algorithm& a = algorithm(definition(options.collective).collective, options.algorithm);
  const Call call = make_call(a, options.call, parse_ranks(options.ranks), parse_size(options.size));
  const Json answer = prove_call(a, call);
  if (options.format == Format::json) {
    std::cout << answer.dump(2) << '\n';
  } else if (options.format == Format::csv) {
    print_csv(Json::array({answer}));
  } else {
    const std::string name = std::string(definition(a.collective).name) + " " + std::string(a.name);
    if (answer["holds"].get<bool>())
      std::cout << name << " on " << call.ranks
                << " ranks holds: every rank ends with exactly what the collective "
                << "promises.\n";
    else
      std::cout << name << " on " << call.ranks << " ranks does not hold: block "
                << answer["counterexample"]["block"] << " of rank " << answer["counterexample"]["rank"] << " "
                << answer["counterexample"]["what"].get<std::string>() << ".\n";
    print_table({{"steps", "messages", "bytes on the wire", "most messages from one rank",
                  "most bytes from one rank"},
                 {count(answer["steps"]), count(answer["messages"]), bytes(answer["bytes_on_wire"]),
                  count(answer["max_messages_per_rank_sent"]), bytes(answer["max_bytes_per_rank_sent"])}});
  }
  return answer["holds"].get<bool>() ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("prove", "Proves that an algorithm computes its collective, by symbolic execution");
  verb->add_option("collective", options->collective, "allreduce, broadcast, ...")->required();
  verb->add_option("--algorithm", options->algorithm, "A name from `collcast algorithms`")
      ->required()
      ->option_text("A");
  verb->add_option("--ranks", options->ranks, "Number of ranks")->required()->option_text("N");
  verb->add_option("--size", options->size, "Message size (default 1MiB)")->option_text("S");
  add_call_options(*verb, options->call);
  add_format(*verb, options->format);
  verb->footer(
      "Exit code 1 and a counterexample if it does not hold.\n"
      "Example: collcast prove allreduce --algorithm ring --ranks 1024");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace collcast::cli
