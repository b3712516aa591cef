// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/unread.hpp"

#include "replay/formats/tar.hpp"

namespace collcast {
namespace {

bool has(std::string_view head, std::string_view words) {
  return head.find(words) != std::string_view::npos;
}

struct Known {
  bool (*detect)(std::string_view head);
  std::string_view words;
};

/// In the order in which they are asked.
constexpr Known all[] = {
    {[](std::string_view h) {
       return h.starts_with(
                  "\xfd"
                  "7zXZ") ||
              h.starts_with("BZh");
     },
     "packed by xz or bzip2, which is not read; unpack it, or pack it by gzip or zstd"},
    {[](std::string_view h) { return h.starts_with("\x1f\x8b") || h.starts_with("\x28\xb5\x2f\xfd"); },
     "packed twice; unpack it once"},
    {[](std::string_view h) { return has(h, "<cube version=") && h.starts_with("<?xml"); },
     "the XML text of a CUBE profile, which is read as a whole: the .cubex archive"},
    {is_tar, "a tar archive; unpack it, and name the files in it"},
    {[](std::string_view h) { return h.substr(0, 8).find("OTF2") < 4; },
     "an OTF2 archive, which this program was built without libotf2 to read; `otf2-print` prints it"},
    {[](std::string_view h) { return h.starts_with("__rec="); },
     "a Caliper recording, which is not read; `cali-query` prints it"},
    {[](std::string_view h) {
       return has(h, "/host:metadata") || has(h, "/device:GPU:") || has(h, "/host:CPU");
     },
     "an XSpace profile (JAX, TensorFlow), which is not read"},
    {[](std::string_view h) { return h.find("<algo ") < 200; },
     "an algorithm of MSCCL: `collcast prove --import FILE`"},
    {[](std::string_view h) { return has(h, "\"reuse_resources\"") || has(h, "\"num_threads_per_block\""); },
     "an execution plan of MSCCL++, which is not read"},
    {[](std::string_view h) { return has(h, " times and ignored ") && has(h, " called "); },
     "the counts of calls at the end of a DUMPI trace, without the calls: name the trace"},
    {[](std::string_view h) { return h.starts_with("Collective:") && has(h, "Memory type:"); },
     "a table of ucc_perftest: measurements, no calls"},
    {[](std::string_view h) {
       return h.starts_with("rule-file-version") || has(h, "# num of collectives") ||
              has(h, "# number of collectives") || has(h, "# Collective count") ||
              has(h, "\"rule_file_version\"") || has(h, "OpenMPITunedRules");
     },
     "a rule file of Open MPI, which `collcast tune --for openmpi` writes"},
    {[](std::string_view h) { return has(h, "\"collective=") && has(h, "\"comm_type="); },
     "a selection of MPICH, which `collcast tune --for mpich` writes"},
    {[](std::string_view h) {
       const std::string_view first = h.substr(0, h.find_first_of(" \t\r\n"));
       return first.ends_with(".txt") && !has(h, " ");
     },
     "a list of files, as of an SMPI trace; name those"},
    {[](std::string_view h) { return h.starts_with("collective,size_bytes,"); },
     "a table of measurements for NCCL's tuner, no calls"},
    {[](std::string_view h) { return has(h, "\"rules\"") && has(h, "\"bytesPerRank\""); },
     "a tuner file of NCCLX, which is not read"},
    {[](std::string_view h) {
       return has(h, "collective_type,min_bytes") || has(h, "\nallreduce,") || h.starts_with("allreduce,");
     },
     "a tuner file of NCCL, which `collcast tune --for nccl` writes"},
    {[](std::string_view h) { return has(h, "UCC_TL_") || has(h, "UCC_CL_"); },
     "a configuration of UCC; `collcast tune --for ucc` writes its tune strings"},
};

}  // namespace

std::string_view unread(std::string_view head) {
  for (const Known& k : all)
    if (k.detect(head)) return k.words;
  return {};
}

}  // namespace collcast
