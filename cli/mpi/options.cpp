// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/call_options.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/strict_options.hpp"

namespace collcast::mpi {

namespace {

const std::map<std::string, cuda::Transport> transports{
    {"copy", cuda::Transport::copy}, {"mpi", cuda::Transport::mpi}, {"nccl", cuda::Transport::nccl}};
const std::map<std::string, cuda::Operation> operations{{"sum", cuda::Operation::sum},
                                                        {"product", cuda::Operation::product},
                                                        {"minimum", cuda::Operation::minimum},
                                                        {"maximum", cuda::Operation::maximum}};

std::map<std::string, cuda::Element> gpu_elements() {
  std::map<std::string, cuda::Element> all;
  for (const cuda::ElementInfo& e : cuda::elements) all.emplace(e.name, e.element);
  return all;
}

void add_gpu_options(CLI::App& app, MpiOptions& o) {
  auto* device = app.add_option("--device", o.device,
                                "Where the message is: host (default); cuda: a GPU for each rank, in turn; "
                                "emulated: a GPU made of host memory, to try things")
                     ->check(one_of({"host", "cuda", "emulated"}))
                     ->option_text("host|cuda|emulated");
  app.add_option("--transport", o.transport, "Between GPUs (default copy; docs/gpu.md)")
      ->transform(one_of(transports))
      ->needs(device)
      ->option_text("copy|mpi|nccl");
  app.add_option("--type", o.element, "What GPUs reduce (default float)")
      ->transform(one_of(gpu_elements()))
      ->needs(device)
      ->option_text("float|double|half|bfloat16|int");
  app.add_option("--operation", o.operation, "How (default sum)")
      ->transform(one_of(operations))
      ->needs(device)
      ->option_text("sum|product|minimum|maximum");
}

}  // namespace

Parsed parse(int argc, char** argv) {
  Parsed parsed;
  MpiOptions& o = parsed.options;
  CLI::App app(
      "Plays a collective with real data and says how long it took, from a common start to the slowest "
      "rank's "
      "end.\n\nExample: mpirun -np 8 collcast-mpi allreduce --algorithm ring --size 64KiB,16MiB --check\n"
      "A described job instead (docs/jobs.md): mpirun -np 8 collcast-mpi job halo.json\n"
      "The same, with one line for whatever goes wrong: collcast-mpi --launch \"mpirun -np 8\" allreduce ...",
      "collcast-mpi");
  app.add_option("collective", o.collective, "allreduce, broadcast, ... (`collcast algorithms` lists them)");
  auto* algorithm =
      app.add_option("--algorithm", o.algorithm, "its algorithm, or all that support this number of ranks")
          ->option_text("A|all");
  app.add_option("--import", o.import,
                 "an algorithm of a file instead, MSCCL's XML or JSON of synthesize; it says its collective")
      ->excludes(algorithm)
      ->option_text("FILE");
  app.add_option("--size", o.sizes, "message sizes as nccl-tests counts them: 1024, 64KiB, 1.5MiB, 100MB")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("S[,S...]");
  add_call_options(app, o.call, false);
  app.add_flag("--check", o.check, "Compare with the MPI library's result first; exit 1 if it differs");
  app.add_option("--repetitions", o.repetitions, "Timed plays of each size (default 20)")
      ->check(CLI::Range(1, 1000000))
      ->option_text("N");
  auto* multicast = app.add_option("--multicast", o.multicast,
                                   "Multicast over IP (UDP), not as one message to each receiver")
                        ->option_text("GROUP:PORT[%INTERFACE]");
  app.add_option("--loss", o.loss, "Share of the datagrams that receivers drop, to test the recovery")
      ->check(CLI::Range(0.0, 0.9))
      ->needs(multicast)
      ->option_text("P");
  add_gpu_options(app, o);
  auto* overlap =
      app.add_flag("--overlap", o.overlap,
                   "How much of it a computation of the same length hides, predicted and measured");
  overlap->excludes(multicast)->excludes("--device");
  app.add_option("--workers", o.workers,
                 "Processes on each machine (the last ones) that play for the others, the ranks (default 0)")
      ->check(CLI::Range(1, 1024))
      ->needs(overlap)
      ->option_text("W");
  app.add_option("--format", o.json, "table (default) or json")
      ->transform(one_of(std::map<std::string, bool>{{"table", false}, {"json", true}}))
      ->option_text("table|json");
  parsed.help = parse_strictly(app, argc, argv);
  for (const char* option : {"--transport", "--type", "--operation"})
    if (o.device == "host" && app.count(option) > 0)
      throw InputError(std::string(option) + " is of GPUs: it goes with --device cuda or emulated");
  return parsed;
}

namespace {

/// The message sizes. A collective that moves nothing has one.
std::vector<Bytes> messages(const MpiOptions& options, Collective collective, Rank ranks) {
  if (definition(collective).whole(1) == 0) return {Bytes(0)};
  if (options.sizes.empty()) return {counted_message(options.call, collective, ranks)};
  std::vector<Bytes> all;
  for (const std::string& size : options.sizes) all.push_back(parse_size(size));
  return all;
}

/// A message that is not larger than the segment is one segment.
Call call_of(const Algorithm& a, const CallText& text, const Call& call) {
  if (!segment_exceeds(text, call.message) && call.message.value > 0) return make_call(a, text, call);
  check(a, call);
  return call;
}

}  // namespace

std::vector<Job> jobs(const MpiOptions& options, const ImportedAlgorithm* imported, Rank ranks) {
  CallText text = options.call;
  if (imported) {
    std::optional<std::int64_t> root;
    if (!text.root.empty()) root = parse_count(text.root, "root", 0, ranks - 1);
    require(*imported, options.collective, root);
    if (text.root.empty()) text.root = std::to_string(imported->root);
  } else if (options.collective.empty() || options.algorithm.empty()) {
    throw InputError("a collective and --algorithm are required, or --import");
  }
  const Collective collective =
      imported ? imported->algorithm.collective : definition(options.collective).collective;
  std::vector<Job> all;
  for (const Bytes message : messages(options, collective, ranks)) {
    const Call call = plain_call(text, collective, ranks, message);
    const auto add = [&](const Algorithm& a) { all.push_back({&a, call_of(a, text, call)}); };
    if (imported)
      add(imported->algorithm);
    else if (options.algorithm != "all")
      add(algorithm(collective, options.algorithm));
    else
      for (const Algorithm* a : algorithms(collective))
        if (unmet(*a, call).empty()) add(*a);
  }
  return all;
}

std::vector<std::string> notes(const MpiOptions& options, const std::vector<Job>& jobs) {
  if (jobs.empty()) return {};
  std::vector<const Algorithm*> played;
  for (const Job& job : jobs)
    if (std::ranges::find(played, job.algorithm) == played.end()) played.push_back(job.algorithm);
  const Collective collective = played[0]->collective;
  std::vector<std::string> all = untaken(options.call, collective, played);
  const auto some = [](const std::string& size) { return parse_size(size).value > 0; };
  if (definition(collective).whole(1) == 0 && std::ranges::any_of(options.sizes, some))
    all.push_back(std::string(definition(collective).name) + " moves no data: --size changes nothing");
  return all;
}

}  // namespace collcast::mpi
