/* SPDX-License-Identifier: Apache-2.0 */
/* Many calls, and then: `storm kill` kills rank 0 halfway, `storm limit` may write only 80 KiB to any file
   (one piece of a recording fits, all of its more calls do not, however evenly they come), `storm exit`
   leaves without MPI_Finalize, `storm leave` does so at once, `storm abort` aborts, `storm fork` has a child
   that ends on its own, `storm SIGNAL PROCESS` sends the signal and goes on until it is ended. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  const int calls = strcmp(how, "limit") == 0 ? 180000 : 60000;
  int rank, one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(how, "limit") == 0) {
    const struct rlimit limit = {81920, 81920};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (int i = 0; i < calls; ++i) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, i % 1000 ? MPI_COMM_SELF : MPI_COMM_WORLD);
    if (i == 50000 && strcmp(how, "kill") == 0 && rank == 0) raise(SIGKILL);
    if (i == 50000 && strcmp(how, "exit") == 0) exit(3);
    if (i == 50000 && strcmp(how, "leave") == 0) _exit(3);
    if (i == 50000 && argc > 2) {
      if (rank == 0) kill(atoi(argv[2]), atoi(how));
      while (sum) pause();
    }
    if (i == 50000 && strcmp(how, "fork") == 0) {
      const pid_t child = fork();
      if (child == 0) exit(0);
      waitpid(child, NULL, 0);
    }
    if (i == 50000 && strcmp(how, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 4);
  }
  if (rank == 0) printf("application done\n");
  MPI_Finalize();
  return 0;
}
