// SPDX-License-Identifier: Apache-2.0
#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "workloads/playing/planned.hpp"

namespace collcast::python {
namespace {

/// A number, or text as the program takes it: 7200, "2h".
using Number = std::variant<double, std::string>;
using PerPlatform = std::map<std::string, double>;

std::string said(const Number& number) {
  if (const auto* words = std::get_if<std::string>(&number)) return *words;
  return number_text(std::get<double>(number));
}
std::string said(const std::optional<double>& number) {
  return number ? number_text(*number) : std::string();
}

std::vector<std::string> assigned(const PerPlatform& numbers) {
  std::vector<std::string> all;
  for (const auto& [name, number] : numbers) all.push_back(name + '=' + number_text(number));
  return all;
}

std::vector<std::string> numbers(const OneOrMore<int>& given) {
  std::vector<std::string> all;
  for (const int n : python::all(given)) all.push_back(std::to_string(n));
  return all;
}

py::object plan(const OneOrMore<std::string>& platform, const OneOrMore<Rank>& ranks,
                const std::string& model, const std::optional<double>& samples, const std::string& trace,
                const std::string& job, double runs, const OneOrMore<std::string>& framework,
                const OneOrMore<std::string>& precision, const OneOrMore<int>& batch,
                const OneOrMore<int>& global_batch, std::optional<double> throughput, double slowdown,
                double noise, const std::string& input, const std::string& checkpoint,
                const OneOrMore<std::string>& policy, bool layouts, std::optional<int> max_tp,
                const std::string& aim, const Number& time, std::optional<double> efficiency,
                std::optional<double> cost, std::optional<double> max_power, const PerPlatform& price,
                const PerPlatform& power, const Assignments& set) {
  workloads::PlanText asked;
  asked.platforms = some(platform, "platform"), asked.ranks = numbers(ranks);
  asked.model = model, asked.samples = said(samples);
  asked.trace = trace, asked.job = job, asked.runs = number_text(runs);
  asked.layouts = layouts, asked.most_tensor = max_tp ? std::to_string(*max_tp) : "";
  if (const auto names = python::all(framework); names != std::vector<std::string>{""})
    asked.framework = text::join(some(framework, "framework"), ",");
  else if (layouts)
    asked.framework = workloads::layout_frameworks;
  asked.precision = text::join(some(precision, "precision"), ",");
  asked.batch = text::join(numbers(batch), ","), asked.global_batch = text::join(numbers(global_batch), ",");
  asked.throughput = said(throughput), asked.slowdown = number_text(slowdown);
  asked.noise = number_text(noise), asked.input = input, asked.checkpoint = checkpoint;
  asked.policy = text::join(python::all(policy), ","), asked.aim = aim, asked.time = said(time),
  asked.efficiency = said(efficiency);
  asked.cost = said(cost), asked.power_limit = said(max_power);
  asked.price = assigned(price), asked.power = assigned(power), asked.set = assignments(set);
  return while_others_run([&] {
    const InterruptedBy user(interrupt());
    return as_json(
        planned(asked, [](const std::string&, std::int64_t, std::int64_t) { end_if_interrupted(); }).report);
  });
}

}  // namespace

void add_plan(py::module_& m) {
  using namespace py::literals;
  const auto none = std::vector<int>();
  m.def(
      "plan", &plan, "platform"_a, "ranks"_a = none, py::kw_only(), "model"_a = "", "samples"_a = py::none(),
      "trace"_a = "", "job"_a = "", "runs"_a = 1.0, "framework"_a = "", "precision"_a = "fp32",
      "batch"_a = none, "global_batch"_a = none, "throughput"_a = py::none(), "slowdown"_a = 0.0,
      "noise"_a = 0.0, "input"_a = "", "checkpoint"_a = "", "policy"_a = "", "layouts"_a = false,
      "max_tp"_a = py::none(), "aim"_a = "", "time"_a = "", "efficiency"_a = py::none(),
      "cost"_a = py::none(), "max_power"_a = py::none(), "price"_a = PerPlatform(), "power"_a = PerPlatform(),
      "set"_a = Assignments(std::vector<std::string>()),
      "Which machine, and how many ranks of it, for a job: a model and the samples it trains on, a trace or "
      "a job. A dictionary with the keys of `collcast plan --format json`, the best candidate first. "
      "Arguments are the program's options; platform, ranks, framework (ddp), precision, batch, "
      "global_batch and policy may be lists. time: seconds, or '2h'; price and power: {'dgx-a100': 32.77}. "
      "Starts a process for "
      "each processor.");
}

}  // namespace collcast::python
