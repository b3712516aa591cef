// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/launcher.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "support/error.hpp"
#include "support/process/child.hpp"
#include "support/process/companion.hpp"

namespace collcast::campaign {

namespace fs = std::filesystem;

Launcher::Launcher(std::vector<std::string> words)
    : words_(std::move(words)), program_(companion("collcast-measure", "COLLCAST_MEASURE")) {
  if (words_.empty()) words_ = {"mpirun"};
}

Rank Launcher::fixed_ranks() const {
  for (std::size_t i = 1; i < words_.size(); ++i)
    if (words_[i - 1] == "-n" || words_[i - 1] == "-np")
      return static_cast<Rank>(std::strtol(words_[i].c_str(), nullptr, 10));
  return 0;
}

std::vector<std::string> Launcher::command(Rank ranks, const std::vector<std::string>& arguments) const {
  std::vector<std::string> all = words_;
  bool told = false;
  for (std::string& word : all) {
    told |= word == "-n" || word == "-np";
    if (const auto at = word.find("{ranks}"); at != std::string::npos)
      word.replace(at, 7, std::to_string(ranks)), told = true;
  }
  if (!told) all.insert(all.end(), {"-np", std::to_string(ranks)});
  all.push_back(program_);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

int Launcher::run(Rank ranks, const std::vector<std::string>& arguments, const fs::path& log, double patience,
                  const std::function<void(const std::string&)>& line) const {
  Child child(command(ranks, arguments), {STDOUT_FILENO}, log);
  std::string pending;
  std::array<char, 4096> part{};
  while (true) {
    pollfd output{child.output(), POLLIN, 0};
    const int ready = ::poll(&output, 1, static_cast<int>(std::min(patience * 1e3, 2e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0)
      throw SubstrateError(words_[0] + " was stopped: no output for " +
                           std::to_string(static_cast<int>(patience)) + " s");
    const ssize_t got = ::read(child.output(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return child.wait();
    pending.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
      line(pending.substr(0, end));
  }
}

}  // namespace collcast::campaign
