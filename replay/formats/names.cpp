// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/names.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace collcast {
namespace {

struct Spelling {
  std::string_view part;
  Collective collective;
};
/// Spellings of collectives; the first one that a plain name contains counts.
constexpr Spelling spellings[] = {{"allreducebarrier", Collective::barrier},
                                  {"allreduce", Collective::allreduce},
                                  {"crossdevicereduce", Collective::allreduce},
                                  {"reducescatter", Collective::reduce_scatter},
                                  {"allgather", Collective::allgather},
                                  {"alltoall", Collective::alltoall},
                                  {"broadcast", Collective::broadcast},
                                  {"bcast", Collective::broadcast},
                                  {"barrier", Collective::barrier},
                                  {"gather", Collective::gather},
                                  {"scatter", Collective::scatter},
                                  {"reduce", Collective::reduce},
                                  {"exscan", Collective::exscan},
                                  {"scan", Collective::scan}};

}  // namespace

std::string plain_name(std::string_view name) {
  std::string text;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::optional<Collective> collective_of(std::string_view name) {
  const std::string text = plain_name(name);
  for (const auto& [part, collective] : spellings)
    if (text.find(part) != std::string::npos) return collective;
  return {};
}

bool quiet_mpi_call(std::string_view name) {
  if (name.starts_with("MPI_")) name.remove_prefix(4);
  if (name == "Get_accumulate") return false;
  constexpr std::string_view quiet[] = {
      "Comm_",  "Group_",   "Type_", "Op_",    "Attr_", "Keyval_", "Errhandler_", "Cart_",
      "Graph_", "Info_",    "Get_",  "Wtime",  "Wtick", "Error_",  "Buffer_",     "Iprobe",
      "Probe",  "Address",  "Pack",  "Unpack", "Topo_", "Dims_",   "Pcontrol",    "Request_get",
      "Init",   "Finalize", "Wait",  "Test",   "Cancel"};
  return std::ranges::any_of(quiet, [&](std::string_view part) { return name.starts_with(part); });
}

int element_bytes(std::string_view type) {
  static const std::map<std::string, int, std::less<>> sizes = {
      {"float", 4},        {"float32", 4},        {"half", 2},
      {"float16", 2},      {"bfloat16", 2},       {"double", 8},
      {"float64", 8},      {"long", 8},           {"longint", 8},
      {"int64", 8},        {"uint64", 8},         {"longlong", 8},
      {"int", 4},          {"int32", 4},          {"uint32", 4},
      {"unsignedint", 4},  {"short", 2},          {"int16", 2},
      {"uint16", 2},       {"char", 1},           {"byte", 1},
      {"bool", 1},         {"int8", 1},           {"uint8", 1},
      {"unsignedchar", 1}, {"signedchar", 1},     {"float8e4m3fn", 1},
      {"float8e5m2", 1},   {"float8e4m3fnuz", 1}, {"float8e5m2fnuz", 1},
      {"complexfloat", 8}, {"complexdouble", 16}, {"float8e8m0fnu", 1},
      {"complexhalf", 4}};
  if (const auto scope = type.rfind("::"); scope != std::string_view::npos) type.remove_prefix(scope + 2);
  const auto found = sizes.find(plain_name(type));
  return found == sizes.end() ? 0 : found->second;
}

Bytes message_of(Collective collective, Bytes input, Bytes output, Rank ranks) {
  switch (collective) {
    case Collective::allgather:
    case Collective::gather:
      return std::max(ranks * input, collective == Collective::gather ? Bytes(0) : output);
    case Collective::scatter:
      return ranks * output;
    case Collective::reduce_scatter:
      return input.value > 0 ? input : ranks * output;
    case Collective::barrier:
      return {};
    default:
      return std::max(input, collective == Collective::broadcast ? output : Bytes(0));
  }
}

Bytes message_by_count(Collective collective, Bytes count, Rank ranks) {
  switch (collective) {
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
    case Collective::gather:
    case Collective::scatter:
      return ranks * count;
    case Collective::barrier:
      return {};
    default:
      return count;
  }
}

}  // namespace collcast
