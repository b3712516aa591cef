// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/tau.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Events of TAU that count what a collective sends.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> sizes_of = {{
    {"Message size for all-reduce", "MPI_Allreduce"},
    {"Message size for broadcast", "MPI_Bcast"},
    {"Message size for reduce", "MPI_Reduce"},
    {"Message size for all-gather", "MPI_Allgather"},
    {"Message size for all-to-all", "MPI_Alltoall"},
    {"Message size for gather", "MPI_Gather"},
    {"Message size for scatter", "MPI_Scatter"},
}};

/// The text in quotes at the start of a line, and the numbers behind it.
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

/// The rows that "10 templated_functions_MULTI_TIME" and "7 userevents" say, and those that are there.
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

/// "MPI_Bcast()" Calls Subrs Excl Incl ProfileCalls; times in us. Paths ("a => b") count the same calls
/// again.
std::vector<ProfiledCall> calls_of(const std::string& path, std::int64_t& missing) {
  std::map<std::string, ProfiledCall> calls;
  Input input(path);
  Entries entries;
  std::string name;
  std::vector<double> numbers;
  for (std::string line; input.line(line);) {
    entries.look(line);
    if (!row(line, name, numbers)) continue;
    if (name.starts_with("MPI_") && name.ends_with("()") && name.find("=>") == std::string::npos) {
      name.resize(name.size() - 2);
      if (numbers.size() < 4 || !plausible(numbers[0]) || !plausible(numbers[3]))
        throw InputError(path + ": " + name + " has no count of calls and times");
      if (numbers[0] >= 1) calls[name] = {name, std::llround(numbers[0]), Seconds(1e-6 * numbers[3])};
    }
    for (const auto& [event, call] : sizes_of)
      if (name == event && numbers.size() >= 4 && plausible(numbers[3]) && calls.contains(std::string(call)))
        calls[std::string(call)].bytes = numbers[3];
    if (calls.size() > 10'000) throw InputError(path + ": has more calls than MPI");
  }
  missing += entries.missing();
  std::vector<ProfiledCall> all;
  for (auto& [key, call] : calls) all.push_back(std::move(call));
  return all;
}

/// The node of "profile.NODE.CONTEXT.THREAD".
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
  for (const auto& [rank, file] : of_rank) {
    source->info().recorded_ranks.push_back(rank);
    add_profile(*source, rank, calls_of(file, missing));
  }
  if (missing) source->info().losses.push_back({"row", missing, "less than TAU says there are"});
  return source;
}

}  // namespace collcast
