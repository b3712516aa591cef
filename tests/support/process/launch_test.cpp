// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "support/error.hpp"
#include "support/process/complaint.hpp"
#include "support/process/launch.hpp"

namespace collcast {
namespace {

TEST(Complaint, OfOpenMpiAboutAKilledRank) {
  EXPECT_EQ(
      complaint("[h1][[1,1],0] connection reset by peer\n"
                "collcast-mpi: rank 0: MPI_Recv failed: MPI_ERR_OTHER\n"
                "--------------------------------------------------------------------------\n"
                "mpirun noticed that process rank 1 with PID 4711 on node h1 exited on signal 9 (Killed).\n"
                "--------------------------------------------------------------------------\n",
                137),
      "rank 1 (process 4711 on h1) was ended by signal 9 (Killed)");
}

TEST(Complaint, IsWhatAProgramOfOursSaid) {
  EXPECT_EQ(
      complaint("collcast-mpi: no algorithm 'rin'\n-----\nPrimary job terminated normally, but 1 process "
                "returned\na non-zero exit code.\n",
                2),
      "collcast-mpi: no algorithm 'rin'");
}

TEST(Complaint, OfSshAboutAHost) {
  EXPECT_EQ(
      complaint("ssh: Could not resolve hostname h9: Name or service not known\nORTE was unable to ...\n", 1),
      "host h9 cannot be reached: its name is not known");
  EXPECT_EQ(complaint("ssh: connect to host h9 port 22: Connection refused\r\n", 1),
            "host h9 cannot be reached: Connection refused");
}

TEST(Complaint, OfOpenMpiAboutProcessors) {
  EXPECT_EQ(
      complaint(
          "There are not enough slots available in the system to satisfy the 64\nslots that were requested",
          1),
      "there are fewer processors than the 64 ranks; --oversubscribe lets ranks share them");
}

TEST(Complaint, OfOpenMpiAboutRoot) {
  EXPECT_EQ(
      complaint("-----\nmpirun has detected an attempt to run as root.\n\nRunning as root is *strongly* "
                "discouraged\nWe reiterate our advice against doing so - please proceed at your own "
                "risk.\n-----\n",
                1),
      "mpirun does not run as root: take another user, or write --allow-run-as-root behind mpirun");
}

TEST(Complaint, OfOpenMpiAboutOptions) {
  EXPECT_EQ(complaint("mpirun: Error: option \"--hostfile\" did not have enough parameters (1)\nType 'mpirun "
                      "--help' for usage.\n",
                      1),
            "mpirun's option --hostfile lacks its value: write it behind --hostfile");
  EXPECT_EQ(complaint("Open MPI has detected that a parameter given to a command line\noption does not match "
                      "the expected format:\n\n  Option: np\n  Param:  x\n\nThis is frequently caused by "
                      "omitting to provide the parameter\nto an option that requires one. Please check the "
                      "command line and try again.\n",
                      1),
            "mpirun's option np does not take 'x', or lacks its value: write it behind the option");
}

TEST(Complaint, OfOpenMpiAboutSrun) {
  EXPECT_EQ(
      complaint(
          "srun: error: n0: task 0: Exited with exit code 1\nThe application appears to have been direct "
          "launched using \"srun\",\nbut OMPI was not built with SLURM's PMI support and therefore cannot\n"
          "execute.\n",
          1),
      "srun gave Open MPI no PMI that it knows: take srun --mpi=pmix, or mpirun");
}

TEST(Complaint, OfAStepThatSlurmDoesNotStart) {
  EXPECT_EQ(complaint("srun: launch/slurm: launch_p_step_launch: StepId=1.0 aborted before step completely "
                      "launched.\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
                      "srun: error: task 0 launch failed: Unspecified error\n",
                      0),
            "srun could not start the ranks of step 1.0");
}

TEST(Complaint, OfMpich) {
  EXPECT_EQ(complaint("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 4711 RUNNING AT h1\n"
                      "=   EXIT CODE: 9\n",
                      9),
            "process 4711 on h1 ended with exit code 9");
}

TEST(Complaint, ElseIsTheLastWordsAndTheCode) {
  EXPECT_EQ(complaint("one\ntwo\n-----\n\n", 7), "the run ended with exit code 7: two");
  EXPECT_EQ(complaint("", 7), "the run ended with exit code 7");
}

TEST(Complaint, OfLinesWithoutEndIsTheirBeginning) {
  const std::string long_line = "[1]" + std::string(1 << 20, 'x');
  EXPECT_EQ(complaint(long_line, 7), "the run ended with exit code 7: " + long_line.substr(0, 4096));
  EXPECT_EQ(complaint("collcast-mpi: " + long_line, 7), "collcast-mpi: " + long_line.substr(0, 4096 - 14));
}

TEST(Complaint, IsFoundBetweenManyLines) {
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += "lost communication with a remote daemon\n";
  const std::string killed = "process rank 1 with PID 4 on node h1 exited on signal 9 (Killed)\n";
  const std::string meaning = "rank 1 (process 4 on h1) was ended by signal 9 (Killed)";
  EXPECT_EQ(complaint(killed + lines, 137), meaning);
  EXPECT_EQ(complaint(lines + killed, 137), meaning);
  EXPECT_EQ(complaint(lines + lines + "PID 4 RUNNING AT h1\nEXIT CODE: 9\n", 9),
            "process 4 on h1 ended with exit code 9");
  EXPECT_EQ(complaint(lines + lines, 9),
            "the run ended with exit code 9: lost communication with a remote daemon");
}

TEST(Complaint, OfALauncherThatStartsNothing) {
  EXPECT_EQ(
      complaint("", 0),
      "the command ended well without a word from any rank: a launcher is expected, such as mpirun -np 4");
}

TEST(Launch, ReturnsErrorsAndCode) {
  const ProcessResult ended = launch({"sh", "-c", "echo oh >&2; exit 5"});
  EXPECT_EQ(ended.code, 5);
  EXPECT_EQ(ended.errors, "oh\n");
  EXPECT_EQ(launch({"sh", "-c", "kill -15 $$"}).code, 128 + 15);
  EXPECT_EQ(launch({"true"}).errors, "");
  EXPECT_FALSE(launch({"true"}).said);
  EXPECT_TRUE(launch({"echo"}).said);
}

TEST(Launch, RefusesWhatIsNoProgram) {
  EXPECT_THROW(launch({}), InputError);
  try {
    launch({"no-such-program"});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "no-such-program cannot be run: No such file or directory");
  }
}

}  // namespace
}  // namespace collcast
