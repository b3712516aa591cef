// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/unread.hpp"

#include "replay/formats/tar.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using text::has;

bool is_array(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '[';
}

/// Whether it is a chunk of definitions or events: a mark, the byte order, and two numbers of events of 8
/// bytes each.
bool is_part_of_otf2(std::string_view h) {
  constexpr std::size_t header = 18;
  if (h.size() < header || h[0] != '\3') return false;
  return (h[1] == 'B' && h[9] == '\0' && h[17] == '\0') || (h[1] == '#' && h[2] == '\0' && h[10] == '\0');
}

/// The names of the columns of a table; empty if the first line has no commas.
std::string_view columns(std::string_view h) {
  const std::string_view first = h.substr(0, h.find('\n'));
  return has(first, ",") && !has(first, "{") ? first : std::string_view();
}

struct Known {
  bool (*detect)(std::string_view head);
  std::string_view words;
};

/// The known kinds of files, in the order in which they are tried.
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
    {[](std::string_view h) { return h.starts_with("7z\xbc\xaf"); },
     "a 7z archive, which is not read; unpack it, and name the files in it"},
    {[](std::string_view h) { return has(h, "<cube version=") && h.starts_with("<?xml"); },
     "the XML text of a CUBE profile, which is read as a whole: the .cubex archive"},
    {is_tar, "a tar archive; unpack it, and name the files in it"},
    {[](std::string_view h) { return h.substr(0, 8).find("OTF2") < 4; },
     "an OTF2 archive, which this program was built without libotf2 to read; `otf2-print` prints it"},
    {is_part_of_otf2,
     "a part of an OTF2 archive, its definitions or events (.def, .evt); name the archive's anchor, *.otf2, "
     "beside which they lie"},
    {[](std::string_view h) { return has(h, "=== OTF2-PRINT ==="); },
     "the text that `otf2-print` prints of an OTF2 archive, which is not read; name the archive's anchor, "
     "*.otf2"},
    {[](std::string_view h) { return h.starts_with("# darshan log version:"); },
     "the text that `darshan-parser` prints of a Darshan log, which is not read; name the log"},
    {[](std::string_view h) {
       return h.starts_with('{') &&
              (has(h, "\"NvtxEvent\":") || has(h, "\"CudaEvent\":") || has(h, "\"TraceProcessEvent\":"));
     },
     "a JSON export of Nsight Systems, which is not read; export it by `nsys export --type sqlite "
     "--include-blobs=true`"},
    {[](std::string_view h) { return has(h, "Total Time (") && (has(h, "Time (%)") || has(h, "Time(%)")); },
     "a table of `nsys stats`, which has sums alone; name the report's SQLite export"},
    {[](std::string_view h) { return h.starts_with("__rec="); },
     "a Caliper recording, which is not read; `cali-query` prints it"},
    {is_jax_trace, "a Chrome trace of JAX's or TensorFlow's profiler, which is not read"},
    {[](std::string_view h) { return is_array(h) && has(h, "\"ph\""); }, unknown_chrome_trace},
    {[](std::string_view h) {
       return has(h, "/host:metadata") || has(h, "/device:GPU:") || has(h, "/host:CPU");
     },
     "an XSpace profile (JAX, TensorFlow), which is not read"},
    {[](std::string_view h) {
       return has(h, "nccl_bus_bandwidth_gbs") || has(h, "nccl_collective_exec_time_microseconds");
     },
     "a page of the NCCL Inspector's metrics for Prometheus, which are no operations; run it without "
     "NCCL_INSPECTOR_PROM_DUMP"},
    {[](std::string_view h) { return h.starts_with('{') && has(h, "\"algBw\"") && has(h, "\"busBw\""); },
     "a table of MSCCL++'s performance tests, which holds no calls and is not read; `collcast validate "
     "--measurements` and `calibrate --from` take tables as nccl-tests and OSU's benchmarks print them"},
    {[](std::string_view h) {
       return h.starts_with('{') && has(h, "\"message_bytes\"") && has(h, "\"time_s\"") &&
              !has(h, "\"platform\"");
     },
     "a table of measurements, which `collcast validate --measurements` and `calibrate --from` take"},
    {[](std::string_view h) { return has(columns(h), "busbw"); },
     "a table of bandwidths in columns, which holds no calls and is not read; `collcast validate "
     "--measurements` and `calibrate --from` take tables as nccl-tests and OSU's benchmarks print them"},
    {[](std::string_view h) { return has(h, "<ipm") || has(h, "<task ipm_version"); },
     "IPM's log (XML), which is not read; name the banner that `ipm_parse` prints of it"},
    {[](std::string_view h) { return has(h, " times and ignored ") && has(h, " called "); },
     "the counts of calls at the end of a DUMPI trace, without the calls: name the trace"},
    {[](std::string_view h) {
       const std::string_view first = h.substr(0, h.find_first_of(" \t\r\n"));
       return first.ends_with(".txt") && !has(h, " ");
     },
     "a list of files, as of an SMPI trace; name those"},
};

}  // namespace

bool is_jax_trace(std::string_view head) {
  return has(head, "\"traceEvents\"") && (has(head, "\"/device:") || has(head, "\"/host:"));
}

std::string_view unread(std::string_view head) {
  for (const Known& k : all)
    if (k.detect(head)) return k.words;
  return {};
}

}  // namespace collcast
