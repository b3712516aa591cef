// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/script.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/process/slurm.hpp"
#include "support/text.hpp"

namespace collcast::campaign {
namespace {

/// The names of a collective in other benchmarks. For some, OSU's size is that of one rank's block.
struct Benchmark {
  Collective collective;
  const char *osu, *nccl;
  bool block;
};
constexpr Benchmark benchmarks[] = {
    {Collective::allreduce, "osu_allreduce", "all_reduce_perf", false},
    {Collective::broadcast, "osu_bcast", "broadcast_perf", false},
    {Collective::reduce, "osu_reduce", "reduce_perf", false},
    {Collective::reduce_scatter, "osu_reduce_scatter", "reduce_scatter_perf", false},
    {Collective::allgather, "osu_allgather", "all_gather_perf", true},
    {Collective::alltoall, "osu_alltoall", "alltoall_perf", true},
    {Collective::gather, "osu_gather", "gather_perf", true},
    {Collective::scatter, "osu_scatter", "scatter_perf", true},
    {Collective::barrier, "osu_barrier", nullptr, false},
};

constexpr const char* beginning = R"sh(
# As `sbatch run.sh` in this folder, or `bash run.sh` within an allocation. README.md says more.
# sbatch runs a copy of this file, in the folder that it was given.
if [ -e "$(dirname "$0")/prediction.jsonl" ]; then cd "$(dirname "$0")" || exit 2; fi
[ -e prediction.jsonl ] || { echo "there is no forecast in $PWD: start this in its folder" >&2; exit 2; }
export LC_ALL=C
collcast=${COLLCAST:-collcast}
command -v "$collcast" > /dev/null || { echo "there is no $collcast; COLLCAST=/path/to/collcast names it" >&2; exit 2; }
mkdir -p topology benchmarks calibration || exit 2
: > skipped.txt

# keep FILE COMMAND...: what it prints, all of it or, where that is nothing, no file
keep() {
  local file=$1
  shift
  if ! command -v "$1" > /dev/null; then
    echo "$file: $1 is not installed" >> skipped.txt
  elif "$@" > "$file.part" 2> "$file.errors" && [ -s "$file.part" ]; then
    mv "$file.part" "$file"
    [ -s "$file.errors" ] || rm -f "$file.errors"
  else
    echo "$1 failed: $file.errors has its words" >> skipped.txt
    rm -f "$file.part"
  fi
}

keep topology/lstopo.xml lstopo --of xml
keep topology/lscpu.txt lscpu
keep topology/nvidia-smi.txt nvidia-smi topo -m
keep topology/slurm.txt scontrol show topology
keep topology/nodes.txt scontrol show hostnames
keep topology/ibnetdiscover.txt ibnetdiscover
)sh";

constexpr const char* starting = R"sh(
[ -z "${LAUNCH:-}" ] || read -ra launch <<< "$LAUNCH"
"$collcast" validate --run --platform platform.json --campaign asked.json -o . -- "${launch[@]}"
code=$?

# What a platform is calibrated by: messages between two ranks as the launcher places them, and of two nodes.
spread=()
case ${launch[0]##*/} in
  mpirun | mpiexec | orterun) spread=(--map-by node) ;;
  srun) spread=(--nodes=2 --ntasks-per-node=1) ;;
esac
pairs() {
  keep "calibration/$1.txt" "$collcast" calibrate --run --star 2 --base platform.json -o "calibration/$1.json" -- "${@:2}"
}
pairs near "${launch[@]}"
[ "${SLURM_JOB_NUM_NODES:-1}" = 1 ] || [ ${#spread[@]} = 0 ] || pairs far "${launch[0]}" "${spread[@]}" "${launch[@]:1}"

# started RANKS FILE PROGRAM ARGUMENTS...: a benchmark, if it is installed
started() {
  local ranks=$1 file=$2 words=("${launch[@]//\{ranks\}/$1}")
  shift 2
  if ! command -v "$1" > /dev/null; then
    echo "$1 is not installed" >> skipped.txt
    return
  fi
  case " ${launch[*]} " in *"{ranks}"* | *" -n "* | *" -np "*) ;; *) words+=(-np "$ranks") ;; esac
  keep "$file" "${words[@]}" "$@"
}
)sh";

std::set<Collective> collectives(const Campaign& campaign) {
  std::set<Collective> all;
  for (const PlannedPoint& w : campaign.points) all.insert(w.point.collective);
  return all;
}

/// The ranks and sizes of one collective, over all its points.
struct Grid {
  std::set<Rank> ranks;
  double least = HUGE_VAL, most = 0;
};
Grid grid(const Campaign& campaign, Collective collective) {
  Grid g;
  for (const PlannedPoint& w : campaign.points) {
    if (w.point.collective != collective) continue;
    g.ranks.insert(w.point.ranks());
    g.least = std::min(g.least, w.point.call.message.value),
    g.most = std::max(g.most, w.point.call.message.value);
  }
  return g;
}

std::string bytes(double b) {
  return std::to_string(std::max<std::int64_t>(1, std::llround(b)));
}

std::string lines(const Benchmark& b, const Grid& g) {
  std::string text;
  for (const Rank ranks : g.ranks) {
    const std::string n = std::to_string(ranks), file = "benchmarks/" + std::string(b.osu) + "-" + n + ".txt";
    const double share = b.block ? ranks : 1;
    text += "started " + n + " " + file + " " + b.osu;
    if (b.collective != Collective::barrier)
      text += " -m " + bytes(g.least / share) + ":" + bytes(g.most / share);
    text += "\n";
    if (b.nccl)
      text += "NCCL_TOPO_DUMP_FILE=$PWD/topology/nccl.xml started " + n + " benchmarks/" + b.nccl + "-" + n +
              ".txt " + b.nccl + " -b " + bytes(g.least) + " -e " + bytes(g.most) + " -f 2\n";
  }
  return text;
}

Rank processes(const Campaign& campaign) {
  Rank most = 1;
  for (const PlannedPoint& w : campaign.points)
    most = std::max(most, campaign.settings.processes(w.point.ranks()));
  return most;
}

}  // namespace

std::string batch_script(const Campaign& campaign, const Batch& batch) {
  std::string text = "#!/bin/bash\n#SBATCH --job-name=collcast-validate\n#SBATCH --ntasks=" +
                     std::to_string(processes(campaign)) +
                     "\n#SBATCH --exclusive\n#SBATCH --output=job.txt\n" + slurm::options(batch.sbatch);
  text +=
      beginning + std::string("\n# What starts ranks; LAUNCH=\"srun -n {ranks}\" takes its place.\nlaunch=(");
  for (const std::string& word : batch.launcher.empty() ? std::vector<std::string>{"mpirun"} : batch.launcher)
    text += (text.back() == '(' ? "" : " ") + text::shell_quoted(word);
  text += ")" + std::string(starting);
  const std::set<Collective> asked = collectives(campaign);
  for (const Benchmark& b : benchmarks)
    if (asked.contains(b.collective)) text += lines(b, grid(campaign, b.collective));
  return text + "exit $code\n";
}

std::string batch_words(const Campaign& campaign, const Batch& batch) {
  std::string files;
  for (const Benchmark& b : benchmarks)
    if (collectives(campaign).contains(b.collective))
      for (const Rank ranks : grid(campaign, b.collective).ranks)
        files += " benchmarks/" + std::string(b.osu) + "-" + std::to_string(ranks) +
                 ".txt:ranks=" + std::to_string(ranks);
  return "# A forecast, and what measures it\n\n"
         "`prediction.jsonl` was written before anything was measured. On the cluster, in this folder:\n\n"
         "    sbatch run.sh            # or, within an allocation: bash run.sh\n\n"
         "It takes " +
         text::count(processes(campaign)) +
         " processes, `collcast` and `collcast-measure` (COLLCAST=/path/to/collcast where they are not in "
         "PATH), and\n"
         "`" +
         (batch.launcher.empty() ? "mpirun" : batch.launcher[0]) +
         "` (LAUNCH=\"srun -n {ranks}\" where another starts ranks). A run that ended early goes on "
         "from there when\n"
         "it is started again. It leaves `measured.jsonl`, `topology/`, `benchmarks/`, `calibration/` and, "
         "in\n"
         "`skipped.txt`, what was not installed; its exit code is 1 where the forecast is out of the "
         "campaign's bounds. Copied back, on "
         "a laptop:\n\n"
         "    collcast validate --report .\n"
         "    collcast validate --platform platform.json --measurements" +
         files +
         "\n\nWith a platform that is calibrated on that machine, whose forecast comes after the "
         "measurement:\n\n"
         "    collcast calibrate --base platform.json --from calibration/*.jsonl -o calibrated.json\n"
         "    collcast validate --platform calibrated.json --measurements measured.jsonl\n";
}

}  // namespace collcast::campaign
