// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/verbs.hpp"
#include "support/error.hpp"

namespace {

constexpr int bad_input = 2, substrate_failed = 3;

/// "error: what", on one line, and the exit code that belongs to it.
int report(const std::string& what, int code) {
  std::cerr << "collcast: " << what << '\n';
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{"Forecasts how long collective communication takes, and what it does to an application.",
               "collcast"};
  app.require_subcommand(1);
  app.set_version_flag("--version", COLLCAST_VERSION);
  int exit_code = 0;
  for (auto add : {collcast::cli::add_algorithms, collcast::cli::add_platforms, collcast::cli::add_prove,
                   collcast::cli::add_predict, collcast::cli::add_export, collcast::cli::add_inspect,
                   collcast::cli::add_convert, collcast::cli::add_replay, collcast::cli::add_compare,
                   collcast::cli::add_record, collcast::cli::add_validate, collcast::cli::add_calibrate})
    add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const auto verbs = app.get_subcommands();
    const std::string verb = verbs.empty() ? "" : " " + verbs[0]->get_name();
    return report(std::string(e.what()) + "; see collcast" + verb + " --help", bad_input);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const collcast::InputError& e) {
    return report(e.what(), bad_input);
  } catch (const std::exception& e) {
    return report(e.what(), substrate_failed);
  }
}
