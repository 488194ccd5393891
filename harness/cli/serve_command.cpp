// graphbench serve: checks its options, serves until a signal, and stops within the grace.
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/config/input_error.hpp"
#include "harness/publish/tls_settings.hpp"
#include "harness/serve/descriptor_room.hpp"
#include "harness/serve/service.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::cli {
namespace {

using config::in_quotes;
using config::InputError;

constexpr std::size_t token_bytes_min = 16;
constexpr double probe_silent_seconds_max = 120;

// From the file, else from GRAPHBENCH_TOKEN; never from the command line, which others can see.
std::string read_token(const std::string& path) {
  std::string token;
  std::string where = "GRAPHBENCH_TOKEN";
  if (!path.empty()) {
    where = "--token-file";
    std::ifstream file(path);
    if (!std::getline(file, token)) {
      throw InputError(where, in_quotes(path) + " cannot be read: give a file whose first line is the token");
    }
  } else if (const char* given = std::getenv("GRAPHBENCH_TOKEN"); given != nullptr) {
    token = given;
  } else {
    return "";
  }
  if (token.size() < token_bytes_min) {
    throw InputError(where, "the token is short: give at least 16 characters, e.g. of openssl rand -hex 32");
  }
  return token;
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

sigset_t block_signals(bool hang_up_too) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (hang_up_too) {
    sigaddset(&signals, SIGHUP);
    // nohup has it ignored: it would never come.
    if (std::signal(SIGHUP, SIG_DFL) == SIG_ERR) throw Error(ErrorCode::io, "take SIGHUP");
  }
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) throw Error(ErrorCode::io, "block signals");
  return signals;
}

// Asked once, before anything is measured: it opens the devices, in a process of its own.
std::vector<serve::ListedDevice> list_devices() {
  sweep::ProcessSupervisor supervisor;
  sweep::ProbeRequest request;
  request.list_devices = true;
  const sweep::ProbeSettings probe{sweep::own_command("--probe"), probe_silent_seconds_max};
  std::vector<serve::ListedDevice> devices;
  for (const DeviceStatus& each : sweep::ask_probe(supervisor, probe, request, {}).devices) {
    devices.push_back({each.id, each.available, each.detail, each.advice});
  }
  return devices;
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
  settings.sweep_command = sweep::own_command("--served-sweep");
  settings.tool_version = GRAPHBENCH_VERSION;
  settings.devices = list_devices();
  const char* scheme = settings.tls ? "https" : "http";
  // Before any thread starts: all of them leave these to the wait below.
  const sigset_t signals = block_signals(settings.tls != nullptr);
  {
    serve::Service service(std::move(settings));
    std::fprintf(stderr, "graphbench: serving %s://%s\n", scheme, service.address().text().c_str());
    int signal = SIGHUP;
    while (signal == SIGHUP) {
      if (sigwait(&signals, &signal) != 0) throw Error(ErrorCode::io, "wait for signals");
      if (signal == SIGHUP) renew_tls(service, tls);
    }
    std::fprintf(stderr, "graphbench: stopping\n");
  }
  return exit_done;
}

}  // namespace graphbench::cli
