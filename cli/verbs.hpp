// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace collcast::cli {

/// Each function adds one verb. The verb's callback prints the answer and leaves the exit code in
/// `exit_code`: 0, or 1 if the answer is "no".
void add_algorithms(CLI::App& app, int& exit_code);
void add_platforms(CLI::App& app, int& exit_code);
void add_prove(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_models(CLI::App& app, int& exit_code);
void add_job(CLI::App& app, int& exit_code);
void add_train(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_synthesize(CLI::App& app, int& exit_code);
void add_gap(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);

}  // namespace collcast::cli
