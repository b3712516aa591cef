// SPDX-License-Identifier: Apache-2.0
#include "support/file_kind.hpp"

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using text::has;

/// Whether the text is in UTF-16. Without a byte order mark its first two letters decide: in Latin text every
/// second byte is 0.
bool is_utf16(std::string_view h) {
  if (h.starts_with("\xff\xfe") || h.starts_with("\xfe\xff")) return true;
  const auto letters = [&](std::size_t at, std::size_t zero) {
    return h[at] >= ' ' && h[at + 2] >= ' ' && h[zero] == 0 && h[zero + 2] == 0;
  };
  return h.size() >= 4 && (letters(0, 1) || letters(1, 0));
}

bool is_json(std::string_view head) {
  return head[head.find_first_not_of(" \t\r\n")] == '{';
}

struct Kind {
  bool (*detect)(std::string_view head);
  std::string_view words;
};

/// The first row that detects a head counts. Rows after the first may assume that the head is not blank.
constexpr std::array<Kind, 22> kinds = {{
    {[](std::string_view h) { return h.find_first_not_of(" \t\r\n") == std::string_view::npos; }, "empty"},
    {is_utf16, "text in UTF-16; save it as UTF-8"},
    {[](std::string_view h) {
       return h.starts_with("\x1f\x8b") || h.starts_with("\x28\xb5\x2f\xfd") || h.starts_with("PK\3\4");
     },
     "packed by gzip, zstd or zip; unpack it"},
    {[](std::string_view h) { return h.starts_with("CCTRACE"); },
     "a recorded application, which `collcast replay` takes"},
    {[](std::string_view h) { return h.starts_with("num_ranks"); },
     "a trace in GOAL's text, which `collcast replay` takes"},
    {[](std::string_view h) {
       return has(h, "\"format\"") && (has(h, "\"collcast forest\"") || has(h, "\"collcast messages\""));
     },
     "a schedule that `collcast synthesize` made, which --import takes"},
    {[](std::string_view h) { return is_json(h) && has(h, "\"roles\"") && has(h, "\"dimensions\""); },
     "the description of a job, which `collcast job` takes"},
    {[](std::string_view h) {
       return is_json(h) && (has(h, "\"max_nodes\"") || has(h, "\"base\"") ||
                             (has(h, "\"node\"") && has(h, "\"network\"")));
     },
     "the description of a machine, which --platform takes"},
    {[](std::string_view h) { return is_json(h) && has(h, "\"traceEvents\""); },
     "a timeline; `collcast replay` takes those of profilers"},
    {[](std::string_view h) { return is_json(h) && has(h, "\"predictions\""); }, "an answer of collcast"},
    {[](std::string_view h) {
       return is_json(h) && has(h, "\"platform\"") && has(h, "\"ranks\"") && !has(h, "\"time_s\"");
     },
     "the cases of a sweep, which `collcast sweep` takes"},
    {[](std::string_view h) {
       return h.starts_with("# OSU") || has(h, "# nThread") || has(h, "out-of-place");
     },
     "a table of measurements, which `collcast validate --measurements` and `calibrate --from` take"},
    {[](std::string_view h) { return h.find("<algo ") < 200; },
     "an algorithm of MSCCL: `collcast prove --import FILE`"},
    {[](std::string_view h) { return has(h, "\"reuse_resources\"") || has(h, "\"num_threads_per_block\""); },
     "an execution plan of MSCCL++, which is not read"},
    {[](std::string_view h) { return h.starts_with("Collective:") && has(h, "Memory type:"); },
     "a table of ucc_perftest, which is not read"},
    {[](std::string_view h) {
       return h.starts_with("rule-file-version") || has(h, "# num of collectives") ||
              has(h, "# number of collectives") || has(h, "# Collective count") ||
              has(h, "\"rule_file_version\"") || has(h, "OpenMPITunedRules");
     },
     "a rule file of Open MPI, which `collcast tune --for openmpi` writes"},
    {[](std::string_view h) { return has(h, "\"collective=") && has(h, "\"comm_type="); },
     "a selection of MPICH, which `collcast tune --for mpich` writes"},
    {[](std::string_view h) { return h.starts_with("collective,size_bytes,"); },
     "a table for NCCL's tuner, which is not read"},
    {[](std::string_view h) { return has(h, "\"rules\"") && has(h, "\"bytesPerRank\""); },
     "a tuner file of NCCLX, which is not read"},
    {[](std::string_view h) {
       return has(h, "collective_type,min_bytes") || has(h, "\nallreduce,") || h.starts_with("allreduce,");
     },
     "a tuner file of NCCL, which `collcast tune --for nccl` writes"},
    {[](std::string_view h) { return has(h, "UCC_TL_") || has(h, "UCC_CL_"); },
     "a configuration of UCC; `collcast tune --for ucc` writes its tune strings"},
    {[](std::string_view h) { return has(h, std::string_view("\0", 1)); }, "binary"},
}};

}  // namespace

std::string_view kind_of_file(std::string_view head) {
  for (const Kind& k : kinds)
    if (k.detect(head)) return k.words;
  return {};
}

void refuse_other_kinds(const std::string& file, std::string_view text, std::string_view expected) {
  constexpr std::size_t enough = 65536;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view kind = kind_of_file(text.substr(begin, enough));
  const auto name = [](std::string_view words) { return words.substr(0, words.find(',')); };
  if (!kind.empty() && name(kind) != name(expected))
    throw InputError(file + ": is " + std::string(kind) + "; expected " + std::string(expected));
}

}  // namespace collcast
