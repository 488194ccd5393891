// graphbench serve: checks its options, serves until a signal, and stops within the grace.
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/model/input_error.hpp"
#include "harness/service/publish/tls_settings.hpp"
#include "harness/service/serve/descriptor_room.hpp"
#include "harness/service/serve/service.hpp"
#include "harness/service/serve/steady_heap.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::cli {
namespace {

constexpr std::size_t token_bytes_min = 16;
constexpr double probe_silent_seconds_max = 120;
// A client waits, and so does a service that stops.
constexpr double plugin_silent_seconds_min = 1;
constexpr double plugin_silent_seconds_max = 10;

// Takes the variable out of the environment, also of what /proc shows of it: sweeps run plugins, which need
// not know the token.
std::optional<std::string> take_token_variable() {
  char* const given = std::getenv("GRAPHBENCH_TOKEN");
  if (given == nullptr) return std::nullopt;
  std::string token = given;
  explicit_bzero(given, token.size());
  if (unsetenv("GRAPHBENCH_TOKEN") != 0)
    throw Error(ErrorCode::io, "take GRAPHBENCH_TOKEN out of the environment");
  return token;
}

// A line's end, whichever system's, is no part of a token; what no client could send is a wrong file.
std::string checked_token(std::string token, const std::string& where) {
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  if (std::ranges::any_of(token, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    throw InputError(where,
                     "the token holds spaces or control characters: give printable ones, "
                     "e.g. of openssl rand -hex 32");
  }
  if (token.size() < token_bytes_min) {
    throw InputError(where, "the token is short: give at least 16 characters, e.g. of openssl rand -hex 32");
  }
  return token;
}

// From the file, else from GRAPHBENCH_TOKEN; never from the command line, which others can see.
std::string read_token(const std::string& path) {
  const std::optional<std::string> given = take_token_variable();
  if (path.empty()) return given ? checked_token(*given, "GRAPHBENCH_TOKEN") : "";
  std::string token;
  std::ifstream file(path);
  if (!std::getline(file, token)) {
    throw InputError("--token-file",
                     in_quotes(path) + " cannot be read: give a file whose first line is the token");
  }
  return checked_token(token, "--token-file");
}

net::ListenAddress listen_address(const std::string& text, const serve::Access& access) {
  const std::optional<net::ListenAddress> address = net::parse_listen_address(text);
  if (!address) {
    throw InputError("--listen", in_quotes(text) + " is not ADDR:PORT: give e.g. 127.0.0.1:9464");
  }
  if (!address->loopback && access.token.empty() && !access.certificates) {
    throw InputError(
        "--listen",
        in_quotes(text) + " can be reached from other machines: give --token-file or --tls-client-ca too");
  }
  return *address;
}

std::shared_ptr<net::TlsContext> read_tls(const config::TlsOptions& options) {
  return publish::check_tls(options, [](const std::string& name) { return "--" + name; });
}

// Certificates are renewed while sweeps run: files that will not do leave the old ones in place.
void renew_tls(serve::Service& service, const config::TlsOptions& options) {
  try {
    service.set_tls(read_tls(options));
    std::fprintf(stderr, "graphbench: new connections get the certificate as it is now\n");
  } catch (const InputError& error) {
    std::fprintf(stderr, "graphbench: warning: the old certificate stays: %s\n", error.what());
  }
}

// SIGHUP renews certificates or does nothing: supervisors send it to have files read again.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  // nohup has it ignored: it would never come.
  if (std::signal(SIGHUP, SIG_DFL) == SIG_ERR) throw Error(ErrorCode::io, "take SIGHUP");
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) throw Error(ErrorCode::io, "block signals");
  return signals;
}

int wait_for_signal(const sigset_t& signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) != 0) throw Error(ErrorCode::io, "wait for signals");
  return signal;
}

sweep::ProbeAnswer ask(const sweep::ProbeRequest& request, double silent_seconds_max) {
  process::ProcessSupervisor supervisor;
  config::SweepOptions options;
  options.places["plugin"] = "plugins";  // as requests name it
  return sweep::ask_probe(supervisor, {process::own_command("--probe"), silent_seconds_max}, request,
                          options);
}

// With plugins', in a process that they may crash.
serve::WorkloadCatalog::Ask asker(double grace_seconds) {
  const double silent_max = std::clamp(grace_seconds, plugin_silent_seconds_min, plugin_silent_seconds_max);
  return [silent_max](const std::vector<std::string>& plugin_files) {
    sweep::ProbeRequest request;
    request.list_workloads = true;
    request.plugins = plugin_files;
    return ask(request, silent_max).workloads;
  };
}

// Asked once, before anything is measured: it opens the devices, in a process of its own.
void describe_machine(serve::ServiceSettings& settings) {
  sweep::ProbeRequest request;
  request.list_devices = true;
  request.list_workloads = true;
  sweep::ProbeAnswer answer = ask(request, probe_silent_seconds_max);
  for (const DeviceStatus& each : answer.devices) {
    settings.devices.push_back({each.id, each.available, each.detail, each.advice});
  }
  settings.workloads = serve::WorkloadCatalog(std::move(answer.workloads), asker(settings.grace_seconds));
}

// The option is a promise, which is kept or refused; the default is what fits.
std::size_t connections_that_fit(const ServeArguments& serve) {
  const std::size_t fit = serve::make_descriptor_room(serve.connections);
  if (fit == serve.connections) return fit;
  const std::string room = "file descriptors for " + std::to_string(fit) + " clients";
  const std::string advice = "raise the hard limit (ulimit -Hn)";
  if (!serve.connections_max.empty()) {
    throw InputError("--connections-max", in_quotes(serve.connections_max) + " will not do: there are " +
                                              room + ": give fewer, or " + advice);
  }
  std::fprintf(stderr, "graphbench: warning: there are %s: to serve %zu, %s\n", room.c_str(),
               serve.connections, advice.c_str());
  return fit;
}

}  // namespace

int serve_command(const Arguments& arguments) {
  serve::make_heap_steady();
  serve::ServiceSettings settings;
  const config::TlsOptions& tls = arguments.serve.tls;
  settings.access = {read_token(arguments.serve.token_file), !tls.client_ca.empty()};
  settings.tls = read_tls(tls);
  settings.listen = listen_address(arguments.serve.listen, settings.access);
  settings.plugins = serve::PluginFolder(arguments.serve.plugin_folder);
  settings.compare_bytes_max = static_cast<std::uint64_t>(arguments.serve.compare_bytes_max);
  settings.state_folder = arguments.serve.state;
  settings.grace_seconds = arguments.serve.grace_seconds;
  settings.baseline =
      publish::Baseline::open({arguments.serve.baseline, arguments.serve.against, arguments.serve.history});
  settings.connections_max = connections_that_fit(arguments.serve);
  settings.sweep_command = process::own_command("--served-sweep");
  settings.tool_version = GRAPHBENCH_VERSION;
  describe_machine(settings);
  const char* scheme = settings.tls ? "https" : "http";
  // Before any thread starts: all of them leave these to the wait below.
  const sigset_t signals = block_signals();
  const bool renews = settings.tls != nullptr;
  {
    serve::Service service(std::move(settings));
    std::fprintf(stderr, "graphbench: serving %s://%s\n", scheme, service.address().text().c_str());
    bool said = false;
    while (wait_for_signal(signals) == SIGHUP) {
      if (renews) {
        renew_tls(service, tls);
      } else if (!std::exchange(said, true)) {
        std::fprintf(stderr, "graphbench: SIGHUP changes nothing: there is no certificate to read again\n");
      }
    }
    std::fprintf(stderr, "graphbench: stopping\n");
  }
  return exit_done;
}

}  // namespace graphbench::cli
