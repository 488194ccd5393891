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

net::ListenAddress listen_address(const std::string& text, bool has_token) {
  const std::optional<net::ListenAddress> address = net::parse_listen_address(text);
  if (!address) {
    throw InputError("--listen", in_quotes(text) + " is not ADDR:PORT: give e.g. 127.0.0.1:9464");
  }
  if (!address->loopback && !has_token) {
    throw InputError("--listen",
                     in_quotes(text) + " can be reached from other machines: give --token-file too");
  }
  return *address;
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

}  // namespace

int serve_command(const Arguments& arguments) {
  serve::ServiceSettings settings;
  settings.token = read_token(arguments.serve.token_file);
  settings.listen = listen_address(arguments.serve.listen, !settings.token.empty());
  settings.state_folder = arguments.serve.state;
  settings.grace_seconds = arguments.serve.grace_seconds;
  settings.baseline =
      publish::Baseline::open({arguments.serve.baseline, arguments.serve.against, arguments.serve.history});
  settings.sweep_command = sweep::own_command("--served-sweep");
  settings.tool_version = GRAPHBENCH_VERSION;
  settings.devices = list_devices();
  // Before any thread starts: all of them leave these two to the wait below.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  if (pthread_sigmask(SIG_BLOCK, &stop, nullptr) != 0) throw Error(ErrorCode::io, "block signals");
  {
    const serve::Service service(std::move(settings));
    std::fprintf(stderr, "graphbench: serving http://%s\n", service.address().text().c_str());
    int signal = 0;
    if (sigwait(&stop, &signal) != 0) throw Error(ErrorCode::io, "wait for signals");
    std::fprintf(stderr, "graphbench: stopping\n");
  }
  return exit_done;
}

}  // namespace graphbench::cli
