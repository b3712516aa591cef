// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/otf2.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <set>
#include <unordered_map>
#include <utility>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

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

/// The names of MPI's collectives by OTF2's numbers.
constexpr std::array<std::string_view, 17> collective_names = {"Barrier",
                                                               "Bcast",
                                                               "Gather",
                                                               "Gatherv",
                                                               "Scatter",
                                                               "Scatterv",
                                                               "Allgather",
                                                               "Allgatherv",
                                                               "Alltoall",
                                                               "Alltoallv",
                                                               "Alltoallw",
                                                               "Allreduce",
                                                               "Reduce",
                                                               "Reduce_scatter",
                                                               "Scan",
                                                               "Exscan",
                                                               "Reduce_scatter_block"};

/// What the archive defines.
struct Definitions {
  double ticks_per_second = 1e9;
  OTF2_TimeStamp begin = 0;  ///< no event is earlier
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_RegionRef, OTF2_StringRef> mpi;  ///< names of MPI's functions
  std::vector<OTF2_LocationRef> locations, of_rank;        ///< all locations; those of MPI's ranks
  struct Group {
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };
  std::unordered_map<OTF2_GroupRef, Group> groups;
  std::unordered_map<OTF2_CommRef, OTF2_GroupRef> comms;
};

struct DefinitionCallbacks {
  static Definitions& at(void* user) { return *static_cast<Definitions*>(user); }
  static OTF2_CallbackCode clock(void* user, std::uint64_t resolution, std::uint64_t begin, std::uint64_t,
                                 std::uint64_t) {
    at(user).begin = begin;
    if (resolution > 0) at(user).ticks_per_second = static_cast<double>(resolution);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode string(void* user, OTF2_StringRef self, const char* text) {
    at(user).strings.emplace(self, text);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType,
                                    std::uint64_t, OTF2_LocationGroupRef) {
    at(user).locations.push_back(self);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                                  OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                                  OTF2_StringRef, std::uint32_t, std::uint32_t) {
    if (paradigm == OTF2_PARADIGM_MPI) at(user).mpi.emplace(self, name);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                                 OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                                 const std::uint64_t* members) {
    if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) at(user).of_rank.assign(members, members + count);
    at(user).groups[self] = {type, {members, members + count}};
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode comm(void* user, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group,
                                OTF2_CommRef, OTF2_CommFlag) {
    at(user).comms.emplace(self, group);
    return OTF2_CALLBACK_SUCCESS;
  }
};

/// Makes activities of one rank's events. No exception may pass through libotf2: `failure` stops the reading.
class RankEvents {
 public:
  RankEvents(RecordedSource& source, const Definitions& definitions, Rank rank, std::size_t most)
      : source_(source),
        definitions_(definitions),
        stream_(source.at(rank)),
        rank_(rank),
        most_(most),
        before_(definitions.begin) {}

  void finish() {
    if (!open_.empty()) wait({open_.begin(), open_.end()});
  }

  void enter(OTF2_TimeStamp time, OTF2_RegionRef region) {
    const auto call = definitions_.mpi.find(region);
    last = std::max(last, time);
    if (call == definitions_.mpi.end() || depth_++ > 0) return;
    const auto name = definitions_.strings.find(call->second);
    call_ = source_.keep(name == definitions_.strings.end() ? "MPI" : name->second);
    entered_ = std::max(time, before_);
    if (entered_ > before_) {
      Activity& gap = stream_.emplace_back();
      gap.begin = Seconds(seconds(before_));
      gap.time = gap.duration = Seconds(seconds(entered_) - seconds(before_));
    }
    inside_ = stream_.size();
    done_.clear();
  }

  void leave(OTF2_TimeStamp time, OTF2_RegionRef region) {
    last = std::max(last, time);
    if (depth_ == 0 || !definitions_.mpi.contains(region) || --depth_ > 0) return;
    if (stream_.size() == inside_ + 2 && call_.starts_with("MPI_Sendrecv"))
      join(stream_[inside_], stream_[inside_ + 1]);
    if (!done_.empty()) wait(std::move(done_));
    done_.clear();
    if (stream_.size() == inside_ && !quiet_mpi_call(call_))
      skip(stream_.emplace_back(), "is a call that is not played");
    before_ = std::max(time, entered_);
    for (std::size_t i = inside_; i < stream_.size(); ++i) {
      stream_[i].begin = Seconds(seconds(entered_));
      stream_[i].duration = Seconds(seconds(before_) - seconds(entered_));
    }
    failed = failed || stream_.size() > most_;
  }

  void send(std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
            std::optional<std::uint64_t> request) {
    Activity& a = message(Kind::send, comm, to);
    a.to = static_cast<Rank>(to);
    a.tag = plausible_tag(tag);
    a.bytes = Bytes(static_cast<double>(bytes));
    a.synchronous = call_.find("ssend") != call_.npos || call_.find("Ssend") != call_.npos;
    if (request && a.kind == Kind::send) ask(a, sends_[*request]);
  }

  void receive(std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
    fill(message(Kind::receive, comm, from), from, tag, bytes);
  }

  /// Posts a receive; its sender and size are known when it is completed.
  void post(std::uint64_t request) {
    receives_[request] = stream_.size();
    skip(stream_.emplace_back(), "is never completed");
  }

  void complete_receive(std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                        std::uint64_t request) {
    const auto posted = receives_.find(request);
    if (posted == receives_.end()) return receive(from, comm, tag, bytes);
    Activity& a = stream_[posted->second];
    receives_.erase(posted);
    a.kind = Kind::receive;
    a.operation = "recv";
    a.note = {};
    place(a, comm, from);
    fill(a, from, tag, bytes);
    if (a.kind != Kind::receive) return;
    a.request = next_++;
    done_.push_back(a.request);
  }

  void complete_send(std::uint64_t request) { complete(sends_, request); }
  void cancel(std::uint64_t request) {
    if (const auto posted = receives_.find(request); posted != receives_.end()) {
      skip(stream_[posted->second], "was cancelled");
      receives_.erase(posted);
    }
    complete(sends_, request);
  }

  /// Posts a non-blocking collective: it begins where its request is made, and is known when it is completed.
  void post_collective(std::uint64_t request) {
    collectives_[request] = stream_.size();
    Activity& a = stream_.emplace_back();
    skip(a, "is never completed");
  }
  void complete_collective(std::uint64_t request, OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                           std::uint64_t sent, std::uint64_t received) {
    const auto posted = collectives_.find(request);
    if (posted == collectives_.end()) return;
    Activity& a = stream_[posted->second];
    const Activity as_posted = std::exchange(a, collective(a.call, op, comm, root, sent, received));
    collectives_.erase(posted);
    a.begin = as_posted.begin, a.duration = as_posted.duration;
    if (a.kind != Kind::collective) return;
    a.request = next_++;
    done_.push_back(a.request);
  }
  void end_collective(OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                      std::uint64_t received) {
    stream_.push_back(collective(call_, op, comm, root, sent, received));
  }

  double seconds(OTF2_TimeStamp time) const {
    return static_cast<double>(time - std::min(time, definitions_.begin)) / definitions_.ticks_per_second;
  }

  OTF2_TimeStamp last = 0;
  bool failed = false;  ///< more activities than are read

 private:
  using Requests = std::unordered_map<std::uint64_t, std::int64_t>;

  static int plausible_tag(std::uint32_t tag) {
    return static_cast<int>(std::min<std::uint32_t>(tag, 1 << 30));
  }

  void skip(Activity& a, std::string_view why) {
    const std::string_view call = a.call.empty() ? call_ : a.call;
    const Seconds begin = a.begin, duration = a.duration;
    a = {};
    a.kind = Kind::skipped;
    a.operation = a.call = call;
    a.note = why;
    a.begin = begin, a.duration = duration;
  }

  /// The communicator's number in the source; none if the archive does not say its members.
  std::optional<int> communicator(OTF2_CommRef comm) {
    if (const auto known = numbers_.find(comm); known != numbers_.end()) return known->second;
    const auto definition = definitions_.comms.find(comm);
    const auto group = definition == definitions_.comms.end() ? definitions_.groups.end()
                                                              : definitions_.groups.find(definition->second);
    std::optional<int> number;
    if (group != definitions_.groups.end()) {
      std::vector<Rank> members;
      for (const std::uint64_t m : group->second.members)
        if (m < static_cast<std::uint64_t>(source_.ranks())) members.push_back(static_cast<Rank>(m));
      const bool self = group->second.type == OTF2_GROUP_TYPE_COMM_SELF;
      const bool world = members == source_.communicators()[0];
      if (self) members = {rank_};
      if (self || members.size() == group->second.members.size())
        number = source_.communicator(self ? "self" : world ? "" : std::to_string(comm), members);
      if (number && !self && !std::ranges::count(members, rank_)) number.reset();
    }
    return numbers_.emplace(comm, number).first->second;
  }

  Activity& message(Kind kind, OTF2_CommRef comm, std::uint32_t peer) {
    Activity& a = stream_.emplace_back();
    a.kind = kind;
    a.operation = kind == Kind::send ? "send" : "recv";
    a.call = call_;
    place(a, comm, peer);
    return a;
  }
  void place(Activity& a, OTF2_CommRef comm, std::uint32_t peer) {
    const auto number = communicator(comm);
    if (!number || peer >= source_.communicators()[static_cast<std::size_t>(*number)].size())
      return skip(a, "its communicator's members are not followed");
    a.communicator = *number;
  }
  static void fill(Activity& a, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes) {
    a.from = static_cast<Rank>(from);
    a.received_tag = plausible_tag(tag);
    a.received_bytes = Bytes(static_cast<double>(bytes));
  }

  /// Joins the send and the receive of one call into an exchange, unless their requests are waited for.
  void join(Activity& send, const Activity& receive) {
    if (send.kind != Kind::send || receive.kind != Kind::receive || send.communicator != receive.communicator)
      return;
    if (send.request >= 0 || receive.request >= 0) return;
    send.kind = Kind::exchange;
    send.operation = "sendrecv";
    send.from = receive.from;
    send.received_tag = receive.received_tag;
    send.received_bytes = receive.received_bytes;
    stream_.pop_back();
  }

  void ask(Activity& a, std::int64_t& request) {
    a.request = request = next_++;
    open_.insert(a.request);
  }
  void complete(Requests& requests, std::uint64_t request) {
    const auto found = requests.find(request);
    if (found == requests.end()) return;
    open_.erase(found->second);
    done_.push_back(found->second);
    requests.erase(found);
  }
  void wait(std::vector<std::int64_t> requests) {
    Activity& a = stream_.emplace_back();
    a.kind = Kind::wait;
    a.operation = a.call = "wait";
    a.requests = std::move(requests);
  }

  /// A collective, sized by Score-P's counts of what goes to all members and what comes from them.
  Activity collective(std::string_view call, OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                      std::uint64_t sent, std::uint64_t received) {
    Activity a;
    a.call = call;
    const auto number = communicator(comm);
    const std::string_view name = op < collective_names.size() ? collective_names[op] : std::string_view{};
    const auto kind = collective_of(name);
    if (!number) return skip(a, "its communicator's members are not followed"), a;
    if (!kind || name == "Scan" || name == "Exscan") return skip(a, "is a call that is not played"), a;
    const auto& members = source_.communicators()[static_cast<std::size_t>(*number)];
    const auto ranks = static_cast<double>(members.size()), out = static_cast<double>(sent),
               in = static_cast<double>(received);
    const auto me = static_cast<std::uint32_t>(std::ranges::find(members, rank_) - members.begin());
    if (root == OTF2_COLLECTIVE_ROOT_SELF) root = me;
    if (root >= members.size()) root = 0;
    double bytes = out;
    if (*kind == Collective::allreduce) bytes = out / ranks;
    if (*kind == Collective::broadcast || *kind == Collective::allgather) bytes = in;
    if (*kind == Collective::gather) bytes = name == "Gatherv" ? in : ranks * out;
    if (*kind == Collective::scatter) bytes = name == "Scatterv" ? out : ranks * in;
    a = collective_activity(*kind, *number, Bytes(bytes));
    a.call = call;
    a.root = static_cast<Rank>(root);
    const bool unequal = name == "Alltoallv" || name == "Alltoallw" ||
                         ((name == "Gatherv" || name == "Scatterv") && root != me);
    a.sized = !unequal;
    return a;
  }

  RecordedSource& source_;
  const Definitions& definitions_;
  RecordedSource::Stream& stream_;
  Rank rank_;
  std::size_t most_;
  std::string_view call_;
  int depth_ = 0;
  OTF2_TimeStamp entered_ = 0, before_;
  std::size_t inside_ = 0;
  std::int64_t next_ = 0;
  Requests sends_;
  std::unordered_map<std::uint64_t, std::size_t> receives_,
      collectives_;  ///< place in the stream, by request
  std::set<std::int64_t> open_;
  std::vector<std::int64_t> done_;  ///< requests completed by the call under way
  std::unordered_map<OTF2_CommRef, std::optional<int>> numbers_;
};

struct EventCallbacks {
  static RankEvents& at(void* user) { return *static_cast<RankEvents*>(user); }
  static OTF2_CallbackCode after(void* user) {
    return at(user).failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
  }
  using Attributes = OTF2_AttributeList*;
  static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, Attributes,
                                 OTF2_RegionRef region) {
    return at(user).enter(time, region), after(user);
  }
  static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, Attributes,
                                 OTF2_RegionRef region) {
    return at(user).leave(time, region), after(user);
  }
  static OTF2_CallbackCode send(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
    return at(user).send(to, comm, tag, bytes, {}), after(user);
  }
  static OTF2_CallbackCode isend(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                 std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                                 std::uint64_t request) {
    return at(user).send(to, comm, tag, bytes, request), after(user);
  }
  static OTF2_CallbackCode isend_complete(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                          Attributes, std::uint64_t request) {
    return at(user).complete_send(request), after(user);
  }
  static OTF2_CallbackCode irecv_request(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                         Attributes, std::uint64_t request) {
    return at(user).post(request), after(user);
  }
  static OTF2_CallbackCode recv(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag,
                                std::uint64_t bytes) {
    return at(user).receive(from, comm, tag, bytes), after(user);
  }
  static OTF2_CallbackCode irecv(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                 std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag,
                                 std::uint64_t bytes, std::uint64_t request) {
    return at(user).complete_receive(from, comm, tag, bytes, request), after(user);
  }
  static OTF2_CallbackCode cancelled(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                     std::uint64_t request) {
    return at(user).cancel(request), after(user);
  }
  static OTF2_CallbackCode collective(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes,
                                      OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                                      std::uint64_t sent, std::uint64_t received) {
    return at(user).end_collective(op, comm, root, sent, received), after(user);
  }
  static OTF2_CallbackCode collective_request(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                              Attributes, std::uint64_t request) {
    return at(user).post_collective(request), after(user);
  }
  static OTF2_CallbackCode collective_complete(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                               Attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                               std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                               std::uint64_t request) {
    return at(user).complete_collective(request, op, comm, root, sent, received), after(user);
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
      if (events.failed)
        throw InputError(path_ + ": has more calls than an archive of its size is read with, " +
                         std::to_string(most));
      events.finish();
      last = std::max(last, events.last);
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
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), global, calls.get(), &all_));
    std::uint64_t read = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), global, &read));
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
    check(OTF2_Reader_RegisterEvtCallbacks(reader_.get(), file, calls.get(), &events));
    check(OTF2_EvtReader_ApplyMappingTables(file, true));
    check(OTF2_EvtReader_ApplyClockOffsets(file, true));
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader_.get(), file, &count);
    if (!events.failed) check(code);
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
