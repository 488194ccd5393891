// Makes the parts of the service, each after the parts that it uses, and stops them.
#include "harness/service/serve/service.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/housekeeping_threads.hpp"
#include "harness/service/net/http_server.hpp"
#include "harness/service/serve/access.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/machine_turn.hpp"

namespace graphbench::service {
namespace {

// Without the lock, a second service on the folder would mark the first one's running sweep as interrupted.
Descriptor lock_folder(const std::string& folder) {
  const std::string path = folder + "/lock";
  const bool made = mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
  Descriptor lock(made ? open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1);
  if (lock.get() < 0) {
    const std::string why = std::strerror(errno);
    throw InputError("--state", in_quotes(folder) + " cannot be used: " + why + ": give a writable folder");
  }
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(
        ErrorCode::io,
        "lock '" + path +
            "': another graphbench serve uses this folder: stop that service, or give another --state");
  }
  return lock;
}

constexpr std::size_t connections_max = 256;
// A supervisor restarts a service whose /healthz does not answer, which interrupts the running sweep.
constexpr std::size_t connections_kept = 8;
// Event streams stay open for hours. This limit leaves most connections for short requests.
constexpr std::size_t followers_max = 64;
// Fixes malloc's threshold for mmap. Otherwise malloc raises it to the size of freed blocks, and each thread
// keeps that much memory after a few large documents were sent.
constexpr int mmap_threshold_bytes = 128 * 1024;
// File descriptors that are no connections: standard streams, listening socket, database, lock, a sweep's
// pipes, and those of libraries.
constexpr rlim_t other_descriptors = 64;

RunnerSettings runner_settings(const ServiceSettings& settings) {
  RunnerSettings runner;
  runner.command = settings.sweep_command;
  runner.folder = std::filesystem::absolute(settings.state_folder);
  runner.baseline = settings.baseline;
  runner.plugins = settings.api.plugins;
  runner.steps = settings.api.steps;
  runner.turn_folder = turn_folder();
  runner.grace = std::chrono::milliseconds(static_cast<std::int64_t>(settings.grace_seconds * 1e3));
  return runner;
}

ServerSettings server_settings(const ServiceSettings& settings, measure::HousekeepingThreads& housekeeping,
                               const ComparisonTurn& turn) {
  ServerSettings server;
  server.address = settings.listen;
  server.tls = settings.tls;
  server.admit = make_admission(settings.api.access, settings.compare_bytes_max, turn);
  server.limits.connections_max = connections_max;
  server.limits.connections_kept = connections_kept;
  server.refuse = refusal;
  server.on_thread = [&housekeeping] { housekeeping.add_this_thread(); };
  return server;
}

}  // namespace

void run_service(const ServiceSettings& settings, const std::function<void(const ListenAddress&)>& until) {
  if (mallopt(M_MMAP_THRESHOLD, mmap_threshold_bytes) != 1) {
    throw Error(ErrorCode::internal, "set malloc's mmap threshold: mallopt() refused");
  }
  measure::HousekeepingThreads housekeeping;
  const Descriptor lock = lock_folder(settings.state_folder);
  SweepStore store(settings.state_folder + "/sweeps.sqlite");
  sweep::SweepMetrics metrics(settings.tool_version, settings.metrics_cells_max);
  ServiceMetrics service_metrics;
  SweepFeed feed(store, followers_max);
  SweepRunner runner(runner_settings(settings), {store, metrics, service_metrics, feed, housekeeping});
  ComparisonTurn turn;
  const HttpServer server(server_settings(settings, housekeeping, turn),
                          make_api(settings.api, {store, runner, feed, metrics, service_metrics, turn}));
  housekeeping.add_this_thread();
  until(server.address());
  // Stops the runner first: the grace period begins now, and not after the server's last answers.
  runner.stop();
}

void raise_descriptor_limit() {
  constexpr rlim_t needed = connections_max + other_descriptors;
  rlimit limit{};
  const auto fails = [&](const std::string& why) {
    throw Error(ErrorCode::io,
                "raise the limit of file descriptors to " + std::to_string(needed) + ": " + why);
  };
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fails(std::strerror(errno));
  if (limit.rlim_max < needed) {
    fails("this process may have " + std::to_string(limit.rlim_max) +
          " at most: raise its hard limit (ulimit -Hn)");
  }
  limit.rlim_cur = std::max(limit.rlim_cur, needed);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fails(std::strerror(errno));
}

}  // namespace graphbench::service
