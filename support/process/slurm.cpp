// SPDX-License-Identifier: Apache-2.0
#include "support/process/slurm.hpp"

#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/process/launch.hpp"

namespace collcast::slurm {
namespace {

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::string options(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!line.starts_with("--") || line.find('\n') != std::string::npos)
      throw InputError("--sbatch '" + printable(line) +
                       "' is not an option of sbatch, such as --partition=short");
    text += "#SBATCH " + line + "\n";
  }
  return text;
}

std::string output(const std::string& folder, const std::string& name) {
  // If there is a backslash anywhere, Slurm does not replace %a.
  if (folder.find_first_of("\\\n") != std::string::npos)
    throw InputError("'" + printable(folder) +
                     "': Slurm takes no folder with a backslash or a line break in its name");
  std::string quoted;
  for (const char c : folder) quoted += c == '%' ? "%%" : c == '"' ? "\\\"" : std::string(1, c);
  return "#SBATCH --output=\"" + quoted + "/" + name + "\"\n";
}

std::string submitted(const std::string& script, const std::vector<std::string>& options) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script);
  const ProcessResult sbatch = filter(words, "");
  const std::string said = last_line(sbatch.errors);
  if (sbatch.code != 0)
    throw SubstrateError("sbatch ended with code " + std::to_string(sbatch.code) +
                         (said.empty() ? "" : ": " + said));
  return "job " + sbatch.output.substr(0, sbatch.output.find_first_of(";\n")) + " was submitted" +
         (said.empty() ? "" : " (" + said + ")");
}

}  // namespace collcast::slurm
