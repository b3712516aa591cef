// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "replay/formats/protobuf.hpp"

/// Small traces of each format, made for the tests.
namespace collcast::samples {

/// One rank of two, a step of 10 ms: forward 1 to 3 ms, an allreduce of 4 MB from 4 to 6 ms while the GPU
/// computes until 5 ms, then the optimizer, which waits for it, from 6 to 7 ms.
inline std::string kineto(int rank, int world = 2) {
  const std::string r = std::to_string(rank);
  return R"json({"schemaVersion":1,"deviceProperties":[],"distributedInfo":{"backend":"nccl","rank":)json" +
         r + R"json(,"world_size":)json" + std::to_string(world) + R"json(},"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":1,"tid":1,"ts":1000,"dur":10000,"args":{}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1100,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1200,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":4900,"dur":100,"args":{"Collective name":"allreduce","dtype":"Float","In msg nelems":1000000,"Out msg nelems":1000000,"Group size":2,"Process Group Name":"0","Process Group Ranks":"[0, 1]"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":1,"tid":1,"ts":4920,"dur":5,"args":{}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":4950,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":1,"tid":1,"ts":5100,"dur":5,"args":{}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5200,"dur":5,"args":{"correlation":4}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":2000,"dur":2000,"args":{"stream":7,"device":0,"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":4000,"dur":2000,"args":{"stream":7,"device":0,"correlation":2}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)","pid":0,"tid":20,"ts":5000,"dur":2000,"args":{"stream":20,"device":0,"correlation":3}},
{"ph":"X","cat":"kernel","name":"adam","pid":0,"tid":7,"ts":7000,"dur":1000,"args":{"stream":7,"device":0,"correlation":4}}
],"traceName":"x"})json";
}

/// Two ranks reduce one tensor of 4 kB; rank 1 is ready 2 ms after rank 0; the array is left open.
inline const std::string horovod = R"json([
{"name":"process_name","ph":"M","pid":1,"args":{"name":"grad"}},
{"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":1000,"pid":1},
{"ph":"X","name":"0","ts":1001,"pid":1,"dur":0},
{"ph":"X","name":"1","ts":3001,"pid":1,"dur":0},
{"ph":"E","ts":3010,"pid":1},
{"ph":"B","name":"ALLREDUCE","ts":3020,"pid":1},
{"ph":"B","name":"NCCL_ALLREDUCE","ts":3101,"pid":1},
{"ph":"E","ts":4000,"pid":1},
{"ph":"E","ts":4101,"pid":1,"args":{"dtype":"float32","shape":"[10, 100]"}},
)json";

inline const std::string nccl_log =
    "node0:10:11 [0] NCCL INFO ncclCommInitRank comm 0xa rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 "
    "commId 0x77 - "
    "Init COMPLETE\n"
    "[1,1]<stdout>:node1:20:21 [0] NCCL INFO ncclCommInitRank comm 0xb rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1000 "
    "commId 0x77 - Init COMPLETE\n"
    "node0:10:11 [0] NCCL INFO AllGather: 4096 Bytes -> Algo 1 proto 2 time 12.5\n"
    "node0:10:11 [0] NCCL INFO AllGather: opCount 1f sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 "
    "root 0 comm 0xa "
    "[nranks=2] stream 0x5\n"
    "[1,1]<stdout>:node1:20:21 [0] NCCL INFO AllGather: opCount 1f sendbuff 0x1 recvbuff 0x2 count 1024 "
    "datatype 7 op 0 "
    "root 0 comm 0xb [nranks=2] stream 0x5\n"
    "node0:10:11 [0] NCCL INFO Send: opCount 20 sendbuff 0x1 recvbuff (nil) count 10 datatype 8 op 0 root 1 "
    "comm 0xa "
    "[nranks=2] stream 0x5\n"
    "node1:20:21 [0] NCCL INFO Recv: opCount 20 sendbuff (nil) recvbuff 0x1 count 10 datatype 8 op 0 root 0 "
    "comm 0xb "
    "[nranks=2] stream 0x5\n";

/// Two GPUs of a process: an allgather of 1024 floats each, one at a graph's capture, a message of 10
/// doubles.
inline std::string rccl_replay() {
  const std::string context = ", context : [time : 1745623615676.041748, thread : 5, device : 0, captured : ";
  auto call = [&](const std::string& name, const std::string& count, const std::string& type, int root,
                  int rank, int captured) {
    return name +
           " : [opCount : 1f, sendbuff : [addr : 0x1, base : 0x1, size : 9], recvbuff : [addr : 0x2, base : "
           "0x2, "
           "size : 9], acc : (nil), count : " +
           count + ", datatype : " + type + ", op : 0, root : " + std::to_string(root) + ", comm : 0x7" +
           std::to_string(rank) +
           ", nranks : 2, stream : 0x5, task : 0, globalrank : " + std::to_string(rank) + context +
           std::to_string(captured) + ", graphID : 0 ]],\n";
  };
  std::string text = "{\n  hostname : node0, version : 1,\n";
  for (const int rank : {0, 1}) {
    const std::string r = std::to_string(rank);
    text += "  CommInitDev : [comm : 0x7" + r + ", size : 2, uniqueID : 171, rank : " + r + ", dev : " + r +
            context + "-1, graphID : 0 ]],\n";
  }
  for (const int rank : {0, 1})
    text += "  " + call("AllGather", "1024", "7", 0, rank, 0) + call("AllReduce", "7", "7", 0, rank, 1);
  return text + "  {\n" + call("Send", "10", "8", 1, 0, 0) + call("Recv", "10", "8", 0, 1, 0) + "  }\n}\n";
}

inline const std::string time_independent =
    "0 init\n1 init\n# a comment\n0 compute 1e9\n0 isend 1 3 100 6\n0 wait 0 1 3\n1 recv 0 3 100 6\n"
    "0 allreduce 10 0 1\n1 allreduce 10 0 1\n0 reducescatter 1 2 0\n1 reducescatter 1 2 0\n0 finalize\n1 "
    "finalize\n";

/// A computation of 5 us, then an allreduce of 1000 B after it; node 0's id is left out, as writers do.
inline std::string chakra() {
  using namespace protobuf;
  auto attribute = [](const std::string& name, std::uint64_t value) {
    std::string a;
    put_field(a, 1, name);
    put_field(a, 9, value);
    return a;
  };
  std::string metadata, first, second, file;
  put_field(metadata, 1, std::string_view("0.0.4"));
  put_field(first, 2, std::string_view("gemm"));
  put_field(first, 3, 4);
  put_field(first, 7, 5);
  put_field(second, 1, 1);
  put_field(second, 2, std::string_view("allreduce"));
  put_field(second, 3, 7);
  put_field(second, 5, std::string_view("\0", 1));
  put_field(second, 10, attribute("comm_type", 0));
  put_field(second, 10, attribute("comm_size", 1000));
  for (const std::string* m : {&metadata, &first, &second}) {
    put_varint(file, m->size());
    file += *m;
  }
  return file;
}

inline std::string write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// A word of a pickle.
inline std::string pickled(const std::string& word) {
  return std::string("X") + static_cast<char>(word.size()) + std::string(3, '\0') + word;
}

/// {"version": "2.9", "entries": [{"record_id": 3, "profiling_name": "nccl:all_reduce", "input_sizes":
/// [[10]], "input_dtypes": ["Float"], "state": "completed"}]}
inline std::string pickle() {
  return "\x80\x02}(" + pickled("version") + pickled("2.9") + pickled("entries") + "](}(" +
         pickled("record_id") + "K\x03" + pickled("profiling_name") + pickled("nccl:all_reduce") +
         pickled("input_sizes") + "](](K\x0a" + "ee" + pickled("input_dtypes") + "](" + pickled("Float") +
         "e" + pickled("state") + pickled("completed") + "ueu.";
}

inline const std::string inspector =
    R"json({"header":{"id":"0x1","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":1},"coll_perf":{"coll":"AllGather","coll_sn":4,"coll_msg_size_bytes":100,"coll_exec_time_us":50}}
{"header":{"id":"0x1","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":1},"coll_perf":{"coll":"AllGather","coll_sn":7,"coll_msg_size_bytes":100,"coll_exec_time_us":70}}
{"header":{"id":"0x1","rank":1,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":2},"coll_perf":{"coll":"AllGather","coll_sn":4,"coll_msg_size_bytes":100,"coll_exec_time_us":40}}
)json";

/// As Chakra's own feeder has it: the kernel of a broadcast without a size, and an allreduce after it.
inline const std::string chakra_json =
    R"json({"workload_graph": [
{"Id": 3, "Name": "gemm", "NodeType": 4, "data_deps": [], "runtime": 5, "is_cpu_op": false},
{"Id": 4, "Name": "ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)", "NodeType": 7, "data_deps": [3], "runtime": 28, "is_cpu_op": false},
{"Id": 5, "Name": "c10d::broadcast_", "NodeType": 7, "ctrlDeps": [3], "data_deps": [3], "runtime": 85, "is_cpu_op": true},
{"Id": 6, "Name": "sum", "NodeType": 7, "data_deps": [4], "comm_type": 0, "comm_size": 1000, "is_cpu_op": false}
], "ngpus": 8})json";

inline const std::string goal =
    "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 10b to 1 tag 5 cpu 0\nl2 requires l1\n}\n/* a comment "
    "*/\n"
    "rank 1 {\nl1: recv 10b from 0 tag 5\nl2: calc 500\nl2 requires l1\n}\n";

/// Rank 0 of 2: a message, two more as one group, and a barrier.
inline const std::string flight_json =
    R"json({"version":"2.9","pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"pg_status":{},"entries":[
{"record_id":0,"process_group":["0",""],"p2p_seq_id":1,"profiling_name":"nccl:send 0->1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":1,"process_group":["0",""],"p2p_seq_id":2,"profiling_name":"nccl:send 0->1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":2,"process_group":["0",""],"p2p_seq_id":2,"profiling_name":"nccl:recv 0<-1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":3,"process_group":["0",""],"p2p_seq_id":0,"profiling_name":"nccl:coalesced","state":"completed"},
{"record_id":4,"process_group":["0",""],"p2p_seq_id":0,"profiling_name":"nccl:barrier","state":"completed"}]})json";

/// From format 4.3 on, lines leave their header and metadata to the dump's statistics before them.
/// One rank of 2, whose allreduces have these numbers and as many elements, each enqueued at so many
/// microseconds and known to be done 10 us later.
inline std::string flight_of(const std::vector<int>& numbers, int later_us) {
  std::string entries;
  for (const int n : numbers)
    entries += std::string(entries.empty() ? "" : ",\n") + R"({"record_id":)" + std::to_string(n) +
               R"(,"process_group":["0",""],"collective_seq_id":)" + std::to_string(n) +
               R"(,"profiling_name":"nccl:all_reduce","input_sizes":[[)" + std::to_string(n) +
               R"(]],"input_dtypes":["Float"],"time_created_ns":)" + std::to_string(1000 * (later_us + n)) +
               R"(,"time_discovered_completed_ns":)" + std::to_string(1000 * (later_us + n + 10)) +
               R"(,"state":"completed"})";
  return R"({"pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"pg_status":{},"entries":[)" + entries + "]}";
}

inline const std::string deepspeed_calls =
    "[2026-01-01 01:39:55,722] [INFO] [logging.py:69:log_dist] [Rank 0] rank=0 | comm op: "
    "all_gather_into_tensor | "
    "time (ms): 0.11 | msg size: 6.0 MB | algbw (Gbps): 954.40  | busbw (Gbps): 894.75\n"
    "[2026-01-01 01:39:56,470] [INFO] rank=0 | comm op: send | [Caller Func: f] | time (ms): 1 | msg size: "
    "2.5 KB | "
    "algbw (Gbps): 1 | busbw (Gbps): 1\n"
    "[2026-01-01 01:39:56,470] [INFO] rank=0 | comm op: reduce_scatter_tensor | time (ms): 9.46 | msg size: "
    "64 MB\n";

inline const std::string deepspeed_summary =
    "Comm. Op            Message Size        Count               Total Latency(ms)   Avg Latency(ms)     "
    "tput_avg "
    "(Gbps)     busbw_avg (Gbps)\n"
    "broadcast | [Caller Func: _broadcast_model]\n"
    "                    2.0 KB              146                 11.68               0.08                "
    "0.43  0.41\n"
    "all_reduce\n"
    "                    98.25 MB            40                  400.0               9.69                "
    "1000  750\n"
    "______\nBreakdown with straggler effect\n-----\n"
    "Comm. Op            Message Size        Count               Total comm lat(ms)  Total straggler(ms)\n"
    "broadcast\n                    2.0 KB              146                 11.68               0.08\n";

inline const std::string deepintrospect =
    R"json([{"operation":"allreduce","tag":"horovod","count":10,"time":2100.0,"stats":[{"count":7,"msg_size":4004,"time":1400},{"count":1,"msg_size":8000,"time":400}]},
{"operation":"bcast","tag":"","count":2,"time":50,"stats":[]}])json";

inline const std::string mpip =
    "@ mpiP\n@ MPI Task Assignment      : 0 a\n@ MPI Task Assignment      : 1 a\n"
    "@--- Aggregate Time (top twenty, descending, milliseconds) ----------------\n"
    "Call                 Site       Time    App%    MPI%      Count    COV\n"
    "Isend                  25        926    1.45   16.06      71742   0.20\n"
    "Allreduce             174        346    0.54    6.00        336   0.51\n"
    "---------------------------------------------------------------------------\n"
    "@--- Aggregate Sent Message Size (top twenty, descending, bytes) ----------\n"
    "Call                 Site      Count      Total       Avrg  Sent%\n"
    "Isend                  25      71742   1.43484e+08   2e+03  63.34\n"
    "@--- Callsite Time statistics (all, milliseconds): 2 ----------------------\n"
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Bcast                9    0      7        2        1      0.5   0.10   0.20\n"
    "Bcast                9    *     14        2        1      0.5   0.10   0.20\n";

inline const std::string ipm_banner =
    "##IPMv2.0.6####\n# mpi_tasks : 4 on 2 nodes            %comm     : 32.51\n"
    "#                             [time]        [count]        <%wall>\n"
    "# MPI_Allreduce               2.50             20          18.99\n"
    "# MPI_Barrier                 0.00              4           0.00\n"
    "# region : solve\n#                   [time]        [count]        <%wall>\n"
    "# MPI_Allreduce               1.00             10          18.99\n";

/// A rank that called MPI_Bcast twice, in 30 us, with 4 B each.
inline std::string tau_profile(const std::string& more = "") {
  return "3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata/>\n"
         "\".TAU application\" 1 7 419 55329 0 GROUP=\"TAU_DEFAULT\" \n"
         "\"MPI_Bcast()  \" 2 0 30 30 0 GROUP=\"MPI\" \n"
         "\".TAU application => MPI_Bcast()  \" 2 0 30 30 0 GROUP=\"TAU_CALLPATH|MPI\" \n" +
         more +
         "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"
         "\"Message size for broadcast\" 2 4 4 4 32\n";
}

/// A record of RCCL's recorder.h: an allreduce of `count` floats by a rank of 2.
inline std::string rccl_record(std::uint64_t type, std::uint64_t count, std::uint64_t rank) {
  std::string bytes(160, '\0');
  auto put = [&](std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  for (const auto& [at, value] : std::map<std::size_t, std::uint64_t>{
           {0, 11}, {4, 12}, {8, rank}, {36, type}, {112, 7}, {120, rank}, {124, 2}, {148, rank}})
    put(at, value, 4);
  put(16, std::bit_cast<std::uint64_t>(1745623615676.0), 8);
  put(104, count, 8);
  put(128, 100 + rank, 8);
  put(152, 171, 8);
  return bytes;
}

}  // namespace collcast::samples
