// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <optional>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

struct AlgorithmsOptions {
  std::string collective;
  Format format = Format::table;
};

Json parameter_names(const Algorithm& a) {
  Json names = Json::array();
  if (definition(a.collective).rooted) names.push_back("root");
  for (std::string_view name : parameters(a)) names.push_back(name);
  return names;
}

Json algorithm_row(const Algorithm& a) {
  return {{"collective", definition(a.collective).name},
          {"algorithm", a.name},
          {"description", a.description},
          {"ranks", a.ranks},
          {"parameters", parameter_names(a)},
          {"formula", a.formula},
          {"exact", a.exact},
          {"source", a.source}};
}

void run_algorithms(const AlgorithmsOptions& options) {
  Json rows = Json::array();
  std::optional<Collective> only;
  if (!options.collective.empty()) only = definition(options.collective).collective;
  for (const Algorithm* a : catalogue())
    if (a->collective == only.value_or(a->collective)) rows.push_back(algorithm_row(*a));
  const auto time = [](const Json& r) {
    return (r["exact"].get<bool>() ? "" : "~ ") + r["formula"].get<std::string>();
  };
  print_rows(rows,
             {report::text_of("collective", "collective"),
              report::text_of("algorithm", "algorithm"),
              report::text_of("ranks", "ranks"),
              {"time", time},
              report::text_of("description", "description")},
             options.format);
  if (options.format == Format::table)
    std::cout << "\na = alpha, b = beta, g = gamma, n = message bytes, p = ranks, k = radix,\n"
                 "K = segments, c = channels, q = ranks per node, N = p/q, B = blocks of n/p in a\n"
                 "buffer; ~ marks an upper bound\n";
}

}  // namespace

void add_algorithms(CLI::App& app, int&) {
  auto options = std::make_shared<AlgorithmsOptions>();
  CLI::App* verb =
      app.add_subcommand("algorithms", "The catalogue: every algorithm, its formula and its source");
  verb->add_option("collective,--collective", options->collective, "Only this collective")->option_text("C");
  add_format(*verb, options->format);
  verb->footer("Example: collcast algorithms allreduce");
  verb->callback([options] { run_algorithms(*options); });
}

}  // namespace collcast::cli
