// SPDX-License-Identifier: Apache-2.0
#include "support/process/complaint.hpp"

#include <cstddef>
#include <optional>
#include <regex>
#include <sstream>

namespace collcast {
namespace {

/// A regular expression for what a launcher prints, and its meaning, in which $1, $2, ... are the parts in
/// brackets. The first row that is found counts.
struct Saying {
  const char* pattern;
  const char* meaning;
};

constexpr Saying sayings[] = {
    // Open MPI
    {R"(process rank (\d+) with PID (\d+) on\s+node (\S+) exited on\s+signal (\d+) \(([^)]*)\))",
     "rank $1 (process $2 on $3) was ended by signal $4 ($5)"},
    // what collcast's own programs say
    {R"((?:^|\n)(collcast-\w+: [^\r\n]*))", "$1"},
    {R"(ssh: Could not resolve hostname ([^\s:]+))", "host $1 cannot be reached: its name is not known"},
    {R"(ssh: connect to host (\S+) port \d+: ([^\r\n]*))", "host $1 cannot be reached: $2"},
    {R"(plm_rsh_agent" was set to a path that could not be\s+found)",
     "other hosts cannot be reached: there is no ssh"},
    {R"((?:PRTE|ORTE) was unable to reliably start one or more daemons)",
     "a host cannot be reached: mpirun could not start its daemon there"},
    {R"(lost\s+communication with a remote daemon[\s\S]*?Remote (?:daemon|host):?\s+\[?([^\s\]]+))",
     "a host was lost in mid-run: $1"},
    {R"((?:PRTE|ORTE) has lost communication with)", "a host was lost in mid-run"},
    {R"(not enough slots available in the system to satisfy the (\d+))",
     "there are fewer processors than the $1 ranks; --oversubscribe lets ranks share them"},
    {R"((mpirun|mpiexec|orterun|prterun) has detected an attempt to run as root)",
     "$1 does not run as root: take another user, or write --allow-run-as-root behind $1"},
    {R"(option .([^" ]+). did not have enough parameters)",
     "mpirun's option $1 lacks its value: write it behind $1"},
    {R"(option does not match the expected format:\s+Option: (\S+)\s+Param:\s+(\S+))",
     "mpirun's option $1 does not take '$2', or lacks its value: write it behind the option"},
    {R"(unable to (?:find|launch) the specified[\s\S]*?(?:Executable|Application name|Application): (\S+))",
     "$1 cannot be run on every host"},
    {R"(not built with SLURM's PMI support)",
     "srun gave Open MPI no PMI that it knows: take srun --mpi=pmix, or mpirun"},
    {R"(MPI_ABORT was invoked on rank (\d+))", "rank $1 gave up"},
    {R"(process rank (\d+) with PID (\d+) on node (\S+) exited improperly|\[(\d+)\][^\n]*exiting improperly)",
     "rank $1$4 ended without MPI_Finalize"},
    // MPICH
    {R"(PID (\d+) RUNNING AT (\S+)[\s\S]*?EXIT CODE: (\d+))", "process $1 on $2 ended with exit code $3"},
    {R"(execvp error on file (\S+) \(([^)]*)\))", "$1 cannot be run: $2"},
    // Slurm
    {R"(srun: [^\n]*: StepId=(\S+) aborted before step completely launched)",
     "srun could not start the ranks of step $1"},
    {R"(srun: error: (\S+): tasks? (\S+): ([^\r\n]*))", "rank $2 on $1: $3"},
};

// std::regex makes a nested call for each character that it matches, so the text that it searches at once is
// limited.
constexpr std::size_t longest_line = 4096;
constexpr std::size_t window = 4096;
constexpr std::size_t longest_text = 65536;

/// The last 64 KiB of lines, each cut after 4096 characters.
std::string last_lines(const std::string& errors) {
  std::istringstream lines(errors);
  std::string line, text;
  while (std::getline(lines, line)) text += line.substr(0, longest_line) + '\n';
  if (text.size() > longest_text) text.erase(0, text.find('\n', text.size() - longest_text) + 1);
  return text;
}

/// The meaning of the saying; none if the text does not have it. Searches windows that overlap by half and
/// end with a line.
std::optional<std::string> meaning_in(const std::string& text, const Saying& saying) {
  const std::regex pattern(saying.pattern);
  std::smatch found;
  for (std::size_t begin = 0; begin < text.size(); begin += window / 2) {
    const std::size_t end = text.find('\n', begin + window);
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = end == std::string::npos ? text.end() : text.begin() + static_cast<std::ptrdiff_t>(end);
    const auto flags = begin == 0 ? std::regex_constants::match_default : std::regex_constants::match_not_bol;
    if (std::regex_search(from, to, found, pattern, flags)) return found.format(saying.meaning);
  }
  return std::nullopt;
}

std::string last_words(const std::string& text) {
  std::istringstream lines(text);
  std::string line, last;
  while (std::getline(lines, line))
    if (line.find_first_not_of("-=* \t\r") != std::string::npos) last = line;
  return last;
}

}  // namespace

std::string complaint(const std::string& errors, int code) {
  const std::string text = last_lines(errors);
  for (const Saying& saying : sayings)
    if (const auto meaning = meaning_in(text, saying)) return *meaning;
  const std::string words = last_words(text);
  if (code == 0 && words.empty())
    return "the command ended well without a word from any rank: a launcher is expected, such as mpirun -np "
           "4";
  return "the run ended with exit code " + std::to_string(code) + (words.empty() ? "" : ": " + words);
}

}  // namespace collcast
