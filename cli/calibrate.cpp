// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <iostream>

#include "cli/calibrate_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/text.hpp"
#include "validation/calibration/calibrate.hpp"
#include "validation/calibration/nccl.hpp"
#include "validation/calibration/text.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::cli {
namespace {

struct CalibrateOptions {
  std::vector<std::string> files;
  std::string base, output, buffers, policy;
  int nodes = 0, sockets = 0;
  PingPongOptions ping_pong;
  Format format = Format::table;
};

FileFacts known(const CalibrateOptions& options) {
  std::string words = "--from:";
  if (options.nodes > 0) words += "nodes=" + std::to_string(options.nodes) + ",";
  if (options.sockets > 0) words += "sockets=" + std::to_string(options.sockets) + ",";
  if (!options.buffers.empty()) words += "buffers=" + options.buffers;
  return words == "--from:" ? FileFacts{} : parse_measurement_file(words).known;
}

std::string interval(double value, double deviation) {
  return number(value) + " +- " + number(2 * deviation);
}

std::vector<std::string> piece_row(const PathPiece& piece) {
  const auto time = [](const auto& estimate) {
    return estimate ? interval(estimate->value.value * 1e6, estimate->deviation.value * 1e6) : "-";
  };
  const double per_byte = piece.per_byte.value.value, copied = piece.copied.value;
  return {bytes(piece.from.value), time(piece.fixed), time(piece.gap),
          piece.knows_pace()
              ? interval(1e-9 / per_byte, 1e-9 / per_byte * piece.per_byte.deviation.value / per_byte)
              : "-",
          copied > 0.01 * per_byte ? number(1e-9 / copied) : "-"};
}

std::string percent(const std::optional<double>& error) {
  return error ? number(100 * *error) + " %" : "-";
}

/// A cost that several messages at once tell and a single one does not.
struct TogetherRow {
  const char* key;
  const char* words;
  StarCost StarFit::*cost;
};
constexpr TogetherRow together_rows[] = {
    {"overhead_s", "sender's overhead", &StarFit::overhead},
    {"receive_overhead_s", "receiver's overhead", &StarFit::receive_overhead},
    {"gap_s", "gap", &StarFit::gap}};

void print_together(const StarFit& fit, std::size_t count) {
  std::vector<std::vector<std::string>> rows{{"of several messages at once", ""}};
  for (const TogetherRow& row : together_rows) {
    const StarCost& cost = fit.*row.cost;
    rows.push_back({row.words, cost.determined ? interval(cost.value * 1e6, cost.deviation * 1e6) + " us"
                                               : "not determined"});
  }
  const StarCost& port = fit.port;
  const double rate = 1e-9 / port.value;
  rows.push_back({"port", port.determined ? interval(rate, rate * port.deviation / port.value) + " GB/s"
                                          : "not determined"});
  print_table(rows);
  print_text(std::to_string(count) + " measurements, said within " + percent(fit.mean_residual) + ", mean\n");
}

Json answer(const StarFit& fit, std::size_t count) {
  Json json = {{"measurements", count}, {"mean_error", fit.mean_residual}};
  const auto put = [&](const char* key, const StarCost& cost) {
    json[key] = {{"value", cost.value}, {"determined", cost.determined}};
    json[key]["deviation"] = cost.determined ? Json(cost.deviation) : Json();
  };
  for (const TogetherRow& row : together_rows) put(row.key, fit.*row.cost);
  put("port_seconds_per_byte", fit.port);
  return json;
}

void print_found(const PathReport& report) {
  const std::string files = text::join(report.files, ", ", [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  });
  print_text("\n" + std::string(name(report.path)) + ": " + files + "\nnoise " +
             percent(report.fit.lines.noise) + "; the new platform says them within " +
             percent(report.latency_error) + " (latency) and " + percent(report.message_error) +
             " (bandwidth), mean over the sizes\n");
  std::vector<std::vector<std::string>> rows{{"from", "fixed [us]", "gap [us]", "GB/s", "copies [GB/s]"}};
  for (const PathPiece& piece : report.fit.pieces) rows.push_back(piece_row(piece));
  print_table(rows);
  if (report.star_fit) print_together(*report.star_fit, report.stars);
  for (const PiecewiseFit::Outlier& o : report.fit.lines.outliers)
    print_text("left out: " + bytes(o.sample.message.value) + " in " + seconds(o.sample.time.value) +
               ", where the fit says " + percent(std::abs(o.residual)) +
               (o.residual < 0 ? " less\n" : " more\n"));
}

Json paths_of(const Calibration& calibration) {
  Json paths = Json::array();
  for (const PathReport& report : calibration.paths) {
    Json pieces = Json::array();
    for (const PathPiece& p : report.fit.pieces) {
      Json piece = {{"from_bytes", p.from.value}, {"seconds_per_byte", p.per_byte.value.value}};
      piece["seconds_per_byte_deviation"] = p.per_byte.deviation.value;
      if (p.fixed)
        piece["fixed_s"] = p.fixed->value.value, piece["fixed_deviation_s"] = p.fixed->deviation.value;
      if (p.gap) piece["gap_s"] = p.gap->value.value, piece["gap_deviation_s"] = p.gap->deviation.value;
      pieces.push_back(piece);
    }
    const auto error = [](const auto& e) { return e ? Json(*e) : Json(); };
    paths.push_back({{"path", name(report.path)},
                     {"files", report.files},
                     {"noise", report.fit.lines.noise},
                     {"latency_error", error(report.latency_error)},
                     {"bandwidth_error", error(report.message_error)},
                     {"outliers", report.fit.lines.outliers.size()},
                     {"pieces", pieces},
                     {"together", report.star_fit ? answer(*report.star_fit, report.stars) : Json()}});
  }
  return paths;
}

/// A row for each piece of a path.
Json csv_rows(const Calibration& calibration) {
  Json rows = Json::array();
  for (const Json& path : paths_of(calibration))
    for (const Json& piece : path["pieces"]) {
      Json row{{"path", path["path"]}};
      for (const char* key : {"from_bytes", "fixed_s", "fixed_deviation_s", "gap_s", "gap_deviation_s",
                              "seconds_per_byte", "seconds_per_byte_deviation"})
        row[key] = piece.value(key, Json());
      for (const char* key : {"noise", "latency_error", "bandwidth_error"}) row[key] = path[key];
      rows.push_back(row);
    }
  return rows;
}

/// Tells what was calibrated besides the rows.
void tell_beside(const Calibration& calibration) {
  for (const HardwareReport& h : calibration.hardware)
    note(h.parameter + ": " + number(h.before) + " -> " + number(h.after) + " (" + h.reason + ")");
  for (const std::string& words : calibration.notes) note(words);
}

Json answer(const Calibration& calibration, const CalibrateOptions& options) {
  Json hardware = Json::array();
  for (const HardwareReport& h : calibration.hardware)
    hardware.push_back(
        {{"parameter", h.parameter}, {"before", h.before}, {"after", h.after}, {"reason", h.reason}});
  return {{"platform", options.output},
          {"base", options.base},
          {"paths", paths_of(calibration)},
          {"hardware", hardware},
          {"notes", calibration.notes}};
}

void print_found(const Calibration& calibration, const CalibrateOptions& options) {
  print_text(options.output + ": " + options.base + " with what " + std::to_string(options.files.size()) +
             (options.files.size() == 1 ? " file says\n" : " files say\n"));
  for (const PathReport& report : calibration.paths) print_found(report);
  if (!calibration.hardware.empty()) std::cout << '\n';
  for (const HardwareReport& h : calibration.hardware)
    print_text(h.parameter + ": " + number(h.before) + " -> " + number(h.after) + " (" + h.reason + ")\n");
  if (!calibration.notes.empty()) std::cout << '\n';
  for (const std::string& words : calibration.notes) print_text(words + "\n");
}

std::string interval_us(const NcclCost& c) {
  return c.after ? number(*c.after) + ", " + number(c.low()) + " to " + number(c.high()) : "not determined";
}

Json answer(const NcclCalibration& c, const CalibrateOptions& options) {
  Json costs = Json::array(), tables = Json::array();
  for (const NcclCost& cost : c.costs) {
    Json row = {
        {"parameter", cost.parameter}, {"before_us", cost.before}, {"determined", cost.after.has_value()}};
    row["after_us"] = cost.after ? Json(*cost.after) : Json();
    row["low_us"] = cost.after ? Json(cost.low()) : Json();
    row["high_us"] = cost.after ? Json(cost.high()) : Json();
    row["relative_deviation"] = cost.deviation ? Json(std::expm1(*cost.deviation)) : Json();
    costs.push_back(row);
  }
  for (const NcclTable& t : c.tables)
    tables.push_back({{"file", t.file},
                      {"collective", definition(t.collective).name},
                      {"ranks", t.ranks},
                      {"points", t.points},
                      {"error_before", t.before},
                      {"error_after", t.after}});
  return {{"platform", options.output}, {"base", options.base}, {"policy", options.policy}, {"costs", costs},
          {"tables", tables},           {"noise", c.noise},     {"notes", c.notes}};
}

Json csv_rows(const NcclCalibration& calibration) {
  return answer(calibration, {})["costs"];
}

void tell_beside(const NcclCalibration& calibration) {
  for (const std::string& words : calibration.notes) note(words);
}

void print_found(const NcclCalibration& c, const CalibrateOptions& options) {
  print_text(options.output + ": " + options.base + " with what tables of nccl-tests say of " +
             options.policy + "\n\n");
  std::vector<std::vector<std::string>> costs{{"cost", "before [us]", "fitted [us]"}};
  for (const NcclCost& cost : c.costs)
    costs.push_back({cost.parameter, number(cost.before), interval_us(cost)});
  print_table(costs);
  std::cout << '\n';
  std::vector<std::vector<std::string>> tables{
      {"table", "collective", "ranks", "points", "off before", "after"}};
  for (const NcclTable& t : c.tables)
    tables.push_back({std::filesystem::path(t.file).filename().string(),
                      std::string(definition(t.collective).name), std::to_string(t.ranks),
                      std::to_string(t.points), percent(t.before), percent(t.after)});
  print_table(tables);
  if (!c.notes.empty()) std::cout << '\n';
  for (const std::string& words : c.notes) print_text(words + "\n");
}

/// Checks the platform, then writes it.
void write(const Json& platform, const CalibrateOptions& options) {
  const std::string text = platform_text(platform);
  parse_platform(text, options.output, options.output);
  write_file(options.output, text);
}

template <class Calibrated>
void tell(const Calibrated& calibrated, const CalibrateOptions& options) {
  if (options.format == Format::json)
    print_json(answer(calibrated, options));
  else if (options.format == Format::csv)
    print_csv(csv_rows(calibrated)), tell_beside(calibrated);
  else
    print_found(calibrated, options);
}

void run_calibrate(CalibrateOptions options) {
  const Description base = load_platform(options.base);
  if (options.policy.empty()) require_calibratable(base);
  if (!options.policy.empty() && options.ping_pong.run)
    throw InputError(
        "--policy takes tables of nccl-tests, which --run does not measure; leave one of them out");
  check_writable(options.output);
  if (options.ping_pong.run)
    options.files.push_back(measure_for_calibration(options.ping_pong, options.output + ".ping-pong.jsonl"));
  if (options.files.empty()) throw InputError("calibrate takes --from FILE, --run or both");
  std::vector<std::string> read;
  for (const std::string& file : options.files) read.push_back(parse_measurement_file(file).path);
  refuse_own_input(options.output, read, "a table");
  refuse_own_input(options.output, {options.base}, "the base");
  const DatedTables tables = read_tables(options.files, known(options));
  progress("fitting " + count(static_cast<std::int64_t>(tables.measured.size())) + " measurements");
  if (!options.policy.empty()) {
    const NcclCalibration calibration =
        calibrate_nccl(base, tables.measured, options.policy, tables.source());
    progress_end();
    write(calibration.platform, options);
    return tell(calibration, options);
  }
  const Calibration calibration = calibrate(base, tables.measured, tables.dates);
  progress_end();
  write(calibration.platform, options);
  tell(calibration, options);
}

/// Measuring first.
void add_run(CLI::App& verb, PingPongOptions& options) {
  CLI::Option* run =
      verb.add_flag("--run", options.run,
                    "First measures ping-pongs, bursts and fans, and keeps them in NEW.json.ping-pong.jsonl, "
                    "where an interrupted run resumes");
  verb.add_option("-s,--size", options.sizes, "With --run: message sizes (default 1 B to 16 MiB)")
      ->needs(run)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("S[,S...]");
  verb.add_option("--pairs", options.pairs, "With --run: pairs of ranks side by side (default 1)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(run)
      ->check(CLI::PositiveNumber)
      ->option_text("N[,N...]");
  verb.add_option("--window", options.window,
                  "With --run: also N messages at once, one way and both ways (default 0: none)")
      ->needs(run)
      ->check(CLI::NonNegativeNumber)
      ->option_text("N");
  verb.add_option(
          "--star", options.star,
          "With --run: number of ranks that exchange several messages at once: one to all others, all to "
          "one, and both ways (default 4, or as many as the command starts; 2: one pair; 0: none)")
      ->needs(run)
      ->check(CLI::Range(0, 4096))
      ->option_text("N");
  verb.add_option("command", options.command,
                  "With --run, after --: the launcher, as for validate, e.g. mpirun --hostfile h")
      ->needs(run);
}

}  // namespace

void add_calibrate(CLI::App& app, int&) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb =
      app.add_subcommand("calibrate", "Fits a platform to measured tables: point to point, or of nccl-tests");
  verb->add_option(
          "--from", options->files,
          "Tables: OSU latency, bandwidth and multi-pair output, p2pBandwidthLatencyTest, JSON lines. After "
          "a table's name comes what the table itself does not say: nodes=N, sockets=N, pairs=N, "
          "buffers=host|device|host-device|device-host")
      ->option_text("FILE[:KEY=VALUE,...]...");
  verb->add_option("--base", options->base, "The platform to start from: a name or a file")->required();
  verb->add_option("--policy", options->policy,
                   "Fits the costs of NCCL's software to tables that nccl-tests measured with this release, "
                   "e.g. nccl-2.18, or rccl-2.26")
      ->option_text("nccl-2.N|rccl-2.N");
  verb->add_option("-o,--output", options->output, "The platform file to write")
      ->required()
      ->option_text("NEW.json");
  verb->add_option("--nodes", options->nodes, "Number of nodes of the tables that do not say it")
      ->check(CLI::PositiveNumber);
  verb->add_option("--sockets", options->sockets, "2: the two ranks of one node were on different sockets")
      ->check(CLI::Range(1, 2));
  verb->add_option("--buffers", options->buffers, "Where the buffers were, for tables that do not say it");
  add_run(*verb, options->ping_pong);
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast calibrate --from latency.txt:nodes=2 bw.txt:nodes=2 --base edr-cluster -o "
      "mine.json\n"
      "         collcast calibrate --from one_node.txt two_nodes.txt --base abci-v --policy nccl-2.8 -o "
      "mine.json\n"
      "         collcast calibrate --run --base testbed -o bed.json -- mpirun --hostfile hosts\n"
      "         collcast predict allreduce --platform ./mine.json --ranks 16 --size 1MiB\n"
      "docs/calibration.md says what is fitted and how, docs/measurements.md which tables are read.");
  verb->callback([options] { run_calibrate(*options); });
}

}  // namespace collcast::cli
