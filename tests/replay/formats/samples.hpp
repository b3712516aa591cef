// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

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

}  // namespace collcast::samples
