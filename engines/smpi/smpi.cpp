// SPDX-License-Identifier: Apache-2.0
#include "engines/smpi/smpi.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/process/child.hpp"

namespace collcast::smpi {
namespace {

constexpr double flops = 1e9;  ///< per second, of each host

std::string twelve_digits(double x) {
  return decimal::shortened(x, 12);
}

/// The output of a command on both streams, and whether it succeeded.
std::pair<std::string, bool> output(const std::vector<std::string>& command) {
  Child child(command, {STDOUT_FILENO, STDERR_FILENO});
  std::string text = child.read_all();
  return {std::move(text), child.wait() == 0};
}

/// The line of an output that describes the failure: the critical one, else the last.
std::string complaint(const std::string& text) {
  std::istringstream in(text);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (line.find("CRITICAL") != std::string::npos) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

std::vector<std::string> options(const Settings& settings, const Fabric& fabric) {
  std::vector<std::string> all{"--cfg=smpi/display-timing:yes",
                               "--cfg=smpi/host-speed:" + twelve_digits(flops) + "f"};
  if (settings.defaults) return all;
  const double eager = std::min(fabric.protocol().eager_limit.value, 1e9);
  const std::string limit = std::to_string(std::llround(std::floor(std::max(0.0, eager))) + 1);
  for (const char* neutral : {"network/crosstraffic:0", "network/TCP-gamma:1e15", "network/weight-S:0",
                              "network/latency-factor:1", "network/bandwidth-factor:1", "smpi/lat-factor:0:1",
                              "smpi/bw-factor:0:1", "smpi/os:0:0:0", "smpi/or:0:0:0", "smpi/ois:0:0:0"})
    all.push_back(std::string("--cfg=") + neutral);
  for (const char* threshold : {"smpi/async-small-thresh:", "smpi/send-is-detached-thresh:"})
    all.push_back(std::string("--cfg=") + threshold + limit);
  return all;
}

/// The fixed costs of a message; SMPI adds those of a rendezvous itself.
Seconds latency(const Fabric& fabric, Rank from, Rank to) {
  const Wire w = fabric.wire(from, to, Bytes(0));
  return w.overhead + w.latency + w.receive_overhead;
}

}  // namespace

const std::vector<Settings>& settings() {
  static const std::vector<Settings> both = {
      {"smpi", "SMPI, the same messages and parameters, neutral factors", false},
      {"smpi-defaults", "SMPI as it comes, the same messages and platform", true}};
  return both;
}

bool available() {
  static const bool found = [] {
    try {
      return output({"smpirun", "-version"}).second;
    } catch (const InputError&) {
      return false;
    }
  }();
  return found;
}

std::string version() {
  const std::string text = output({"smpirun", "-version"}).first;
  return text.substr(0, text.find('\n'));
}

std::string platform_xml(const Fabric& fabric) {
  std::ostringstream xml;
  xml << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n";
  for (Rank r = 0; r < fabric.ranks(); ++r)
    xml << "<host id=\"h" << r << "\" speed=\"" << twelve_digits(flops) << "f\"/>\n";
  const std::vector<Link>& links = fabric.links();
  for (std::size_t i = 0; i < links.size(); ++i)
    xml << "<link id=\"l" << i << "\" bandwidth=\"" << twelve_digits(links[i].bandwidth.value)
        << "Bps\" latency=\"0s\"/>\n";
  std::ostringstream routes;
  std::vector<LinkId> route;
  for (Rank a = 0; a < fabric.ranks(); ++a)
    for (Rank b = 0; b < fabric.ranks(); ++b) {
      if (a == b) continue;
      xml << "<link id=\"a" << a << '-' << b
          << "\" bandwidth=\"1e15Bps\" sharing_policy=\"FATPIPE\" latency=\""
          << twelve_digits(latency(fabric, a, b).value) << "s\"/>\n";
      routes << "<route src=\"h" << a << "\" dst=\"h" << b << "\" symmetrical=\"NO\"><link_ctn id=\"a" << a
             << '-' << b << "\"/>";
      route.clear();
      fabric.route(a, b, route);
      for (const LinkId l : route) routes << "<link_ctn id=\"l" << l << "\"/>";
      routes << "</route>\n";
    }
  xml << routes.str() << "</zone>\n</platform>\n";
  return xml.str();
}

std::vector<std::string> traces(const Schedule& schedule, const Layout& layout, const Fabric& fabric) {
  const auto ranks = static_cast<std::size_t>(schedule.ranks);
  std::vector<std::ostringstream> text(ranks);
  std::vector<double> work(ranks);
  std::vector<bool> busy(ranks);
  for (std::size_t r = 0; r < ranks; ++r) text[r] << r << " init\n";
  for_each_step(schedule, !layout.equal_blocks(), [&](const Step& step) {
    if (!step.multicasts.empty() || !step.reductions.empty())
      throw InputError("SMPI has no multicast and no reduction in the network");
    std::fill(work.begin(), work.end(), 0);
    std::fill(busy.begin(), busy.end(), false);
    for (const Transfer& t : step.transfers) {
      if (t.from.rank == t.to.rank) continue;
      const auto from = static_cast<std::size_t>(t.from.rank), to = static_cast<std::size_t>(t.to.rank);
      const Bytes bytes = layout.size(step, t);
      const long long size = std::llround(bytes.value);
      text[to] << to << " irecv " << from << ' ' << t.channel << ' ' << size << '\n';
      text[from] << from << " isend " << to << ' ' << t.channel << ' ' << size << '\n';
      if (t.combine == Combine::reduce) work[to] += (bytes * fabric.gamma(t.to)).value * flops;
      busy[from] = busy[to] = true;
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      if (busy[r]) text[r] << r << " waitall\n";
      if (work[r] > 0) text[r] << r << " compute " << twelve_digits(work[r]) << '\n';
    }
  });
  std::vector<std::string> all;
  for (std::size_t r = 0; r < ranks; ++r) {
    text[r] << r << " finalize\n";
    all.push_back(text[r].str());
  }
  return all;
}

Seconds simulate(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                 const Settings& settings, const std::string& folder) {
  const std::filesystem::path here = folder;
  write_file(here / "platform.xml", platform_xml(fabric));
  std::string hosts, list;
  const std::vector<std::string> texts = traces(schedule, layout, fabric);
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const std::string file = "rank-" + std::to_string(r) + ".ti";
    write_file(here / file, texts[r]);
    hosts += "h" + std::to_string(r) + "\n";
    list += file + "\n";
  }
  write_file(here / "hosts", hosts);
  write_file(here / "traces", list);
  // Files are named relative to the folder: smpirun splits paths at blanks.
  std::vector<std::string> command{
      "env",       "-C",           folder,      "smpirun", "-np", std::to_string(texts.size()),
      "-platform", "platform.xml", "-hostfile", "hosts"};
  const std::vector<std::string> how = options(settings, fabric);
  command.insert(command.end(), how.begin(), how.end());
  command.insert(command.end(), {"-replay", "traces"});
  const auto [text, done] = output(command);
  constexpr std::string_view before = "Simulated time: ";
  const std::size_t at = text.rfind(before);
  if (!done || at == std::string::npos) throw SubstrateError("smpirun: " + complaint(text));
  return Seconds(decimal::leading(std::string_view(text).substr(at + before.size())));
}

}  // namespace collcast::smpi
