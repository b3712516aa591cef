// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/measure.hpp"

#include <iostream>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/process/complaint.hpp"
#include "support/text.hpp"
#include "validation/campaign/provenance.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;
std::string text_of(const std::vector<Request>& requests) {
  std::string text;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Json line{{"id", i}};
    line.update(requests[i].what);
    text += dump(line) + "\n";
  }
  return text;
}

std::vector<std::string> arguments(const MeasurementSettings& settings, const fs::path& requests) {
  std::vector<std::string> all{requests.string(),
                               "--least",
                               std::to_string(settings.least),
                               "--most",
                               std::to_string(settings.most),
                               "--interval",
                               std::to_string(settings.interval),
                               "--limit",
                               std::to_string(settings.limit_s),
                               "--check-up-to",
                               std::to_string(static_cast<std::int64_t>(settings.check_up_to.value))};
  if (!settings.multicast.empty()) all.insert(all.end(), {"--multicast", settings.multicast});
  if (settings.overlap_workers)
    all.insert(all.end(), {"--overlap-workers", std::to_string(*settings.overlap_workers)});
  return all;
}

/// How long to wait for a line [s]: checks, warm-up and the least number of repetitions may take longer than
/// the limit.
double patience(const MeasurementSettings& settings) {
  return 300 + 5 * settings.limit_s;
}

}  // namespace

bool measure(const std::vector<Request>& requests, Rank ranks, const MeasurementSettings& settings,
             const Launcher& launcher, const fs::path& folder, Journal& journal, const Progress& progress) {
  const fs::path file = fs::absolute(folder / "requests.jsonl"), log = folder / "measure.log";
  write_file(file, text_of(requests));
  write_file(log, "");
  const Json where = provenance();
  std::size_t done = 0;
  progress("measuring " + requests[0].words);
  const auto take = [&](const std::string& line) {
    const Json answer = parse_json(line);
    if (!answer.is_object() || answer.value("id", requests.size()) != done) return;
    Json kept = requests[done].what;
    kept.update(answer);
    kept.erase("id");
    kept["buffers"] = "host";
    kept["launcher"] = launcher.words()[0];
    kept["command"] = text::join(launcher.words(), " ");
    kept["provenance"] = where;
    journal.append(kept);
    if (++done < requests.size()) progress("measuring " + requests[done].words);
  };
  const int code =
      launcher.run(settings.processes(ranks), arguments(settings, file), log, patience(settings), take);
  fs::remove(file);
  if (code == 0 && done == requests.size()) return true;
  const std::string words = complaint(read_file(log), code);
  if (code == 1 && words.find(" is wrong: ") != std::string::npos) {
    std::cerr << words << '\n';
    return false;
  }
  const std::string at = done < requests.size() ? " at " + requests[done].words : "";
  throw SubstrateError("measuring stopped" + at + ": " + words + "; what was measured is in " +
                       folder.string() + ", and the same command continues from there");
}

}  // namespace collcast::campaign
