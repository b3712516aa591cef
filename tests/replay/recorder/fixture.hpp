// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "replay/recorder/record.hpp"
#include "replay/trace/check.hpp"
#include "tests/replay/trace/fixture.hpp"

namespace collcast::recorder::test {

/// A program of this test's, or one with its whole path, under mpirun with a number of ranks, whoever runs
/// the test. Open MPI's runs on one machine share a folder, which the first to end takes away from another
/// that begins: each test has its own.
inline std::vector<std::string> mpirun(int ranks, std::vector<std::string> program) {
  setenv("OMPI_MCA_orte_tmpdir_base", scratch("sessions").c_str(), 1);
  std::vector<std::string> command = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-np",
                                      std::to_string(ranks)};
  program[0] = std::filesystem::path(COLLCAST_TEST_PROGRAMS) / program[0];
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

/// Records a run into the folder.
inline Recorded record_into(const Folder& folder, std::vector<std::string> command) {
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  return record_run({folder.path(), std::move(command), {}});
}

/// A rank's events of one name, in order.
inline std::vector<trace::Event> events_named(const trace::Reader& reader, int rank,
                                              const std::string& name) {
  std::vector<trace::Event> found;
  for (auto& event : trace::test::read_rank(reader, rank))
    if (trace::mpi_name(event.op, event.nonblocking()) == name) found.push_back(event);
  return found;
}

}  // namespace collcast::recorder::test
