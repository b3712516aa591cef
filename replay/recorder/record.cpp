// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/record.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "replay/recorder/window.hpp"
#include "replay/trace/reader.hpp"
#include "support/error.hpp"
#include "support/process/child.hpp"
#include "support/process/companion.hpp"

namespace collcast::recorder {
namespace {

namespace fs = std::filesystem;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr const char* library_name = "libcollcast-record.so";

bool is_launcher(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return name == "mpirun" || name == "mpiexec" || name == "orterun" || name.starts_with("mpirun.") ||
         name.starts_with("mpiexec.");
}

/// Our environment with some variables set, as "NAME=value".
std::vector<std::string> merged_environment(const Environment& changes) {
  std::vector<std::string> all;
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (std::none_of(changes.begin(), changes.end(),
                     [&](const auto& change) { return change.first == name; }))
      all.push_back(text);
  }
  return all;
}

/// The pointers that exec takes; they live as long as the strings.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (auto& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// While a command runs, holds back SIGINT, SIGTERM and SIGCHLD until we ask for them. The command gets the
/// signal mask of before.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  siginfo_t next() const {
    siginfo_t signal{};
    while (sigwaitinfo(&held_, &signal) < 0) continue;
    return signal;
  }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t held_, before_;
};

pid_t start(std::vector<std::string> command, const Environment& changes, const sigset_t& signals) {
  auto environment = merged_environment(changes);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command[0].c_str(), nullptr, &attributes,
                                  pointers_to(command).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (failed) throw InputError(command[0] + ": cannot be run: " + std::strerror(failed));
  return child;
}

/// How a command ended: its exit code, or 128 + the signal that ended it; and the signal that was sent to us.
struct Ended {
  int status = 0;
  int signal = 0;
};

/// Runs a command to its end, and passes on signals that are sent to us. Signals of the terminal reach the
/// command anyway.
Ended run(const std::vector<std::string>& command, const Environment& changes, const HeldSignals& signals) {
  const pid_t child = start(command, changes, signals.before());
  Ended ended;
  for (int status = 0;;) {
    const siginfo_t got = signals.next();
    if (got.si_signo != SIGCHLD) {
      ended.signal = got.si_signo;
      if (got.si_code <= 0) kill(child, got.si_signo);
      continue;
    }
    const pid_t who = waitpid(child, &status, WNOHANG);
    if (who == 0) continue;
    if (who == child) ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
  }
}

std::string launcher_version(const std::string& launcher) {
  Child child({launcher, "--version"}, {STDOUT_FILENO, STDERR_FILENO});
  std::string version = child.read_all();
  child.wait();
  return version;
}

/// The ranks' files in a folder, and the mark that one could not be written.
std::vector<fs::path> ranks_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cctr" || entry.path().extension() == ".tail" ||
        entry.path().filename() == trace::write_failure_mark)
      files.push_back(entry.path());
  return files;
}

void remove_ranks_files(const fs::path& folder) {
  for (const auto& file : ranks_files(folder)) fs::remove(file);
}

/// Makes a folder for the ranks' files, without those of an earlier recording.
std::string prepare_ranks_folder(const std::string& folder) {
  const fs::path ranks = fs::absolute(folder) / "ranks";
  std::error_code error;
  fs::create_directories(ranks, error);
  if (error) throw InputError(ranks.string() + ": cannot be made: " + error.message());
  remove_ranks_files(ranks);
  return ranks.string();
}

/// Removes the folders at the end if they are empty; the recording's own folder only if it was made here.
class NoEmptyFolders {
 public:
  explicit NoEmptyFolders(const std::string& folder) : folder_(folder), made_(!fs::exists(folder)) {}
  ~NoEmptyFolders() {
    std::error_code ignored;
    fs::remove(folder_ / "ranks", ignored);
    if (made_) fs::remove(folder_, ignored);
  }
  NoEmptyFolders(const NoEmptyFolders&) = delete;
  NoEmptyFolders& operator=(const NoEmptyFolders&) = delete;

 private:
  fs::path folder_;
  bool made_;
};

/// Merges; if that fails, says where the ranks' files are.
trace::Merged merge_or_keep(const std::string& ranks_folder, const std::string& path) {
  const std::string kept = "; the ranks' files stay in " + ranks_folder;
  try {
    return trace::merge(ranks_folder, path);
  } catch (const InputError& error) {
    throw InputError(error.what() + kept);
  } catch (const SubstrateError& error) {
    throw SubstrateError(error.what() + kept);
  }
}

}  // namespace

std::vector<std::string> with_recorder(const std::vector<std::string>& command, const std::string& version,
                                       const Environment& environment) {
  const bool open_mpi =
      version.find("Open MPI") != std::string::npos || version.find("OpenRTE") != std::string::npos;
  std::vector<std::string> flags, all;
  for (const auto& [name, value] : environment)
    if (open_mpi)
      flags.insert(flags.end(), {"-x", name + "=" + value});
    else
      flags.insert(flags.end(), {"-genv", name, value});
  for (const std::string& word : command) {
    all.push_back(word);
    // Open MPI's flags are for one program, and ":" separates programs.
    if (all.size() == 1 || (open_mpi && word == ":")) all.insert(all.end(), flags.begin(), flags.end());
  }
  return all;
}

namespace {

Ended run_recorded(const std::vector<std::string>& command, const Environment& environment) {
  const bool launcher = is_launcher(command[0]);
  const std::string version = launcher ? launcher_version(command[0]) : "";
  const HeldSignals signals;
  return launcher ? run(with_recorder(command, version, environment), {}, signals)
                  : run(command, environment, signals);
}

std::string nothing_recorded(const std::string& program, const Ended& ended) {
  if (ended.signal)
    return "record: signal " + std::to_string(ended.signal) + " came before any rank came to MPI_Init";
  const std::string what =
      ended.status == 0
          ? program + " ended well and started no MPI program that can be recorded"
          : program + " ended with " + std::to_string(ended.status) + " before any rank came to MPI_Init";
  return "record: " + what +
         "; behind -- goes mpirun, or another launcher, and an application with a shared MPI library, as in "
         "-- mpirun -np 8 app";
}

}  // namespace

Recorded record_run(const RecordOptions& options) {
  if (options.command.empty()) throw InputError("record: needs a command, as in: record -- mpirun -np 8 app");
  const char* from_environment = std::getenv(window_variable);
  const std::string window = options.window.empty() && from_environment ? from_environment : options.window;
  if (!window.empty()) Window{window};  // throws now if the window is wrong
  const NoEmptyFolders tidy(options.folder);
  const std::string folder = prepare_ranks_folder(options.folder);
  const char* others = std::getenv("LD_PRELOAD");
  const std::string preload =
      companion(library_name, "COLLCAST_RECORDER") + (others && *others ? std::string(":") + others : "");
  Environment environment = {{"LD_PRELOAD", preload}, {"COLLCAST_RECORD_DIR", folder}};
  if (!window.empty()) environment.emplace_back(window_variable, window);
  const Ended ended = run_recorded(options.command, environment);
  if (ranks_files(folder).empty()) throw InputError(nothing_recorded(options.command[0], ended));
  Recorded recorded;
  recorded.application_status = ended.signal ? 128 + ended.signal : ended.status;
  recorded.trace = merge_or_keep(folder, (fs::path(options.folder) / "trace.cct").string());
  const trace::Reader reader(recorded.trace.path);
  recorded.notes = reader.notes();
  recorded.remarks = reader.metadata().inferred;
  remove_ranks_files(folder);
  return recorded;
}

trace::Merged merge_interrupted(const std::string& folder) {
  return trace::merge((fs::path(folder) / "ranks").string(), (fs::path(folder) / "trace.cct").string());
}

int record(const RecordOptions& options) {
  const Recorded recorded = record_run(options);
  std::cerr << "collcast: recorded " << recorded.trace.ranks << " ranks, " << recorded.trace.events
            << " events in " << recorded.trace.path << " (" << recorded.trace.bytes << " bytes)\n";
  for (const auto& note : recorded.notes) std::cerr << "collcast: incomplete: " << note << '\n';
  for (const auto& remark : recorded.remarks) std::cerr << "collcast: " << remark << '\n';
  if (recorded.application_status != 0)
    std::cerr << "collcast: the application ended with " << recorded.application_status << '\n';
  return recorded.application_status;
}

}  // namespace collcast::recorder
