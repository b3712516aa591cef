// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/launched.hpp"

#include <iostream>
#include <sstream>

#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/process/companion.hpp"
#include "support/process/complaint.hpp"
#include "support/process/launch.hpp"

namespace collcast::mpi {

int launched(int argc, char** argv) {
  constexpr int failed = 3, bad_input = 2;
  std::vector<std::string> command;
  std::istringstream words(argc > 2 ? argv[2] : "");
  for (std::string word; words >> word;) command.push_back(word);
  try {
    if (command.empty()) throw InputError("--launch needs a launcher, such as \"mpirun -np 4\"");
    command.push_back(this_program());
    command.insert(command.end(), argv + 3, argv + argc);
    const ProcessResult ended = launch(command);
    if (ended.code == 0 && ended.said) return std::cerr << ended.errors, 0;
    const std::string why = complaint(ended.errors, ended.code);
    const bool ours = why.starts_with("collcast-mpi: ");  // else exit codes 1 and 2 are the launcher's
    std::cerr << (ours ? "" : "collcast-mpi: ") << why << std::endl;
    return ours && ended.code <= bad_input ? ended.code : failed;
  } catch (const InputError& e) {
    std::cerr << "collcast-mpi: " << one_line(e.what()) << std::endl;
    return bad_input;
  } catch (const std::exception& e) {
    std::cerr << "collcast-mpi: " << one_line(words_of(e)) << std::endl;
    return failed;
  }
}

}  // namespace collcast::mpi
