// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "support/json.hpp"
#include "workloads/models/model.hpp"

namespace collcast::cli {
namespace {

void print_layers(const workloads::Model& model, Format format) {
  Json rows = Json::array();
  for (const workloads::Layer& l : model.layers)
    rows.push_back({{"name", l.name},
                    {"kind", workloads::name(l.kind)},
                    {"flops", l.flops},
                    {"backward_flops", l.backward_flops},
                    {"in_elements", l.in},
                    {"out_elements", l.out},
                    {"kept_elements", l.kept},
                    {"parameters", l.tensors}});
  print_rows(rows,
             {report::text_of("layer", "name"), report::text_of("kind", "kind"),
              report::number_of("forward flops", "flops", number),
              report::number_of("backward flops", "backward_flops", number)},
             format);
}

void list_models(Format format) {
  Json rows = Json::array();
  for (const workloads::ModelName& known : workloads::model_names()) {
    const workloads::Model m = workloads::load_model(std::string(known.name));
    rows.push_back({{"model", known.name},
                    {"parameters", m.parameters()},
                    {"flops", m.flops()},
                    {"sample", m.sample},
                    {"description", known.description},
                    {"source", m.source}});
  }
  const auto millions = [](double n) { return number(n / 1e6) + " M"; };
  const auto giga = [](double n) { return number(n / 1e9) + " GFLOP"; };
  print_rows(rows,
             {report::text_of("model", "model"), report::number_of("parameters", "parameters", millions),
              report::number_of("forward", "flops", giga), report::text_of("description", "description")},
             format);
}

}  // namespace

void add_models(CLI::App& app, int&) {
  struct ModelsOptions {
    std::string model;
    Format format = Format::table;
  };
  auto options = std::make_shared<ModelsOptions>();
  CLI::App* verb =
      app.add_subcommand("models", "The networks that `train` knows, or the layers of one as a table");
  verb->add_option("model", options->model,
                   "A model: its layers as CSV, in the form that --model FILE.csv reads")
      ->option_text("M");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast models gpt:layers=24,hidden=1024,heads=16 > my.csv");
  verb->callback([options] {
    if (options->model.empty()) return list_models(options->format);
    const workloads::Model model = workloads::load_model(options->model);
    if (options->format == Format::json || options->format == Format::markdown)
      return print_layers(model, options->format);
    std::cout << workloads::model_csv(model);
  });
}

}  // namespace collcast::cli
