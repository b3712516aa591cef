// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_elsewhere.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "support/address_sanitizer.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/process/companion.hpp"
#include "support/process/module.hpp"
#include "support/process/slurm.hpp"
#include "support/text.hpp"

namespace collcast::cli {

const SweepModule& sweep_module() {
  if (address_sanitizer)
    throw InputError("sweep --mpi does not go with the address sanitizer, which owns the linker's order");
  return *static_cast<const SweepModule*>(
      load_module("collcast-sweep-mpi.so", "collcast_sweep_module", RTLD_NOW | RTLD_GLOBAL, "sweep --mpi"));
}

sweep::HandOut ranks_of(const SweepModule& module) {
  return [&module](const sweep::Next& next, const sweep::Answerer& answer, const sweep::Done& done) {
    module.hand_out(
        [&] { return next().value_or(-1); },
        [&](std::int64_t number) { return sweep::packed(answer(number)); },
        [&](std::int64_t number, const std::string& text) { done(number, sweep::unpacked(text)); });
  };
}

std::string submit(const std::string& spec, const std::string& folder, int tasks,
                   const std::vector<std::string>& lines) {
  namespace fs = std::filesystem;
  const fs::path in = fs::absolute(folder);
  std::string script = "#!/bin/sh\n#SBATCH --job-name=collcast-sweep\n#SBATCH --array=0-" +
                       std::to_string(tasks - 1) + "\n#SBATCH --ntasks=1\n#SBATCH --requeue\n" +
                       slurm::output(in, "task-%a.txt") + slurm::options(lines);
  script += "exec " + text::shell_quoted(this_program()) + " sweep " + text::shell_quoted(in / "sweep.json") +
            " -o " + text::shell_quoted(in / "part-") + "$SLURM_ARRAY_TASK_ID --part $SLURM_ARRAY_TASK_ID/" +
            std::to_string(tasks) + " -j ${SLURM_CPUS_PER_TASK:-1} --format csv\n";
  const std::string file = in / "sweep.sbatch";
  fs::create_directories(in);
  write_file(in / "sweep.json", spec + "\n");
  write_file(file, script);
  return slurm::submitted(file) + "; when it has ended, `collcast sweep --merge " + to_paste(folder) +
         "/part-* -o " + to_paste(folder) + "/all` has the rows, and `sbatch " + to_paste(file) +
         "` computes lost points again";
}

std::string to_paste(const std::string& path) {
  const bool plain = std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  });
  return plain ? path : text::shell_quoted(path);
}

}  // namespace collcast::cli
