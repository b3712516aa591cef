// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/tau.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"

namespace collcast {
namespace {

/// TAU's events that count what a collective sends, and the calls that trigger them.
struct SizeEvent {
  std::string_view event;
  std::vector<std::string> calls;
};
const std::vector<SizeEvent>& size_events() {
  static const std::vector<SizeEvent> all = {
      {"Message size for all-reduce", {"MPI_Allreduce"}},
      {"Message size for broadcast", {"MPI_Bcast"}},
      {"Message size for reduce", {"MPI_Reduce"}},
      {"Message size for all-gather", {"MPI_Allgather", "MPI_Allgatherv"}},
      {"Message size for all-to-all", {"MPI_Alltoall", "MPI_Alltoallv"}},
      {"Message size for gather", {"MPI_Gather", "MPI_Gatherv"}},
      {"Message size for scatter", {"MPI_Scatter", "MPI_Scatterv"}},
      {"Message size for reduce-scatter", {"MPI_Reduce_scatter"}},
      {"Message size for scan", {"MPI_Scan"}},
  };
  return all;
}

/// Reads a row: a text in quotes and the numbers behind it.
bool row(const std::string& line, std::string& name, std::vector<double>& numbers) {
  const std::size_t end = line.find('"', 1);
  if (line.empty() || line[0] != '"' || end == std::string::npos) return false;
  name = line.substr(1, end - 1);
  name.erase(name.find_last_not_of(' ') + 1);
  numbers.clear();
  std::istringstream rest(line.substr(end + 1));
  for (double n; rest >> n;) numbers.push_back(n);
  return true;
}

/// Compares the number of rows that "10 templated_functions_MULTI_TIME" and "7 userevents" state with the
/// rows that are there.
class Entries {
 public:
  void look(const std::string& line) {
    if (line.starts_with('"')) return void(++there_);
    std::istringstream words(line);
    std::int64_t count = 0;
    std::string of;
    if (words >> count >> of && (of.starts_with("templated_functions") || of == "userevents") && count < most)
      said_ += std::max<std::int64_t>(count, 0);
  }
  std::int64_t missing() const { return std::max<std::int64_t>(said_ - there_, 0); }

 private:
  static constexpr std::int64_t most = 1'000'000'000;
  std::int64_t said_ = 0, there_ = 0;
};

bool plausible(double n) {
  return n >= 0 && n < 1e15;
}

using CallsByName = std::map<std::string, ProfiledCall>;

/// The MPI call of a row, "MPI_Bcast()"; empty: none. A row of a call path ("a => b") gives none, as it
/// counts the same calls again. `throttled`: TAU stopped counting the call.
std::string call_in(std::string name, bool& throttled) {
  constexpr std::string_view mark = "[THROTTLED]";
  throttled = name.ends_with(mark);
  if (throttled) name.resize(name.size() - mark.size());
  name.erase(name.find_last_not_of(' ') + 1);
  if (!name.starts_with("MPI_") || !name.ends_with("()") || name.find("=>") != std::string::npos) return {};
  return name.substr(0, name.size() - 2);
}

/// Gives the mean size of an event to the only call that can have triggered it, if the event did not come
/// more often than that call.
void put_size(const std::string& event, const std::vector<double>& numbers, CallsByName& calls) {
  const auto known = std::ranges::find(size_events(), event, &SizeEvent::event);
  if (known == size_events().end() || numbers.size() < 4 || !plausible(numbers[3])) return;
  std::vector<ProfiledCall*> there;
  for (const std::string& call : known->calls)
    if (const auto at = calls.find(call); at != calls.end()) there.push_back(&at->second);
  if (there.size() == 1 && numbers[0] <= static_cast<double>(there[0]->count)) there[0]->bytes = numbers[3];
}

/// Throws InputError if the line ("7 templated_functions_MULTI_TIME") says that something other than time is
/// counted.
void require_time(const std::string& path, const std::string& line) {
  constexpr std::string_view before = "templated_functions_MULTI_";
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return;
  const std::string metric = line.substr(at + before.size());
  for (const char* time : {"TIME", "CLOCK"})
    if (metric.find(time) != std::string::npos) return;
  throw InputError(path + ": counts " + metric +
                   ", which is no time; take the profile of one, as in MULTI__TIME/");
}

/// Rows are a name, Calls, Subrs, Excl, Incl, ProfileCalls; times in us.
std::vector<ProfiledCall> calls_of(const std::string& path, std::int64_t& missing,
                                   std::vector<std::string>& notes) {
  CallsByName calls;
  Input input(path);
  Entries entries;
  std::string name;
  std::vector<double> numbers;
  for (std::string line; input.line(line);) {
    require_time(path, line);
    entries.look(line);
    if (!row(line, name, numbers)) continue;
    bool throttled = false;
    if (const std::string call = call_in(name, throttled); !call.empty()) {
      if (numbers.size() < 4 || !plausible(numbers[0]) || !plausible(numbers[3]))
        throw InputError(path + ": " + call + " has no count of calls and times");
      if (throttled)
        add_once(notes, call + " was throttled: TAU counted some of its calls, and not those behind them");
      if (numbers[0] >= 1) calls[call] = {call, std::llround(numbers[0]), Seconds(1e-6 * numbers[3])};
    }
    put_size(name, numbers, calls);
    if (calls.size() > 10'000) throw InputError(path + ": has more calls than MPI");
  }
  missing += entries.missing();
  std::vector<ProfiledCall> all;
  for (auto& [key, call] : calls) all.push_back(std::move(call));
  return all;
}

/// The NODE in "profile.NODE.CONTEXT.THREAD".
Rank node_of(const std::string& path) {
  static const std::regex form(R"(profile\.(\d{1,7})\.(\d{1,7})\.(\d{1,7})[^/]*$)");
  std::smatch parts;
  if (!std::regex_search(path, parts, form))
    throw InputError(path + ": its name must end like TAU's: profile.NODE.0.0");
  if (std::stoi(parts[2]) != 0 || std::stoi(parts[3]) != 0)
    throw InputError(path + ": is a thread's profile; MPI's calls are in profile." + parts[1].str() + ".0.0");
  return std::stoi(parts[1]);
}

}  // namespace

bool is_tau(std::string_view head) {
  return head.substr(0, head.find('\n')).find("templated_functions") != std::string_view::npos;
}

std::unique_ptr<Source> open_tau(const std::vector<std::string>& files, const OpenOptions&) {
  std::map<Rank, std::string> of_rank;
  for (const std::string& file : files)
    if (const auto [at, fresh] = of_rank.emplace(node_of(file), file); !fresh)
      throw InputError(file + " and " + at->second + " are both of rank " + std::to_string(at->first));
  const Rank ranks = of_rank.rbegin()->first + 1;
  if (ranks > most_recorded_ranks) throw InputError(of_rank.rbegin()->second + ": has more ranks than a job");
  auto source = std::make_unique<RecordedSource>(ranks);
  source->info().unknown = unknown_to_profiles();
  source->info().unknown.emplace_back("sizes but means of collectives'");
  std::int64_t missing = 0;
  std::size_t listed = 0;
  for (const auto& [rank, file] : of_rank) {
    source->info().recorded_ranks.push_back(rank);
    const std::vector<ProfiledCall> calls = calls_of(file, missing, source->info().notes);
    listed += calls.size();
    add_profile(*source, rank, calls);
  }
  if (listed == 0) source->info().notes.emplace_back("TAU lists no calls of MPI");
  source->info().lose("row", missing, "less than TAU says there are");
  return source;
}

}  // namespace collcast
