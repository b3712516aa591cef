// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/exchange/point/point.hpp"
#include "support/json.hpp"
#include "validation/campaign/campaign.hpp"

namespace collcast::report {

/// A collective alone, and beside a computation of so many seconds.
struct Hiding {
  double pure_s = 0, compute_s = 0;
  /// The share of the collective that is hidden if both together take `total_s`.
  double share(double total_s) const;
};

/// The predictions and the measurement of one point in a campaign's folder.
struct Result {
  Point point;
  std::map<std::string, double> predicted_s;  ///< by predictor
  double measured_s = 0, low_s = 0, high_s = 0;
  int repetitions = 0, late_starts = 0;
  bool checked = false;
  std::optional<Hiding> measured_hiding, predicted_hiding;  ///< if the times are of both together
  std::size_t folder = 0;

  /// Signed and relative: (predicted - measured) / measured.
  double error(const std::string& predictor) const {
    return (predicted_s.at(predictor) - measured_s) / measured_s;
  }
  /// Predicted - measured share that is hidden.
  double overlap_error(const std::string& predictor) const {
    return predicted_hiding->share(predicted_s.at(predictor)) - measured_hiding->share(measured_s);
  }
};

/// Who predicted, and in which role: "engine", "control" or "peer".
struct NamedPredictor {
  std::string name, role, what;
};

/// The folders of one or more campaigns, read together.
struct Results {
  std::vector<std::string> folders, descriptions;
  std::vector<NamedPredictor> predictors;
  std::vector<Result> all;                                      ///< measured points only
  std::size_t unmeasured = 0;                                   ///< predicted, but not measured (yet)
  std::vector<std::map<std::string, campaign::Bounds>> bounds;  ///< of each folder, by engine
  Json provenance;  ///< of each folder's first measurement; {} if there is none
};

/// The last part of a folder's path.
std::string folder_name(const Results& results, std::size_t folder);

/// Throws InputError with file and line.
Results read_results(const std::vector<std::filesystem::path>& folders);

/// How good a predictor is over some results.
struct Errors {
  std::size_t points = 0;
  double mean_absolute = 0, mean = 0;
  double mean_factor = 0;  ///< exp(mean |ln(predicted / measured)|) - 1
  double worst = 0;        ///< signed
  const Result* worst_of = nullptr;
  double worst_overlap = 0;  ///< signed; 0 if none was measured
};
Errors errors(const std::vector<const Result*>& results, const std::string& predictor);

/// Whether an engine keeps its bounds, in one folder or over all of them; folders with equal bounds are taken
/// together. Nothing if it has no bounds.
std::optional<bool> keeps_bounds(const Results& results, const std::string& engine,
                                 std::optional<std::size_t> folder = {});

/// Results of one algorithm and size that are predicted to take equally long on any number of ranks, within 2
/// %.
struct Flat {
  std::vector<const Result*> results;
  double spread() const;  ///< of measured times: longest / shortest - 1
};
std::vector<Flat> flat(const Results& results, const std::string& engine);
std::vector<Flat> flat(Results&&, const std::string&) = delete;  // the answer points into the results

/// Results with an algorithm of the catalogue.
std::vector<const Result*> predicted(const Results& results);

/// What it costs to trust the prediction of an engine when an algorithm is chosen.
struct Regret {
  std::size_t folder = 0;
  Collective collective{};
  Rank ranks = 0;
  Bytes message;
  std::string picked, best;  ///< by prediction, and by measurement
  double picked_s = 0, best_s = 0;
  std::optional<double> library_s;  ///< the MPI library's own collective
  double regret() const { return picked_s / best_s - 1; }
};
/// The regret for each folder, collective, number of ranks and size that was measured with two algorithms or
/// more.
std::vector<Regret> regrets(const Results& results, const std::string& engine);

}  // namespace collcast::report
