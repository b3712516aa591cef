// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/complaint.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::testing {

inline const char* const osu_latency =
    "# OSU MPI-CUDA Latency Test v5.6.2\n"
    "# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)\n"
    "# Size          Latency (us)\n"
    "0                       0.28\n"
    "1                      17.30\n"
    "4194304               106.31\n";

inline const char* const osu_multiple_bandwidth =
    "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7\n"
    "# [ pairs: 4 ] [ window size: 32 ]\n"
    "# Size                  MB/s        Messages/s\n"
    "1                       8.00        8000000.00\n"
    "1000                 2000.00        2000000.00\n";

inline const char* const osu_allgather =
    "[1622510346.8] [g0185:1:0]  ucp_context.c:1437 UCX  WARN  UCP version is incompatible\n"
    "\n"
    "# OSU MPI-CUDA Allgather Latency Test v7.1\n"
    "# Datatype: MPI_CHAR.\n"
    "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
    "4                      28.87             28.29             29.50        1000\n"
    "8                      28.97             28.42             29.64        1000\n";

inline const char* const nccl_allreduce =
    "# nThread 1 nGpus 1 minBytes 4 maxBytes 33554432 step: 2(factor) warmup iters: 5 iters: 100 validation: "
    "1\n"
    "#\n"
    "# Using devices\n"
    "#   Rank  0 Pid 144167 on      g0185 device  0 [0x3d] Tesla V100-SXM2-16GB\n"
    "#   Rank  1 Pid 213277 on      g0186 device  0 [0x3d] Tesla V100-SXM2-16GB\n"
    "#\n"
    "#                                                     out-of-place                       in-place\n"
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  "
    "error\n"
    "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    "        1024           256   float     sum    23.33    0.04    0.04  2e-07    23.30    0.04    0.04  "
    "2e-07\n"
    "    33554432       8388608   float     sum   2970.9   11.29   11.29  5e-07   2969.8   11.30   11.30  "
    "5e-07\n"
    "# Out of bounds values : 0 OK\n";

inline const char* const nccl_broadcast =
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 1 iters: 20 agg "
    "iters: 1\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   6899 on host-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid   6899 on host-a device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n"
    "#                                                              out-of-place                       "
    "in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
    "(GB/s)\n"
    "     1048576        262144     float    none       0    104.9   10.00   10.00      0      N/A     N/A   "
    "  N/A    "
    "N/A\n"
    "     2097152        524288     float    none       0    209.7   10.00   10.00      0    209.7   10.00   "
    "10.00      "
    "0\n";

inline const char* const nccl_report =
    R"({"version":2,"args":["build/all_reduce_perf","-J","x"],"nccl_version":22807,"config":{"nthreads":1,)"
    R"("ngpus":2,"devices":[{"rank":0,"group":0,"pid":1,"hostname":"a","device":0},)"
    R"({"rank":2,"group":0,"pid":1,"hostname":"b","device":0}]},"results":[{"size":1000000,"count":250000,)"
    R"("type":"float","redop":"sum","root":"    -1","out_of_place":{"time":100.0,"alg_bw":10.0,)"
    R"("bus_bw":15.0,"nwrong":0.0},"in_place":{"time":50.0,"alg_bw":20.0,"bus_bw":30.0,"nwrong":null}}]})";

inline const char* const p2p =
    "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    "P2P Connectivity Matrix\n"
    "     D\\D     0     1\n"
    "     0       1     1\n"
    "     1       1     1\n"
    "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
    "   D\\D     0      1\n"
    "     0 778.36   9.55\n"
    "     1   9.58 781.25\n"
    "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
    "   D\\D     0      1\n"
    "     0 777.25  40.00\n"
    "     1  50.00 780.17\n"
    "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n"
    "   D\\D     0      1\n"
    "     0 779.23  80.00\n"
    "     1  80.00 778.82\n"
    "P2P=Enabled Latency (P2P Writes) Matrix (us)\n"
    "   GPU     0      1\n"
    "     0   1.82   1.89\n"
    "     1   1.86   1.82\n"
    "\n"
    "   CPU     0      1\n"
    "     0   2.48   2.08\n"
    "     1   2.22   2.58\n";

inline const char* const json_lines =
    R"({"collective":"latency","message_bytes":8,"time_s":1.5e-6,"buffers":"host-device","nodes":2,"session":4})"
    "\n"
    R"({"collective":"allreduce","algorithm":"ring","ranks":8,"message_bytes":1024,"time_s":2e-5,"library":"x"})"
    "\n";

inline const char* const experiments =
    "source,network,ranks,method,size_bytes,time_us,busbw_GBs\n"
    "osu_allreduce/ompi,100g,2,basic_linear,1000000,394.56,\n"
    "nccl-tests,100g,32,ring,534773760,191035,5.42\n";

inline const char* const msccl =
    "archive,collective,file,algo,ranks,gpu,xml_loaded,size_bytes,count,redop,oop_time_us,oop_algbw,oop_"
    "busbw,oop_err,"
    "ip_time_us,ip_algbw,ip_busbw,ip_err,frac_sizes_ip_differs\n"
    "v1,allreduce,ring_8_4.txt,ring_8_4,16,V100,1,384,96,sum,24.06,0.02,0.03,2e-07,18.76,0.02,0.04,1e-07,1."
    "00\n"
    "v1,allreduce,nccl.txt,nccl,16,V100,0,384,96,sum,24.00,0.02,0.03,2e-07,18.00,0.02,0.04,1e-07,0.00\n";

}  // namespace collcast::testing
