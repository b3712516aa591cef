// SPDX-License-Identifier: Apache-2.0
// Files for libraries, read back: by parsers written from the libraries' grammars, and by Open MPI's own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "libraries/mpi.hpp"
#include "libraries/tuner/write.hpp"
#include "support/address_sanitizer.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast::tuner {
namespace {

using collcast::testing::complaint;
using enum Collective;

const Entry& entry(std::string_view library_name, Collective c, std::string_view theirs) {
  for (const Entry& e : format(library_name).entries)
    if (e.collective == c && e.theirs == theirs) return e;
  throw std::runtime_error("no such entry");
}

/// 0 to 1023: the default; to 64 KiB: `small`; to 1 MiB: `large` in segments; beyond: the default.
Tuning tuning(Collective c, const Entry& standard, const Entry& small, const Entry& large,
              std::int64_t segment = 0) {
  return {8,
          2,
          {{c, 0, 1023, false, &standard},
           {c, 1024, 65535, true, &small},
           {c, 65536, 1048576, true, &large, segment},
           {c, 1048577, no_end, false, &standard}}};
}

constexpr std::int64_t sizes[] = {0, 1, 1023, 1024, 65535, 65536, 1048576, 1048577, 1LL << 40};

TEST(Tuner, EveryEntryIsInTheCatalogueWithItsRadix) {
  for (const Format& l : formats())
    for (const Entry& e : l.entries) {
      const Algorithm& a = algorithm(e.collective, e.ours);  // throws if there is none
      EXPECT_TRUE(e.radix == 0 || a.radix || e.radix == 2) << l.name << ' ' << e.theirs;
      EXPECT_TRUE(!e.segments || a.segmented) << l.name << ' ' << e.theirs;
    }
  EXPECT_EQ(
      complaint([] { format("opnmpi"); }),
      "tune --for 'opnmpi' is unknown; expected one of: nccl, openmpi, openmpi-json, mpich, ucc, mvapich2");
}

TEST(Tuner, OpenMpiSendsAsItsPolicySays) {
  int seen = 0;
  for (const Collective c : {allreduce, broadcast, reduce, allgather, alltoall, gather, scatter})
    for (Rank ranks = 2; ranks <= 2048; ranks *= 2)
      for (double size = 1; size < 1e8; size *= 4) {
        Pick p;
        try {
          p = openmpi_4_1_pick(c, {.ranks = ranks, .message = Bytes(size)}, {});
        } catch (const InputError&) {
          continue;  // not in the catalogue
        }
        for (const Entry& e : format("openmpi").entries)
          if (e.collective == c && e.ours == p.algorithm && (e.radix == 0 || e.radix == p.radix)) {
            EXPECT_EQ(p.blocking, !e.started) << e.theirs;
            ++seen;
          }
      }
  EXPECT_GT(seen, 500);
}

/// coll_tuned_dynamic_file.c: numbers, and nothing else; # to the end of the line.
class OpenMpiRules {
 public:
  explicit OpenMpiRules(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '#')
        while (i < text.size() && text[i] != '\n') text[i++] = ' ';
    std::istringstream in(text);
    for (int n = next(in); n > 0; --n) {
      const int id = next(in);
      for (int comms = next(in), last = -1; comms > 0; --comms) {
        const int comm = next(in);
        EXPECT_GT(comm, last);
        last = comm;
        std::int64_t largest = -1;
        for (int k = next(in); k > 0; --k) {
          const std::int64_t from = next(in);
          EXPECT_EQ(largest == -1, from == 0);  // the first is 0
          EXPECT_GT(from, largest);
          largest = from;
          const int algorithm = next(in);
          EXPECT_EQ(next(in), 0);  // fan
          rules_[{id, comm}].push_back({from, algorithm, next(in)});
        }
      }
    }
    std::string rest;
    EXPECT_FALSE(in >> rest) << rest;
  }
  struct Told {
    std::int64_t from;
    int algorithm;
    std::int64_t segment;
  };
  Told at(int id, int comm, std::int64_t bytes) const {
    const std::vector<Told>* of = nullptr;
    for (const auto& [key, rules] : rules_)
      if (key.first == id && (key.second <= comm || !of)) of = &rules;
    if (!of) return {};
    Told told{};
    for (const Told& t : *of)
      if (t.from <= bytes) told = t;
    return told;
  }

 private:
  static std::int64_t next(std::istringstream& in) {
    std::int64_t n = -1;
    EXPECT_TRUE(in >> n);
    return n;
  }
  std::map<std::pair<int, int>, std::vector<Told>> rules_;
};

Tuning broadcasts() {
  return tuning(broadcast, entry("openmpi", broadcast, "binomial"), entry("openmpi", broadcast, "knomial"),
                entry("openmpi", broadcast, "pipeline"), 16384);
}

TEST(Tuner, OpenMpiRules) {
  const OpenMpiRules rules(write_openmpi(broadcasts()));
  const int expected[] = {0, 0, 0, 7, 7, 3, 3, 0, 0};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    EXPECT_EQ(rules.at(7, 8, sizes[i]).algorithm, expected[i]) << sizes[i];
    EXPECT_EQ(rules.at(7, 8, sizes[i]).segment, expected[i] == 3 ? 16384 : 0);
    for (const int other : {1, 2, 7, 9, 1000}) EXPECT_EQ(rules.at(7, other, sizes[i]).algorithm, 0);
  }
  EXPECT_EQ(write_openmpi({8, 2, {}}), "0  # collectives\n");
}

TEST(Tuner, OpenMpisOwnReaderTakesThem) {
  if (address_sanitizer) GTEST_SKIP() << "what Open MPI leaves in memory is not ours";
  FILE* pipe = popen("ompi_info --path pkglibdir --parsable 2>/dev/null", "r");
  char line[512] = "";
  if (pipe && !std::fgets(line, sizeof line, pipe)) line[0] = 0;
  if (pipe) pclose(pipe);
  std::string folder(line);
  folder = folder.substr(folder.rfind(':') + 1);
  while (!folder.empty() && folder.back() == '\n') folder.pop_back();
  dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  void* tuned = dlopen((folder + "/mca_coll_tuned.so").c_str(), RTLD_NOW);
  const auto function = [&](const char* name) { return tuned ? dlsym(tuned, name) : nullptr; };
  using Read = int (*)(char*, void**, int);
  using Find = void* (*)(void*, int, int);
  using Ask = int (*)(void*, std::size_t, int*, int*, int*);
  const auto read = reinterpret_cast<Read>(function("ompi_coll_tuned_read_rules_config_file"));
  const auto find = reinterpret_cast<Find>(function("ompi_coll_tuned_get_com_rule_ptr"));
  const auto ask = reinterpret_cast<Ask>(function("ompi_coll_tuned_get_target_method_params"));
  using Free = int (*)(void*, int);
  const auto free_all = reinterpret_cast<Free>(function("ompi_coll_tuned_free_all_rules"));
  if (!read || !find || !ask || !free_all) GTEST_SKIP() << "Open MPI 4's coll/tuned is not here: " << line;
  const Folder scratch;
  std::string file = scratch / "rules";
  std::ofstream(file) << write_openmpi(broadcasts());
  void* rules = nullptr;
  ASSERT_EQ(read(file.data(), &rules, 22), 1);
  const int expected[] = {0, 0, 0, 7, 7, 3, 3, 0, 0};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    int fan = -1, segment = -1, requests = -1;
    void* eight = find(rules, 7, 8);
    ASSERT_NE(eight, nullptr);
    EXPECT_EQ(ask(eight, static_cast<std::size_t>(sizes[i]), &fan, &segment, &requests), expected[i])
        << sizes[i];
    EXPECT_EQ(segment, expected[i] == 3 ? 16384 : 0);
    EXPECT_EQ(ask(find(rules, 7, 4), static_cast<std::size_t>(sizes[i]), &fan, &segment, &requests), 0);
    EXPECT_EQ(ask(find(rules, 7, 64), static_cast<std::size_t>(sizes[i]), &fan, &segment, &requests), 0);
  }
  free_all(rules, 22);
}

TEST(Tuner, OpenMpiJson) {
  const Json json = parse_json(write_openmpi_json(broadcasts()), "rules");
  EXPECT_EQ(json["rule_file_version"], 3);
  EXPECT_EQ(json["module"], "tuned");
  EXPECT_EQ(
      dump(json["collectives"]["bcast"]),
      R"([{"comm_size_min":8,"comm_size_max":8,"rules":[{"msg_size_min":1024,"msg_size_max":65535,"alg":7},)"
      R"({"msg_size_min":65536,"msg_size_max":1048576,"alg":3,"seg_size":16384}]}])");
}

/// The plug-in's own way: fields by commas, the first line that matches; none, or -1 channels, is one
/// channel.
struct NcclChoice {
  std::string algorithm, protocol;
  int channels = 1;
};
NcclChoice nccl(const std::string& text, const std::string& collective, std::uint64_t bytes, int nodes,
                int ranks) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size(), 255u);
    if (line[0] == '#') continue;
    std::vector<std::string> f;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) {
      EXPECT_FALSE(field.empty());  // strtok would shift the others
      f.push_back(field);
    }
    EXPECT_EQ(f.size(), 8u) << line;
    const auto is = [](const std::string& given, int value) {
      return given == "-1" || std::stoi(given) == value;
    };
    if (f[0] == collective && std::stoull(f[1]) <= bytes && bytes <= std::stoull(f[2]) && is(f[6], nodes) &&
        is(f[7], ranks))
      return {f[3], f[4], std::stoi(f[5])};
  }
  return {};
}

TEST(Tuner, NcclCsvNeverLeavesOneChannel) {
  Tuning t{16, 2, {}};
  for (const Collective c : collectives(format("nccl"))) {
    t.rules.push_back({.collective = c, .to = 65535, .shape = "Tree", .protocol = "LL", .channels = 8});
    t.rules.push_back({.collective = c,
                       .from = 65536,
                       .tuned = true,
                       .shape = "Ring",
                       .protocol = "LL128",
                       .channels = 16});
  }
  const std::string text = write_nccl(t);
  for (const std::string collective : {"broadcast", "reduce", "allgather", "reducescatter", "allreduce"})
    for (const auto& [nodes, ranks] : {std::pair{2, 16}, {1, 8}, {64, 512}})
      for (const std::uint64_t bytes :
           {std::uint64_t{0}, std::uint64_t{65535}, std::uint64_t{65536}, ~std::uint64_t{0}}) {
        const NcclChoice c = nccl(text, collective, bytes, nodes, ranks);
        EXPECT_EQ(c.algorithm, bytes < 65536 ? "tree" : "ring");
        EXPECT_EQ(c.protocol, bytes < 65536 ? "ll" : "ll128");
        EXPECT_EQ(c.channels, bytes < 65536 ? 8 : 16);
      }
}

/// A call as csel.c looks at it.
struct Csel {
  std::string collective;
  int ranks;
  std::int64_t bytes, block;
  bool builtin = true, commutative = true, inplace = false, enough = true;

  bool holds(const std::string& key) const {
    const auto op = key.find_first_of("<=");
    const std::string what = key.substr(0, op), rest = key.substr(op);
    if (rest == "=any") return true;
    const auto yes = [&](bool value) { return rest == (value ? "=yes" : "=no"); };
    if (what == "collective") return rest == "=" + collective;
    if (what == "comm_type") return rest == "=intra";
    if (what == "is_op_built_in") return yes(builtin);
    if (what == "is_commutative") return yes(commutative);
    if (what == "is_sendbuf_inplace") return yes(inplace);
    if (key == "count<pow2") return !enough;
    if (key == "comm_size=pow2") return (ranks & (ranks - 1)) == 0;
    const std::int64_t value = what == "comm_size" ? ranks : what == "avg_msg_size" ? block : bytes;
    EXPECT_TRUE(what == "comm_size" || what == "avg_msg_size" || what == "total_msg_size") << key;
    const bool equal = rest[1] == '=';
    const std::int64_t limit = std::stoll(rest.substr(equal ? 2 : 1));
    EXPECT_LT(limit, std::int64_t{1} << 31);
    // Below a condition on the call, csel.c takes comm_size< for <=.
    return equal || what == "comm_size" ? value <= limit : value < limit;
  }
  /// The first child that holds is entered, for good.
  std::string choice(const Json& node) const {
    for (const auto& [key, child] : node.items()) {
      if (key.starts_with("algorithm=")) return key.substr(10);
      if (holds(key)) return choice(child);
    }
    return "none";
  }
};

TEST(Tuner, MpichSelection) {
  const Tuning t = tuning(allreduce, entry("mpich", allreduce, "MPIR_Allreduce_intra_recursive_doubling"),
                          entry("mpich", allreduce, "MPIR_Allreduce_intra_reduce_scatter_allgather"),
                          entry("mpich", allreduce, "MPIR_Allreduce_intra_recursive_doubling"));
  const Json json = parse_json(write_mpich(t), "selection");
  const std::string doubling = "MPIR_Allreduce_intra_recursive_doubling",
                    scatter_ = "MPIR_Allreduce_intra_reduce_scatter_allgather";
  // Above 1 MiB, where nothing is tuned, as MPICH itself.
  const bool scatters[] = {false, false, false, true, true, false, false, true, true};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    Csel call{"allreduce", 8, sizes[i], sizes[i]};
    EXPECT_EQ(call.choice(json), scatters[i] ? scatter_ : doubling) << sizes[i];
    call.enough = false;  // too few elements to scatter
    EXPECT_EQ(call.choice(json), doubling);
    call.builtin = false;
    EXPECT_EQ(call.choice(json), doubling);
    // Elsewhere as MPICH itself: up to 2048 B by doubling.
    for (const int other : {2, 5, 7, 9, 12, 16, 1024})
      EXPECT_EQ((Csel{"allreduce", other, sizes[i], sizes[i]}.choice(json)),
                sizes[i] <= 2048 ? doubling : scatter_)
          << other;
  }
  // Not tuned: as mpich's policy says.
  EXPECT_EQ((Csel{"bcast", 4, 1 << 20, 1 << 20}.choice(json)), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ((Csel{"bcast", 16, 12287, 12287}.choice(json)), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ((Csel{"bcast", 16, 12288, 12288}.choice(json)),
            "MPIR_Bcast_intra_scatter_recursive_doubling_allgather");
  EXPECT_EQ((Csel{"bcast", 12, 12288, 12288}.choice(json)), "MPIR_Bcast_intra_scatter_ring_allgather");
  EXPECT_EQ((Csel{"alltoall", 16, 4096, 256}.choice(json)), "MPIR_Alltoall_intra_brucks");
  EXPECT_EQ((Csel{"alltoall", 16, 4112, 257}.choice(json)), "MPIR_Alltoall_intra_scattered");
  Csel inplace{"alltoall", 16, 4096, 256};
  inplace.inplace = true;
  EXPECT_EQ(inplace.choice(json), "MPIR_Alltoall_intra_pairwise_sendrecv_replace");
  for (const std::string c : {"allgather", "reduce", "reduce_scatter", "barrier", "gather", "scatterv",
                              "ibcast", "iscan", "ineighbor_alltoall"})
    EXPECT_EQ((Csel{c, 12, 64, 64}.choice(json).rfind("MPIR_", 0)), 0u) << c;
}

/// What csel_container.c of MPICH 4.0.2 knows of nonblocking forms, less smp and tsp. At any other name, or
/// for a collective without a rule, MPICH aborts.
constexpr std::pair<std::string_view, std::string_view> nonblocking_of_mpich[] = {
    {"Iallgather",
     "inter_sched_local_gather_remote_bcast intra_sched_brucks intra_sched_recursive_doubling "
     "intra_sched_ring"},
    {"Iallgatherv",
     "inter_sched_remote_gather_local_bcast intra_sched_brucks intra_sched_recursive_doubling "
     "intra_sched_ring"},
    {"Iallreduce",
     "inter_sched_remote_reduce_local_bcast intra_sched_naive intra_sched_recursive_doubling "
     "intra_sched_reduce_scatter_allgather"},
    {"Ialltoall",
     "inter_sched_pairwise_exchange intra_sched_brucks intra_sched_inplace intra_sched_pairwise "
     "intra_sched_permuted_sendrecv"},
    {"Ialltoallv", "inter_sched_pairwise_exchange intra_sched_blocked intra_sched_inplace"},
    {"Ialltoallw", "inter_sched_pairwise_exchange intra_sched_blocked intra_sched_inplace"},
    {"Ibarrier", "inter_sched_bcast intra_sched_recursive_doubling"},
    {"Ibcast",
     "inter_sched_flat intra_sched_binomial intra_sched_scatter_recursive_doubling_allgather "
     "intra_sched_scatter_ring_allgather"},
    {"Iexscan", "intra_sched_recursive_doubling"},
    {"Igather", "inter_sched_long inter_sched_short intra_sched_binomial"},
    {"Igatherv", "allcomm_sched_linear"},
    {"Ineighbor_allgather", "allcomm_sched_linear"},
    {"Ineighbor_allgatherv", "allcomm_sched_linear"},
    {"Ineighbor_alltoall", "allcomm_sched_linear"},
    {"Ineighbor_alltoallv", "allcomm_sched_linear"},
    {"Ineighbor_alltoallw", "allcomm_sched_linear"},
    {"Ireduce",
     "inter_sched_local_reduce_remote_send intra_sched_binomial intra_sched_reduce_scatter_gather"},
    {"Ireduce_scatter",
     "inter_sched_remote_reduce_local_scatterv intra_sched_noncommutative intra_sched_pairwise "
     "intra_sched_recursive_doubling intra_sched_recursive_halving"},
    {"Ireduce_scatter_block",
     "inter_sched_remote_reduce_local_scatterv intra_sched_noncommutative intra_sched_pairwise "
     "intra_sched_recursive_doubling intra_sched_recursive_halving"},
    {"Iscan", "intra_sched_recursive_doubling"},
    {"Iscatter", "inter_sched_linear inter_sched_remote_send_local_scatter intra_sched_binomial"},
    {"Iscatterv", "allcomm_sched_linear"},
};

/// The names of all algorithms that the rules can choose.
void leaves(const Json& node, std::set<std::string>& all) {
  for (const auto& [key, child] : node.items())
    if (key.starts_with("algorithm="))
      all.insert(key.substr(10));
    else
      leaves(child, all);
}

TEST(Tuner, MpichKnowsEveryNonblockingForm) {
  const Json json = parse_json(write_mpich({8, 1, {}}), "selection");
  for (const auto& [form, known] : nonblocking_of_mpich) {
    const std::string name = "MPIR_" + std::string(form) + '_';
    std::string key = "collective=" + std::string(form);
    key[key.size() - form.size()] = 'i';
    std::set<std::string> named;
    leaves(json.value(key, Json::object()), named);
    EXPECT_FALSE(named.empty()) << form;
    for (const std::string& algorithm : named) {
      ASSERT_TRUE(algorithm.starts_with(name)) << algorithm;
      const std::string spaced = ' ' + std::string(known) + ' ';
      EXPECT_NE(spaced.find(' ' + algorithm.substr(name.size()) + ' '), std::string::npos) << algorithm;
    }
  }
  // As the blocking form, by MPICH's limits.
  EXPECT_EQ((Csel{"iallreduce", 12, 2048, 2048}.choice(json)),
            "MPIR_Iallreduce_intra_sched_recursive_doubling");
  EXPECT_EQ((Csel{"iallreduce", 12, 2049, 2049}.choice(json)),
            "MPIR_Iallreduce_intra_sched_reduce_scatter_allgather");
  EXPECT_EQ((Csel{"ialltoall", 16, 4112, 257}.choice(json)), "MPIR_Ialltoall_intra_sched_permuted_sendrecv");
}

TEST(Tuner, MpichLeavesWhatIsNotTunedToMpich) {
  const Entry& linear = entry("mpich", alltoall, "MPIR_Alltoall_intra_scattered");
  for (Rank ranks = 2; ranks <= 40; ++ranks) {
    const Tuning t{ranks, 1, {{alltoall, 0, 99}, {alltoall, 100, 119, true, &linear}, {alltoall, 120}}};
    const Json json = parse_json(write_mpich(t), "selection");
    for (const std::int64_t block : {1, 2, 3, 5, 11, 99, 256, 257, 32768, 32769}) {
      const std::int64_t bytes = block * ranks;
      const Pick own =
          mpich_pick(alltoall, {.ranks = ranks, .message = Bytes(static_cast<double>(bytes))}, {});
      const std::string chosen = Csel{"alltoall", static_cast<int>(ranks), bytes, block}.choice(json);
      const bool tuned = bytes >= 100 && bytes <= 119;
      for (const Entry& e : format("mpich").entries)
        if (e.collective == alltoall && e.ours == own.algorithm && !tuned) {
          EXPECT_EQ(chosen, e.theirs) << ranks << ' ' << block;
        }
      if (tuned) {
        EXPECT_EQ(chosen, linear.theirs) << ranks << ' ' << block;
      }
    }
  }
}

TEST(Tuner, UccAndMvapich) {
  const Tuning t = tuning(allreduce, entry("ucc", allreduce, "knomial"), entry("ucc", allreduce, "knomial"),
                          entry("ucc", allreduce, "sra_knomial"));
  EXPECT_EQ(write_ucc(t),
            "UCC_TL_UCP_TUNE=allreduce:1024-65536:[8-8]:@knomial#allreduce:65536-1048577:[8-8]:@sra_knomial\n"
            "UCC_TL_UCP_ALLREDUCE_KN_RADIX=1024-65535:2,auto\n"
            "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX=65536-1048576:2,auto\n");
  const Tuning tree{8, 2, {{broadcast, 0, no_end, true, &entry("ucc", broadcast, "knomial")}}};
  EXPECT_EQ(write_ucc(tree), "UCC_TL_UCP_TUNE=bcast:0-inf:[8-8]:@knomial\n");
  // Ranges are separated by commas and read without the indexed tables; one algorithm is a number.
  const Entry &doubling = entry("mvapich2", allreduce, "recursive doubling"),
              &halving = entry("mvapich2", allreduce, "reduce-scatter and allgather");
  const Tuning m{8, 2, {{allreduce, 0, 2047, true, &doubling}, {allreduce, 2048, no_end, true, &halving}}};
  EXPECT_EQ(write_mvapich2(m),
            "MV2_USE_INDEXED_TUNING=0\nMV2_USE_INDEXED_ALLREDUCE_TUNING=0\n"
            "MV2_INTER_ALLREDUCE_TUNING=1:0-2047,2:2048-+\n");
  EXPECT_EQ(write_mvapich2({8, 2, {{allreduce, 0, no_end, true, &halving}}}),
            "MV2_INTER_ALLREDUCE_TUNING=2\n");
}

}  // namespace
}  // namespace collcast::tuner
