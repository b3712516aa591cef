// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/interrupt.hpp"
#include "cli/offload.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "forecast/report/answer.hpp"
#include "model/ranges.hpp"

namespace collcast::cli {
namespace {

struct Options {
  Subject subject;
  std::string platforms;
  std::vector<std::string> sizes;
  Question question;
  Format format = Format::table;
};

int run(Options& options) {
  Question& question = options.question;
  if (options.subject.algorithm.empty() && options.subject.import.empty()) options.subject.algorithm = "auto";
  const auto imported = import(options.subject, question.call);
  if (imported && imported->wrong) {
    std::cerr << "collcast: " << imported->refusal() << '\n';
    return 1;
  }
  if (imported) question.imported = &*imported;
  question.collectives = {options.subject.collective};
  question.algorithm = options.subject.algorithm;
  question.platforms = CLI::detail::split(options.platforms, ',');
  question.ranks = parse_rank_counts(options.subject.ranks);
  question.sizes = parse_sizes(options.sizes);
  catch_interrupts();
  const Answer answer = ask(question, {progress, &interrupt_flag()});
  progress_end();
  print(report::make(answer), options.format);
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("predict", "How long a collective takes on a platform");
  add_subject(*verb, options->subject,
              "A name from `collcast algorithms`, all, or auto (default): the fastest by critical path");
  verb->add_option("-p,--platform", options->platforms, "Names from `collcast platforms`, or files")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option(
          "-s,--size", options->sizes,
          "Message sizes, as nccl-tests counts them, and ranges of them: 64KiB,1MiB:1GiB:x4; k, M and G are "
          "binary (default: what --counts add up to)")
      ->delimiter(',')
      ->option_text("S[,S...]");
  add_policy(*verb, options->question.policy, "What auto does");
  add_engine(*verb, options->question.engine);
  add_placement(*verb, options->question.placement);
  verb->add_option("--set", options->question.set,
                   "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_memory(*verb, options->question.memory);
  add_call_options(*verb, options->question.call);
  add_offload(*verb, options->question.offload);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast predict allreduce --platform summit --ranks 6,96 --size 4KiB,64MiB --algorithm all\n"
      "Example: collcast predict alltoall --platform bluefield-2-cluster --ranks 128 --size 64KiB --offload "
      "dpu\n"
      "Example: collcast predict --import allpairs.xml.gz --platform summit --size 64MiB");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace collcast::cli
