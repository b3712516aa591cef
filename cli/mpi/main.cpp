// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string_view>

#include "cli/mpi/gpu.hpp"
#include "cli/mpi/launched.hpp"
#include "cli/mpi/options.hpp"
#include "cli/mpi/overlap.hpp"
#include "cli/mpi/real_job.hpp"
#include "cli/mpi/report.hpp"
#include "execution/check/verify.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "execution/mpi/guarded_main.hpp"

namespace collcast::mpi {
namespace {

Outcome play(const Job& job, int repetitions, const std::shared_ptr<Communicator>& communicator,
             const SharedClock& clock) {
  const auto is_words = [](Bytes b) { return std::fmod(b.value, sizeof(float)) == 0; };
  const bool words = is_words(job.call.message) && std::ranges::all_of(job.call.counts, is_words);
  std::optional<Player> player;
  attempt_on_all(communicator->handle(), [&] {
    player.emplace(*job.algorithm, job.call, words ? MPI_FLOAT : MPI_UINT8_T, MPI_SUM, communicator);
  });
  const std::size_t size = words ? sizeof(float) : 1;
  const std::vector<std::byte> send(player->sent() * size);
  std::vector<std::byte> recv(player->received() * size);
  const auto once = [&] { player->run(send.data(), recv.data()); };
  return {job, words ? "float" : "uint8", false, measure(once, repetitions, *communicator, clock)};
}

void tell(const MpiOptions& options, const std::vector<Job>& jobs) {
  for (const std::string& note : notes(options, jobs)) std::cerr << "note: " << note << '\n';
}

void run(const MpiOptions& options, const std::shared_ptr<Communicator>& communicator) {
  if (!options.multicast.empty())
    communicator->multicast_over({parse_group(options.multicast), options.loss});
  std::optional<ImportedAlgorithm> imported;
  if (!options.import.empty())
    attempt_on_all(communicator->handle(), [&] { imported = read_algorithm(options.import); });
  if (imported && imported->wrong) throw WrongResult(imported->refusal());
  const ImportedAlgorithm* given = imported ? &*imported : nullptr;
  if (options.overlap) {
    const std::vector<OverlapOutcome> outcomes = measure_overlaps(options, given, *communicator);
    if (communicator->rank() != 0) return;
    std::vector<Job> played;
    for (const OverlapOutcome& o : outcomes) played.push_back(o.job);
    tell(options, played);
    options.json ? print_json(outcomes) : print_table(outcomes);
    return;
  }
  std::optional<Gpu> gpu_of_rank = gpu(options, *communicator);
  const SharedClock clock(*communicator);
  std::vector<Outcome> outcomes;
  const std::vector<Job> asked = jobs(options, given, communicator->size());
  if (communicator->rank() == 0) tell(options, asked);
  for (const Job& job : asked) {
    if (options.check)
      if (const auto wrong = gpu_of_rank ? verify(*gpu_of_rank, job, communicator)
                                         : verify(*job.algorithm, job.call, communicator))
        throw WrongResult(full_name(*job.algorithm) + " is wrong: " + wrong->words());
    outcomes.push_back(gpu_of_rank ? play(*gpu_of_rank, job, options.repetitions, communicator, clock)
                                   : play(job, options.repetitions, communicator, clock));
    outcomes.back().checked = options.check;
  }
  Report report{std::move(outcomes), {}, gpu_of_rank ? "device" : "host", options.device == "emulated"};
  if (communicator->multicast()) report.packets = communicator->multicast()->total();
  if (communicator->rank() == 0) options.json ? print_json(report) : print_table(report);
}

}  // namespace
}  // namespace collcast::mpi

int main(int argc, char** argv) {
  using namespace collcast::mpi;
  if (argc > 1 && std::string_view(argv[1]) == "--launch") return launched(argc, argv);
  return guarded_main("collcast-mpi", argc, argv, [&](const std::shared_ptr<Communicator>& world) {
    if (argc > 1 && std::string_view(argv[1]) == "job") return real_job(argc - 1, argv + 1, world);
    const Parsed parsed = parse(argc, argv);
    if (parsed.help.empty())
      run(parsed.options, world);
    else if (world->rank() == 0)
      std::cout << parsed.help;
  });
}
