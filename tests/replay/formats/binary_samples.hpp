// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small profiles and traces of binary formats, made for the tests byte by byte.
namespace collcast::samples {

inline std::string whole(std::uint64_t n, int bytes, bool big) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(n >> 8 * (big ? bytes - 1 - i : i));
  return text;
}
inline std::string real(double x, bool big) {
  return whole(std::bit_cast<std::uint64_t>(x), 8, big);
}

inline std::string zipped(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
           text.size());
  packed.resize(size);
  return packed;
}

inline std::string tar(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string all;
  for (const auto& [name, text] : files) {
    std::string header(512, '\0'), size;
    for (std::size_t n = text.size(), i = 0; i < 11; ++i, n /= 8)
      size.insert(0, 1, static_cast<char>('0' + n % 8));
    header.replace(0, name.size(), name)
        .replace(124, 11, size)
        .replace(156, 6, std::string("0\0\0\0\0\0", 6));
    all += header.replace(257, 5, "ustar") + text + std::string((512 - text.size() % 512) % 512, '\0');
  }
  return all + std::string(1024, '\0');
}

/// main -> (work -> MPI_Send, MPI_Allreduce), on rank 0, and rank 1 of two threads.
inline const std::string cube_anchor = R"(<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4">
<metrics>
<metric id="0" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT64</dtype></metric>
<metric id="1" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype></metric>
<metric id="2" type="EXCLUSIVE"><uniq_name>bytes_sent</uniq_name><dtype>UINT64</dtype></metric>
</metrics>
<program>
<region id="7"><name>main</name></region><region id="8"><name>work</name></region>
<region id="9"><name>MPI_Send</name></region><region id="10"><name>MPI_Allreduce</name></region>
<cnode id="0" calleeId="7"><cnode id="1" calleeId="8"><cnode id="2" calleeId="9"></cnode></cnode><cnode id="3" calleeId="10"></cnode></cnode>
</program>
<system><systemtreenode Id="0">
<locationgroup Id="0"><rank>0</rank><type>process</type><location Id="0"/></locationgroup>
<locationgroup Id="1"><rank>1</rank><type>process</type><location Id="1"/><location Id="2"/></locationgroup>
</systemtreenode></system>
</cube>)";

/// An index of these rows, sparse, or of all, dense.
inline std::string cube_index(const std::vector<std::uint32_t>& rows, bool big) {
  std::string text = "CUBEX.INDEX" + whole(1, 4, big) + whole(0, 2, big) + (rows.empty() ? '\3' : '\1');
  if (!rows.empty()) text += whole(rows.size(), 4, big);
  for (const std::uint32_t row : rows) text += whole(row, 4, big);
  return text;
}

/// Rows, plain or packed one by one, the last one first.
inline std::string cube_data(const std::vector<std::string>& rows, bool big, bool packed) {
  std::string text = packed ? "ZCUBEX.DATA" + whole(rows.size(), 8, big) : "CUBEX.DATA", data;
  for (const std::string& row : rows) data += packed ? "" : row;
  std::uint64_t at = 0;
  for (std::size_t i = 0; packed && i < rows.size(); ++i) {
    std::uint64_t behind = 0;
    for (std::size_t j = i + 1; j < rows.size(); ++j) behind += zipped(rows[j]).size();
    text += whole(at, 8, big) + whole(behind, 8, big) + whole(zipped(rows[i]).size(), 8, big);
    data.insert(0, zipped(rows[i]));
    at += rows[i].size();
  }
  return text + data;
}

/// Of 14 sends of 100 B, 10 are rank 0's, in 1 s, 3 and 1 of rank 1's threads, in 0.25 s each; an allreduce
/// takes 0.5 s and 0.75 s. The rows of the time are main, work, MPI_Allreduce, MPI_Send.
inline std::string cubex(bool big, bool packed, const std::string& anchor = cube_anchor) {
  const auto counts = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return whole(a, 8, big) + whole(b, 8, big) + whole(c, 8, big);
  };
  const auto times = [&](double a, double b, double c) { return real(a, big) + real(b, big) + real(c, big); };
  return tar(
      {{"0.data", cube_data({counts(10, 3, 1), counts(1, 1, 0)}, big, packed)},
       {"0.index", cube_index({2, 3}, big)},
       {"1.data",
        cube_data({times(9, 9, 9), times(8, 8, 8), times(0.5, 0.75, 0), times(1, 0.25, 0.25)}, big, packed)},
       {"1.index", cube_index({}, big)},
       {"2.data", cube_data({counts(1000, 300, 100), counts(16, 16, 0)}, big, packed)},
       {"2.index", cube_index({2, 3}, big)},
       {"./anchor.xml", anchor}});
}

/// A call of DUMPI: its number, what is stored of it, thread 0 or 16 bits that stand for it, times in us, its
/// arguments.
inline std::string dumpi_call(std::uint64_t function, std::uint64_t enter_us, std::uint64_t leave_us,
                              const std::string& arguments, std::uint64_t mask = 0x4c) {
  const auto time = [](std::uint64_t us) { return whole(0, 2, true) + whole(1000 * us, 4, true); };
  const std::string times = time(enter_us) + time(leave_us);
  return whole(function, 2, true) + whole(mask, 1, true) + whole(0, 2, true) + (mask & 4 ? times : "") +
         (mask & 8 ? times : "") + arguments;
}

/// A binary trace with these calls, 3 more that were ignored, and type 28 of 100 bytes.
inline std::string dumpi_file(const std::string& calls, const std::vector<std::uint64_t>& version) {
  std::string all =
      "\xff\xaa\xdd"
      "DUMPI" +
      whole(0, 4, true) + whole(1296777956, 4, true) + calls + whole(293, 2, true);
  const std::size_t header = all.size();
  for (const std::uint64_t n : version) all += whole(n, 1, true);
  all += whole(1296777956, 8, true) + whole(1, 2, true) + "a" + whole(1, 2, true) + "b" + whole(0, 4, true) +
         whole(0, 4, true);
  const std::size_t footer = all.size();
  all += whole(0xf007fee7, 8, true) + std::string(4 * 291, '\0') + whole(3, 4, true) +
         std::string(4 * 290, '\0');
  const std::size_t sizes = all.size();
  all += whole(29, 4, true) + std::string(4 * 28, '\0') + whole(100, 4, true);
  all +=
      "\xff\xaa\xdd"
      "DUMPI";
  for (const std::size_t place :
       {sizes, std::size_t{0}, std::size_t{0}, header, std::size_t{8}, footer, std::size_t{0}})
    all += whole(place, 8, true);
  return all;
}

/// Rank `rank` of 2: 1 ms after its begin a message of 10 ints to or from the other, which takes 2 ms; an
/// all-to-all of other sizes for each; a broadcast of a communicator that it does not tell.
inline std::string dumpi_binary(std::uint64_t rank) {
  const auto number = [](std::uint64_t n) { return whole(n, 4, true); };
  const auto handle = [](std::uint64_t n) { return whole(n, 2, true); };
  const std::string pair = number(2) + number(1), none = number(2) + number(0) + number(0);
  return dumpi_file(
      dumpi_call(124, 0, 10, number(1) + number(5) + "./mpi") +
          dumpi_call(82, 10, 10, handle(2) + number(rank)) + dumpi_call(81, 10, 10, handle(2) + number(2)) +
          dumpi_call(rank == 0 ? 8 : 12, 1010, 1020,
                     number(10) + handle(9) + number(1 - rank) + number(1337) + handle(2) + number(7)) +
          dumpi_call(13, 1020, 3010, number(7) + number(0), 0x4f) +
          dumpi_call(61, 3010, 3020,
                     number(2) + pair + number(2) + none + handle(28) + pair + number(rank == 0 ? 1 : 2) +
                         none + handle(28) + handle(2)) +
          dumpi_call(53, 3020, 3030, number(1) + handle(9) + number(0) + handle(5)),
      {1, 0, 0});
}

/// A version of Darshan's log: how many modules it has room for, the numbers of those that the sample has.
struct DarshanVersion {
  std::string name;
  std::size_t modules, posix, stdio, apmpi;
  bool nanoseconds;
};
inline const std::vector<DarshanVersion> darshan_versions = {
    {"3.10", 16, 1, 7, 0, false}, {"3.21", 16, 1, 8, 13, false}, {"3.41", 64, 1, 9, 14, true}};

using Pack = std::string (*)(std::string_view);

/// Head, job, then these parts by module's number, with their versions; packed by packing 0 (zlib), 1 (bzip2)
/// or 2 (not at all).
inline std::string darshan_log(const DarshanVersion& v, bool big, std::uint64_t packing, Pack pack,
                               std::uint64_t processes,
                               const std::map<std::size_t, std::pair<std::uint64_t, std::string>>& parts) {
  const auto number = [&](std::uint64_t n) { return whole(n, 8, big); };
  const std::string times = v.nanoseconds ? number(1000) + number(500'000'000) + number(1002) + number(0)
                                          : number(1000) + number(1002);
  const std::string job = pack(number(1) + times + number(processes) + number(42) + std::string(1024, '\0') +
                               "./ior -a\n/\text4\n");
  const std::string names = pack("");
  std::string head = v.name + std::string(4, '\0') + number(6567223) + whole(packing, 1, true) +
                     (v.nanoseconds ? std::string(7, '\0') + number(2)
                                    : std::string(3, '\0') + whole(2, 4, big)),
              data = job + names;
  const std::size_t size = head.size() + 16 + 20 * v.modules;
  head += number(size + job.size()) + number(names.size());
  std::string versions;
  for (std::size_t i = 0; i < v.modules; ++i) {
    const auto part = parts.find(i);
    const std::string packed = part == parts.end() ? "" : pack(part->second.second);
    head += packed.empty() ? number(0) + number(0) : number(size + data.size()) + number(packed.size());
    versions += whole(part == parts.end() ? 0 : part->second.first, 4, big);
    data += packed;
  }
  return head + versions + data;
}

/// A record: its number, its rank, the counters that are not 0 and those of seconds, by their places.
inline std::string darshan_record(bool big, std::int64_t rank, std::size_t counters, std::size_t times,
                                  const std::map<std::size_t, std::uint64_t>& counts,
                                  const std::map<std::size_t, double>& seconds) {
  std::string text = whole(7, 8, big) + whole(static_cast<std::uint64_t>(rank), 8, big);
  for (std::size_t i = 0; i < counters; ++i) text += whole(counts.contains(i) ? counts.at(i) : 0, 8, big);
  for (std::size_t i = 0; i < times; ++i) text += real(seconds.contains(i) ? seconds.at(i) : 0, big);
  return text;
}

/// Two ranks share a file: 4 writes of 1000 B in 2 s, of which not all is recorded; rank 1 has one alone with
/// 2 reads of 10 B in 0.5 s, and 3 lines that it prints. Each has an allreduce of 800 B, of 10 ms and 30 ms,
/// rank 1 two barriers.
inline std::string darshan(const DarshanVersion& v, bool big, std::uint64_t packing = 0, Pack pack = zipped) {
  std::map<std::size_t, std::pair<std::uint64_t, std::string>> parts;
  parts[v.posix] = {
      4, darshan_record(big, -1, 69, 17, {{4, 4}, {15, 4000}}, {{9, 2.0}}) +
             darshan_record(big, 1, 69, 17, {{3, 2}, {14, 20}, {7, ~std::uint64_t{0}}}, {{8, 0.5}})};
  parts[v.stdio] = {2, darshan_record(big, 1, 14, 15, {{3, 3}, {6, 30}}, {{1, 0.25}})};
  const std::size_t allreduce = 12 * 8 + 10 + 2 + 10 * 8, barrier = 12 * 8 + 10, nodes = 8 * (16 + 2) + 128;
  if (v.apmpi > 0)
    parts[v.apmpi] = {
        1, std::string(48, 'h') +
               darshan_record(big, 0, 396, 222, {{allreduce, 1}, {allreduce + 1, 800}}, {{3 * 34, 0.01}}) +
               std::string(nodes, '\0') +
               darshan_record(big, 1, 396, 222, {{allreduce, 1}, {allreduce + 1, 800}, {barrier, 2}},
                              {{3 * 34, 0.03}, {3 * 22, 0.5}}) +
               std::string(nodes, '\0')};
  return darshan_log(v, big, packing, pack, 2, parts);
}

}  // namespace collcast::samples
