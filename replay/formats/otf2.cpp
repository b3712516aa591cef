// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/otf2.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/otf2_events.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

/// Keeps libotf2's first error message, which it would print without this callback.
class Complaints {
 public:
  Complaints() : before_(OTF2_Error_RegisterCallback(hear, this)) {}
  ~Complaints() { OTF2_Error_RegisterCallback(before_, nullptr); }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;
  std::string words;

 private:
  static OTF2_ErrorCode hear(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                             const char*, va_list) {
    auto& words = static_cast<Complaints*>(self)->words;
    if (words.empty()) words = printable(OTF2_Error_GetDescription(code));
    return code;
  }
  OTF2_ErrorCallback before_;
};

using otf2::Definitions, otf2::RankEvents;

static_assert(otf2::own_root == OTF2_COLLECTIVE_ROOT_SELF);

/// Hears what libotf2 reads, by callbacks. As libotf2 is C, what they throw is kept, and ends the reading.
template <class Hearer>
struct Listener {
  Hearer& hearer;
  std::exception_ptr thrown = {};

  void rethrow() const {
    if (thrown) std::rethrow_exception(thrown);
  }
};

template <class Hearer, class Act>
OTF2_CallbackCode tell(void* user, const Act& act) {
  auto& listener = *static_cast<Listener<Hearer>*>(user);
  try {
    act(listener.hearer);
  } catch (...) {
    listener.thrown = std::current_exception();
  }
  return listener.thrown ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

struct DefinitionCallbacks {
  static OTF2_CallbackCode clock(void* user, std::uint64_t resolution, std::uint64_t begin, std::uint64_t,
                                 std::uint64_t) {
    return tell<Definitions>(user, [&](Definitions& all) {
      all.begin = begin;
      if (resolution > 0) all.ticks_per_second = static_cast<double>(resolution);
    });
  }
  static OTF2_CallbackCode string(void* user, OTF2_StringRef self, const char* text) {
    return tell<Definitions>(user, [&](Definitions& all) { all.strings.emplace(self, text); });
  }
  static OTF2_CallbackCode location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType,
                                    std::uint64_t, OTF2_LocationGroupRef) {
    return tell<Definitions>(user, [&](Definitions& all) { all.locations.push_back(self); });
  }
  static OTF2_CallbackCode region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                                  OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                                  OTF2_StringRef, std::uint32_t, std::uint32_t) {
    return tell<Definitions>(user, [&](Definitions& all) {
      if (paradigm == OTF2_PARADIGM_MPI) all.mpi.emplace(self, name);
    });
  }
  static OTF2_CallbackCode group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                                 OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                                 const std::uint64_t* members) {
    return tell<Definitions>(user, [&](Definitions& all) {
      if (paradigm != OTF2_PARADIGM_MPI) return;
      if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) all.of_rank.assign(members, members + count);
      all.groups[self] = {type == OTF2_GROUP_TYPE_COMM_SELF, {members, members + count}};
    });
  }
  static OTF2_CallbackCode comm(void* user, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group,
                                OTF2_CommRef, OTF2_CommFlag) {
    return tell<Definitions>(user, [&](Definitions& all) { all.comms.emplace(self, group); });
  }
};

struct EventCallbacks {
  using Attributes = OTF2_AttributeList*;

  template <class Act>
  static OTF2_CallbackCode tell(void* user, const Act& act) {
    bool failed = false;
    const OTF2_CallbackCode code = collcast::tell<RankEvents>(user, [&](RankEvents& events) {
      act(events);
      failed = events.failed();
    });
    return failed ? OTF2_CALLBACK_INTERRUPT : code;
  }
  static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, Attributes,
                                 OTF2_RegionRef region) {
    return tell(user, [&](RankEvents& events) { events.enter(time, region); });
  }
  static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, Attributes,
                                 OTF2_RegionRef region) {
    return tell(user, [&](RankEvents& events) { events.leave(time, region); });
  }
  static OTF2_CallbackCode send(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
    return tell(user, [&](RankEvents& events) { events.send(to, comm, tag, bytes, {}); });
  }
  static OTF2_CallbackCode isend(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                 std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                                 std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.send(to, comm, tag, bytes, request); });
  }
  static OTF2_CallbackCode isend_complete(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                          Attributes, std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.complete_send(request); });
  }
  static OTF2_CallbackCode irecv_request(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                         Attributes, std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.post(request); });
  }
  static OTF2_CallbackCode recv(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag,
                                std::uint64_t bytes) {
    return tell(user, [&](RankEvents& events) { events.receive(from, comm, tag, bytes); });
  }
  static OTF2_CallbackCode irecv(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                 std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag,
                                 std::uint64_t bytes, std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.complete_receive(from, comm, tag, bytes, request); });
  }
  static OTF2_CallbackCode cancelled(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                     std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.cancel(request); });
  }
  static OTF2_CallbackCode collective(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                      OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                                      std::uint64_t sent, std::uint64_t received) {
    return tell(user, [&](RankEvents& events) { events.end_collective({op, comm, root, sent, received}); });
  }
  static OTF2_CallbackCode collective_request(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                              Attributes, std::uint64_t request) {
    return tell(user, [&](RankEvents& events) { events.post_collective(request); });
  }
  static OTF2_CallbackCode collective_complete(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                               Attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                               std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                               std::uint64_t request) {
    return tell(user, [&](RankEvents& events) {
      events.complete_collective(request, {op, comm, root, sent, received});
    });
  }
};

/// Whether the anchor's number of properties is possible. libotf2 3.0 doubles it in 32 bits and could write
/// beyond the memory that it allocates. The number stands behind a head of 46 bytes and three texts.
bool has_sane_properties(const std::string& path) {
  constexpr std::size_t order_at = 1, form_at = 7, head_bytes = 46;
  const std::string text = text_of(path, std::size_t{1} << 26);
  std::size_t at = head_bytes;
  for (int texts = 0; texts < 3 && at < text.size(); ++texts)
    at = std::min(text.find('\0', at), text.size()) + 1;
  if (text.size() < head_bytes || text[form_at] < 2) return true;
  if (at + 4 > text.size()) return false;
  const std::uint64_t count = number_of_bytes(text.data() + at, 4, text[order_at] != 'B');
  return count <= text.size() / 2;  // a name and a value each
}

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path) {
    if (!has_sane_properties(path))
      throw InputError(path +
                       ": the OTF2 archive is damaged: its anchor has not the properties that it says");
    reader_.reset(OTF2_Reader_Open(path.c_str()));
    if (!reader_) refuse();
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()));
    std::uint64_t count = 0;
    check(OTF2_Reader_GetNumberOfLocations(reader_.get(), &count));
    if (count > most_recorded_ranks)
      throw InputError(path_ + ": an OTF2 archive of more locations than a job has ranks");
    definitions();
  }

  std::unique_ptr<Source> source() {
    auto source = std::make_unique<RecordedSource>(static_cast<Rank>(all_.of_rank.size()));
    SourceInfo& info = source->info();
    for (const OTF2_LocationRef l : all_.of_rank) check(OTF2_Reader_SelectLocation(reader_.get(), l));
    const bool local = OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS;
    check(OTF2_Reader_OpenEvtFiles(reader_.get()));
    const std::size_t most = most_activities(path_) + bytes_of_events() / 2;
    OTF2_TimeStamp last = 0;
    for (Rank r = 0; r < source->ranks(); ++r) {
      RankEvents events(*source, all_, r, most);
      read(all_.of_rank[static_cast<std::size_t>(r)], local, events);
      if (events.failed())
        throw InputError(path_ + ": has more calls than an archive of its size is read with, " +
                         std::to_string(most));
      events.finish();
      last = std::max(last, events.last());
    }
    if (last > all_.begin)
      info.recorded = Seconds(static_cast<double>(last - all_.begin) / all_.ticks_per_second);
    info.unknown = {
        "sizes of collectives but as Score-P counts them: what goes to each member and comes from each",
        "parts of unequal all-to-alls, gathers and scatters"};
    if (all_.locations.size() > all_.of_rank.size())
      info.notes.push_back(std::to_string(all_.locations.size() - all_.of_rank.size()) +
                           " locations of other threads and of devices are not read");
    compare_ranks(*source);
    info.one_clock = true;  // libotf2 corrects the clocks
    return source;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(path_ + ": the OTF2 archive is damaged, or not all of its files are beside it: " + why);
  }
  [[noreturn]] void refuse() const {
    refuse(complaints_.words.empty() ? "libotf2 does not say why" : complaints_.words);
  }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) refuse();
  }

  void definitions() {
    using Callbacks =
        std::unique_ptr<OTF2_GlobalDefReaderCallbacks, void (*)(OTF2_GlobalDefReaderCallbacks*)>;
    const Callbacks calls(OTF2_GlobalDefReaderCallbacks_New(), OTF2_GlobalDefReaderCallbacks_Delete);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls.get(), DefinitionCallbacks::clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls.get(), DefinitionCallbacks::string);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls.get(), DefinitionCallbacks::location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls.get(), DefinitionCallbacks::region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls.get(), DefinitionCallbacks::group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls.get(), DefinitionCallbacks::comm);
    OTF2_GlobalDefReader* const global = OTF2_Reader_GetGlobalDefReader(reader_.get());
    if (!global) refuse();
    Listener<Definitions> listener{all_};
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), global, calls.get(), &listener));
    std::uint64_t read = 0;
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), global, &read);
    listener.rethrow();
    check(code);
    const std::set<OTF2_LocationRef> known(all_.locations.begin(), all_.locations.end());
    if (all_.of_rank.empty())
      throw InputError(path_ + ": an OTF2 archive without ranks of MPI (no group of its locations)");
    if (all_.of_rank.size() > known.size() ||
        !std::ranges::all_of(all_.of_rank, [&](OTF2_LocationRef l) { return known.contains(l); }))
      throw InputError(path_ + ": an OTF2 archive with ranks on locations that it does not define");
  }

  /// Checks that a file ends with the marks of the file's and the chunk's end. Behind the end of a file that
  /// is cut short, libotf2 would read what its memory held before.
  void check_end(OTF2_LocationRef location) const {
    const auto file = std::filesystem::path(path_).replace_extension() / (std::to_string(location) + ".evt");
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    char end[2] = {};
    if (!in) return;
    if (in.tellg() < 2 || !in.seekg(-2, std::ios::end).read(end, 2) || end[0] != 2 || end[1] != 1)
      refuse(file.string() + " is cut short");
  }

  void read(OTF2_LocationRef location, bool local, RankEvents& events) {
    check_end(location);
    std::uint64_t count = 0;
    if (OTF2_DefReader* const definitions =
            local ? OTF2_Reader_GetDefReader(reader_.get(), location) : nullptr) {
      check(OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), definitions, &count));
      check(OTF2_Reader_CloseDefReader(reader_.get(), definitions));
    }
    OTF2_EvtReader* const file = OTF2_Reader_GetEvtReader(reader_.get(), location);
    if (!file) refuse();
    using Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)>;
    const Callbacks calls(OTF2_EvtReaderCallbacks_New(), OTF2_EvtReaderCallbacks_Delete);
    OTF2_EvtReaderCallbacks_SetEnterCallback(calls.get(), EventCallbacks::enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(calls.get(), EventCallbacks::leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls.get(), EventCallbacks::send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls.get(), EventCallbacks::isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(calls.get(), EventCallbacks::isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(calls.get(), EventCallbacks::irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(calls.get(), EventCallbacks::recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(calls.get(), EventCallbacks::irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(calls.get(), EventCallbacks::cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls.get(), EventCallbacks::collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(calls.get(),
                                                                    EventCallbacks::collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(calls.get(),
                                                                     EventCallbacks::collective_complete);
    Listener<RankEvents> listener{events};
    check(OTF2_Reader_RegisterEvtCallbacks(reader_.get(), file, calls.get(), &listener));
    check(OTF2_EvtReader_ApplyMappingTables(file, true));
    check(OTF2_EvtReader_ApplyClockOffsets(file, true));
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader_.get(), file, &count);
    listener.rethrow();
    if (!events.failed()) check(code);
    check(OTF2_Reader_CloseEvtReader(reader_.get(), file));
  }

  /// The bytes of the event files, which are in the folder beside the anchor that has its name.
  std::uintmax_t bytes_of_events() const {
    std::uintmax_t all = 0;
    std::error_code error;
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(path_).replace_extension(), error))
      if (file.path().extension() == ".evt" && file.is_regular_file(error)) all += file.file_size(error);
    return all;
  }

  Complaints complaints_;
  std::string path_;
  std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)> reader_{nullptr, OTF2_Reader_Close};
  Definitions all_;
};

}  // namespace

bool is_otf2(std::string_view head) {
  return head.substr(0, 8).find("OTF2") < 4;
}

std::unique_ptr<Source> open_otf2(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "an OTF2 archive has all ranks behind its anchor file");
  return Archive(files[0]).source();
}

}  // namespace collcast
