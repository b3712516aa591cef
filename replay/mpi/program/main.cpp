// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iostream>
#include <optional>
#include <string_view>

#include "model/error.hpp"
#include "replay/mpi/program/gpu.hpp"
#include "replay/mpi/program/launched.hpp"
#include "replay/mpi/program/options.hpp"
#include "replay/mpi/program/overlap.hpp"
#include "replay/mpi/program/report.hpp"
#include "replay/mpi/same_version.hpp"
#include "replay/mpi/together.hpp"
#include "replay/mpi/verify.hpp"

namespace collcast::mpi {
namespace {

/// Exit codes as everywhere in collcast.
enum Exit { done = 0, wrong_result = 1, bad_input = 2, failed = 3 };

Outcome play(const Job& job, int repetitions, const std::shared_ptr<Communicator>& communicator,
             const SharedClock& clock) {
  const bool words = std::llround(job.call.message.value) % 4 == 0;
  std::optional<Player> player;
  together(communicator->handle(), [&] {
    player.emplace(*job.algorithm, job.call, words ? MPI_FLOAT : MPI_UINT8_T, MPI_SUM, communicator);
  });
  const std::size_t size = words ? sizeof(float) : 1;
  const std::vector<std::byte> send(player->sent() * size);
  std::vector<std::byte> recv(player->received() * size);
  const auto once = [&] { player->run(send.data(), recv.data()); };
  return {job, words ? "float" : "uint8", false, measure(once, repetitions, *communicator, clock)};
}

Exit run(const Options& options, const std::shared_ptr<Communicator>& communicator) {
  if (!options.multicast.empty())
    communicator->multicast_over({parse_group(options.multicast), options.loss});
  std::optional<ImportedAlgorithm> imported;
  if (!options.import.empty())
    together(communicator->handle(), [&] { imported = read_msccl(options.import); });
  if (imported && imported->wrong) {
    if (communicator->rank() == 0) std::cerr << "collcast-mpi: " << imported->refusal() << '\n';
    return wrong_result;
  }
  const ImportedAlgorithm* given = imported ? &*imported : nullptr;
  if (options.overlap) {
    const std::vector<OverlapOutcome> outcomes = measure_overlaps(options, given, *communicator);
    if (communicator->rank() == 0) options.json ? print_json(outcomes) : print_table(outcomes);
    return done;
  }
  std::optional<Gpu> gpu_of_rank = gpu(options, *communicator);
  const SharedClock clock(*communicator);
  std::vector<Outcome> outcomes;
  for (const Job& job : jobs(options, given, communicator->size())) {
    Outcome outcome = gpu_of_rank ? play(*gpu_of_rank, job, options.repetitions, communicator, clock)
                                  : play(job, options.repetitions, communicator, clock);
    if (options.check) {
      if (const auto wrong = gpu_of_rank ? verify(*gpu_of_rank, job, communicator)
                                         : verify(*job.algorithm, job.call, communicator))
        throw WrongResult(full_name(*job.algorithm) + " is wrong: " + wrong->words());
      outcome.checked = true;
    }
    outcomes.push_back(std::move(outcome));
  }
  Report report{std::move(outcomes), {}};
  if (communicator->multicast()) report.packets = communicator->multicast()->total();
  if (communicator->rank() == 0) options.json ? print_json(report) : print_table(report);
  return done;
}

/// Bad input and wrong results are the same on all ranks, and rank 0 tells. Other failures may be one rank's
/// alone: it ends them all.
Exit guarded_main(int argc, char** argv) {
  const auto communicator = std::make_shared<Communicator>(MPI_COMM_WORLD);
  try {
    require_same_version(*communicator);
    const Parsed parsed = parse(argc, argv);
    if (parsed.help.empty()) return run(parsed.options, communicator);
    if (communicator->rank() == 0) std::cout << parsed.help;
    return done;
  } catch (const InputError& e) {
    if (communicator->rank() == 0) std::cerr << "collcast-mpi: " << e.what() << '\n';
    return bad_input;
  } catch (const WrongResult& e) {
    if (communicator->rank() == 0) std::cerr << "collcast-mpi: " << e.what() << '\n';
    return wrong_result;
  } catch (const std::exception& e) {
    std::cerr << "collcast-mpi: rank " << communicator->rank() << ": " << e.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, failed);
    return failed;
  }
}

}  // namespace
}  // namespace collcast::mpi

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--launch") return collcast::mpi::launched(argc, argv);
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return collcast::mpi::failed;
  const int code = collcast::mpi::guarded_main(argc, argv);
  MPI_Finalize();
  return code;
}
