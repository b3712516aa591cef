// SPDX-License-Identifier: Apache-2.0
// Messages per second of the players, with SimGrid and with our own solver, beside hand-written S4U programs
// of the same traffic: a ring allreduce on a star. Each run is a process of its own; runs alternate; medians
// are compared.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "engines/contention/contention.hpp"
#include "engines/contention/steady.hpp"
#include "engines/simgrid/physics.hpp"
#include "engines/simgrid/simulate.hpp"
#include "model/lowering.hpp"
#include "model/repeats.hpp"

namespace {

namespace s4u = simgrid::s4u;
using namespace collcast;

constexpr double bandwidth = 12.5e9, latency = 1e-6, chunk = 65536;  // B/s, s per link, B

struct Load {
  int ranks, steps;
  long messages() const { return static_cast<long>(ranks) * steps; }
};

/// CPU seconds of the simulation alone, and the simulated time.
struct Run {
  double cpu, simulated;
};

double cpu_now() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::vector<s4u::Host*> star(int ranks) {
  xbt_log_control_set("root.thres:critical");
  for (const Physics& p : physics())
    if (p.key != "network/weight-S")  // we never give SimGrid a latency
      s4u::Engine::set_config(p.key + ":" + p.value);
  auto* zone = s4u::create_star_zone("star");
  std::vector<s4u::Host*> hosts;
  for (int r = 0; r < ranks; ++r) {
    auto* host = zone->create_host("h" + std::to_string(r), 1e9);
    auto* up = zone->create_link("up" + std::to_string(r), bandwidth)->set_latency(latency);
    auto* down = zone->create_link("down" + std::to_string(r), bandwidth)->set_latency(latency);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(up)}, false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(down)}, false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

/// Without actors: a rank's next message starts when its own last message and its predecessor's are done.
Run by_callbacks(Load load) {
  s4u::Engine engine("callbacks");
  const auto hosts = star(load.ranks);
  const auto n = static_cast<std::size_t>(load.ranks);
  std::vector<s4u::CommPtr> live(n);
  std::vector<int> step(n, 0), left(n, 2);
  auto launch = [&](std::size_t r) {
    auto c = s4u::Comm::sendto_init();
    c->set_payload_size(static_cast<std::uint64_t>(chunk));
    c->set_data(reinterpret_cast<void*>(r + 1));
    live[r] = c;
    c->set_source(hosts[r])->set_destination(hosts[(r + 1) % n]);
  };
  auto done = [&](std::size_t r) {
    if (--left[r] > 0) return;
    left[r] = 2;
    if (++step[r] < load.steps) launch(r);
  };
  s4u::Activity::on_completion_cb([&](const s4u::Activity& a) {
    const auto r = reinterpret_cast<std::size_t>(a.get_data<void>()) - 1;
    done(r);
    done((r + 1) % n);
  });
  const double begin = cpu_now();
  for (std::size_t r = 0; r < n; ++r) launch(r);
  engine.run();
  return {cpu_now() - begin, s4u::Engine::get_clock()};
}

/// With one actor per rank.
Run by_actors(Load load) {
  s4u::Engine engine("actors");
  const auto hosts = star(load.ranks);
  static char payload;
  for (int r = 0; r < load.ranks; ++r)
    s4u::Actor::create("r", hosts[static_cast<std::size_t>(r)], [load, r] {
      auto* in = s4u::Mailbox::by_name(std::to_string(r));
      auto* out = s4u::Mailbox::by_name(std::to_string((r + 1) % load.ranks));
      for (int s = 0; s < load.steps; ++s) {
        char* got = nullptr;
        auto receive = in->get_async<char>(&got);
        auto send = out->put_async(&payload, static_cast<std::uint64_t>(chunk));
        receive->wait();
        send->wait();
      }
    });
  const double begin = cpu_now();
  engine.run();
  return {cpu_now() - begin, s4u::Engine::get_clock()};
}

Schedule ring(Load load) {
  const Rank p = load.ranks;
  return {p, p, load.steps, [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              const auto block = ((r - s) % p + p) % p;
              step.send(r, (r + 1) % p, {block, 1}, s < p - 1 ? Combine::reduce : Combine::copy);
            }
          }};
}

UniformFabric fabric_of(Load load) {
  return {AlphaBetaGamma{Seconds(2 * latency), SecondsPerByte(1 / bandwidth), SecondsPerByte(0)}, load.ranks};
}

/// Calls `play` with the program, the fabric, and how to play.
template <class Play>
Run by_player(Load load, Play play) {
  const UniformFabric fabric = fabric_of(load);
  const Schedule schedule = ring(load);
  const auto ring_program = program(schedule, Layout::equal(Bytes(chunk * load.ranks), schedule.blocks));
  const double begin = cpu_now();
  const Result result = play(*ring_program, fabric, PlayOptions{.here = true});
  return {cpu_now() - begin, result.time.value};
}

template <BySimgrid flows>
Run by_simgrid(Load load) {
  return by_player(load, [](Program& program, const Fabric& fabric, const PlayOptions& options) {
    return simulate(program, fabric, options, flows);
  });
}

/// Plays the schedule as `predict` does when its steps repeat.
Run until_steady(Load load) {
  const UniformFabric fabric = fabric_of(load);
  const Schedule schedule = repeating(ring(load), {{0, load.steps}});
  const double begin = cpu_now();
  const auto result =
      contend_until_steady(schedule, Layout::equal(Bytes(chunk * load.ranks), schedule.blocks), fabric);
  if (!result) std::exit(3);
  return {cpu_now() - begin, result->time.value};
}

Run in_process_of_its_own(const std::function<Run(Load)>& program, Load load) {
  std::fflush(stdout);
  int fds[2];
  if (pipe(fds) != 0) std::exit(3);
  const pid_t pid = fork();
  Run run{};
  if (pid == 0) {
    run = program(load);
    _exit(write(fds[1], &run, sizeof run) == sizeof run ? 0 : 1);
  }
  close(fds[1]);
  const bool read_all = read(fds[0], &run, sizeof run) == sizeof run;
  close(fds[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!read_all || status != 0) std::exit(3);
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  struct Program {
    const char* name;
    std::function<Run(Load)> run;
  };
  const std::vector<Program> programs = {{"S4U callbacks", by_callbacks},
                                         {"S4U actors", by_actors},
                                         {"player, all flows in SimGrid", by_simgrid<BySimgrid::all>},
                                         {"player", by_simgrid<BySimgrid::meeting>},
                                         {"player, our solver", [](Load t) { return by_player(t, contend); }},
                                         {"our solver, until steady", until_steady}};
  for (const Load load : {Load{64, 2000}, Load{256, 510}, Load{1024, 150}}) {
    std::vector<std::vector<double>> rates(programs.size());
    std::vector<double> simulated(programs.size());
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < programs.size(); ++i) {
        const Run run = in_process_of_its_own(programs[i].run, load);
        rates[i].push_back(static_cast<double>(load.messages()) / run.cpu);
        simulated[i] = run.simulated;
      }
    std::vector<double> median;
    for (auto& r : rates) {
      std::sort(r.begin(), r.end());
      median.push_back(r[r.size() / 2]);
    }
    const double best = std::max(median[0], median[1]);
    for (std::size_t i = 0; i < programs.size(); ++i)
      std::printf(
          "%5d ranks  %8ld messages  %-30s %9.0f messages/s  %5.2f of the best S4U  %.9f s simulated\n",
          load.ranks, load.messages(), programs[i].name, median[i], median[i] / best, simulated[i]);
  }
}
