// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/verbs.hpp"
#include "support/error.hpp"

#if HAS_RECORDER
#include "replay/recorder/record.hpp"
#endif

namespace collcast::cli {

void add_record(CLI::App& app, int& exit_code) {
#if HAS_RECORDER
  auto options = std::make_shared<recorder::RecordOptions>();
  auto only_merge = std::make_shared<bool>(false);
  CLI::App* verb =
      app.add_subcommand("record", "Records a run of an MPI application, without recompiling it");
  verb->add_option("-o,--output", options->folder,
                   "Folder to write trace.cct in (default " + options->folder + ")")
      ->option_text("DIR");
  verb->add_option("--window", options->window,
                   "Only parts of the run, by the count of collectives on MPI_COMM_WORLD, as in "
                   "347-357,1307- (default: COLLCAST_RECORD_WINDOW, or all)")
      ->option_text("FIRST-[LAST][,...]");
  verb->add_option("command", options->command, "After --: mpirun and the application, with their arguments");
  verb->add_flag("--merge", *only_merge,
                 "Only makes trace.cct from what an interrupted recording left in DIR");
  verb->footer(
      "The exit code is the application's; 128 + the signal where SIGINT or SIGTERM came, which the command "
      "gets "
      "too. The trace then has what was recorded up to there.\n"
      "Example: collcast record -o run1 -- mpirun -np 8 lmp -in in.melt");
  verb->callback([options, only_merge, &exit_code] {
    if (*only_merge != options->command.empty())
      throw InputError("record takes either -- mpirun ... or --merge");
    if (*only_merge && !options->window.empty())
      throw InputError("record --merge takes no --window: the recording that was interrupted had its own");
    if (*only_merge)
      std::cout << recorder::merge_interrupted(options->folder).path << '\n';
    else
      exit_code = recorder::record(*options);
  });
#else
  CLI::App* verb = app.add_subcommand("record", "Not in this build: it was made without MPI");
  verb->callback([] { throw InputError("this collcast was built without MPI and cannot record"); });
  (void)exit_code;
#endif
}

}  // namespace collcast::cli
