// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/guarded_main.hpp"

#include <iostream>

#include "execution/mpi/version.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/standard_streams.hpp"

namespace collcast::mpi {
namespace {

enum Exit { done = 0, wrong_result = 1, bad_input = 2, failed = 3 };

Exit guarded(const std::string& program,
             const std::function<void(const std::shared_ptr<Communicator>&)>& run) {
  const auto world = std::make_shared<Communicator>(MPI_COMM_WORLD);
  const auto tell = [&](const std::exception& e) {
    if (world->rank() == 0) std::cerr << program << ": " << one_line(e.what()) << std::endl;
  };
  try {
    require_same_version(*world);
    run(world);
    const std::string trouble = output_trouble();
    if (!trouble.empty()) std::cerr << program << ": " << trouble << std::endl;
    return trouble.empty() ? done : failed;
  } catch (const InputError& e) {
    return tell(e), bad_input;
  } catch (const WrongResult& e) {
    return tell(e), wrong_result;
  } catch (const std::exception& e) {
    std::cerr << program << ": rank " << world->rank() << ": " << one_line(words_of(e)) << std::endl;
    MPI_Abort(MPI_COMM_WORLD, failed);
    return failed;
  }
}

}  // namespace

int guarded_main(const std::string& program, int& argc, char**& argv,
                 const std::function<void(const std::shared_ptr<Communicator>&)>& run) {
  prepare_standard_streams();
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return failed;
  const int code = guarded(program, run);
  MPI_Finalize();
  return code;
}

}  // namespace collcast::mpi
