// Runs graphbench serve: checks its options, serves until a signal, and stops within --grace.
#include "harness/options/command.hpp"

#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "graphbench_version.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/numbers.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/serve/service.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::service {
namespace {

constexpr std::size_t token_bytes_min = 16;
constexpr std::size_t token_file_bytes_max = std::size_t{1} << 20;
// Bounds of the time that a plugin process may be silent, while a client or a stopping service waits for it.
constexpr double plugin_silent_seconds_min = 1;
constexpr double plugin_silent_seconds_max = 10;

double grace_of(const std::string& text) {
  const std::optional<double> seconds = options::parse_real(text);
  if (seconds && *seconds >= 0 && *seconds <= 3600) return *seconds;
  throw InputError("--grace", in_quotes(text) + " is not valid: give seconds, 0 to 3600");
}

// Erases the variable from the environment and /proc: sweeps run plugins, which must not learn the token.
std::optional<std::string> take_token_variable() {
  char* const given = std::getenv("GRAPHBENCH_TOKEN");
  if (given == nullptr) return std::nullopt;
  std::string token = given;
  explicit_bzero(given, token.size());
  if (unsetenv("GRAPHBENCH_TOKEN") != 0)
    throw Error(ErrorCode::io, "remove GRAPHBENCH_TOKEN from the environment");
  return token;
}

// Removes blanks and line ends after the token. Refuses a token that clients cannot send, or that is short.
std::string checked_token(std::string token, const std::string& where) {
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  if (std::ranges::any_of(token, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    throw InputError(where,
                     "the token has spaces or control characters: give a printable token, "
                     "e.g. from openssl rand -hex 32");
  }
  if (token.size() < token_bytes_min) {
    throw InputError(where,
                     "the token is too short: give at least 16 characters, e.g. from openssl rand -hex 32");
  }
  return token;
}

// Reads the token from the file or, without a file, from GRAPHBENCH_TOKEN; empty without both. The command
// line must not have the token, because other users can see it.
std::string read_token(const std::string& path) {
  const std::optional<std::string> given = take_token_variable();
  if (path.empty()) return given ? checked_token(*given, "GRAPHBENCH_TOKEN") : "";
  const WholeFile file = read_whole_file(path, token_file_bytes_max);
  if (!file.why_not.empty())
    throw InputError("--token-file",
                     in_quotes(path) + " " + file.why_not + ": give a file whose first line is the token");
  return checked_token(file.text.substr(0, file.text.find('\n')), "--token-file");
}

ListenAddress listen_address(const std::string& text, const Access& access) {
  const std::optional<ListenAddress> address = parse_listen_address(text);
  if (!address) {
    throw InputError("--listen", in_quotes(text) + " is not ADDR:PORT: give e.g. 127.0.0.1:9464");
  }
  if (!address->loopback && access.token.empty()) {
    throw InputError("--listen",
                     in_quotes(text) + " can be reached from other machines: give --token-file too");
  }
  return *address;
}

std::shared_ptr<TlsContext> read_tls(const options::TlsOptions& options) {
  return check_tls(options, [](const std::string& name) { return "--" + name; });
}

// Blocks SIGHUP too, which must not end this service: supervisors send SIGHUP so that files are read again.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  // nohup makes a process ignore SIGHUP, and sigwait never returns an ignored signal.
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
  options::SweepOptions options;
  options.places["plugin"] = "plugins";  // the name of the key in requests
  return sweep::ask_probe(supervisor, {process::own_command(options::probe_role), silent_seconds_max},
                          request, options);
}

// Loads plugins in a separate process, because a plugin may crash its process.
WorkloadCatalog::Ask asker(double grace_seconds) {
  const double silent_max = std::clamp(grace_seconds, plugin_silent_seconds_min, plugin_silent_seconds_max);
  return [silent_max](const std::vector<std::string>& plugin_files) {
    return ask({.plugins = plugin_files, .list_workloads = true}, silent_max).catalog.workloads;
  };
}

void describe_machine(ServiceSettings& settings) {
  sweep::ProbeAnswer answer =
      ask({.list_devices = true, .list_workloads = true}, sweep::ProbeSettings{}.silent_seconds_max);
  settings.api.devices = std::move(answer.devices);
  settings.api.workloads =
      WorkloadCatalog(std::move(answer.catalog.workloads), asker(settings.grace_seconds));
}

int serve_until_stopped(const ServiceSettings& settings) {
  const char* scheme = settings.tls ? "https" : "http";
  // Blocks signals before any thread starts: all threads inherit the mask, and sigwait gets the signals.
  const sigset_t signals = block_signals();
  run_service(settings, [&](const ListenAddress& address) {
    complain("serving %s://%s", scheme, address.text().c_str());
    bool warned = false;
    while (wait_for_signal(signals) == SIGHUP) {
      if (std::exchange(warned, true)) continue;
      complain("SIGHUP changes nothing: restart the service to read files again");
    }
    complain("stopping");
  });
  return model::exit_done;
}

class ServeCommand final : public options::Command {
 public:
  explicit ServeCommand(options::Options& options) {
    const auto text = [&](const char* name, std::string& target, const char* placeholder, const char* help) {
      options.text(name, target, placeholder, help, options::Options::Empty::allowed);
    };
    text("--listen", listen_, "ADDR:PORT", "the address to serve at (default: 127.0.0.1:9464)");
    text("--state", settings_.state_folder, "DIR",
         "folder for sweeps and their results (default: graphbench-state)");
    text("--token-file", token_file_, "FILE", "require the bearer token in the first line of this file");
    text("--baseline", baseline_.path, "FILE",
         "compare each sweep with this result, or folder of results, and publish the comparison");
    text("--against", baseline_.against, "NAME",
         "use the history's latest result of this branch, label or commit as --baseline");
    text("--history", baseline_.history, "FILE", "the history file for --against");
    text("--tls-certificate", tls_.certificate, "FILE.pem",
         "serve https with this file: the certificate, then its chain");
    text("--tls-key", tls_.key, "FILE.pem", "the certificate's key");
    text("--plugin-folder", plugin_folder_, "DIR",
         "folder of plugins that requests may name (default: none)");
    text("--torch-folder", torch_folder_, "DIR",
         "folder of PyTorch steps that requests may name, as workload FILE:FUNCTION (default: none)");
    text("--compare-mib", compare_mib_, "N", "maximum size of a comparison request, in MiB (default: 64)");
    text("--metrics-cells", metrics_cells_, "N",
         "maximum number of cells on /metrics; those measured longest ago fall out (default: 10000)");
    text("--grace", grace_, "SECONDS",
         "maximum time that a running sweep may take to stop when the service ends or a client cancels it "
         "(default: 10)");
  }

  void check() override {
    if (!compare_mib_.empty()) {
      const std::int64_t mib = options::parse_within("--compare-mib", compare_mib_, {1, 1024},
                                                     " is not valid: give a whole number, ");
      settings_.compare_bytes_max = static_cast<std::uint64_t>(mib) * 1024 * 1024;
    }
    if (!metrics_cells_.empty()) {
      settings_.metrics_cells_max = static_cast<std::size_t>(options::parse_within(
          "--metrics-cells", metrics_cells_, {1, 1'000'000}, " is not valid: give a whole number, "));
    }
    if (!grace_.empty()) settings_.grace_seconds = grace_of(grace_);
  }

  int run(const options::Invocation&) override {
    settings_.api.access = {read_token(token_file_)};
    settings_.tls = read_tls(tls_);
    settings_.listen = listen_address(listen_, settings_.api.access);
    settings_.api.plugins = CodeFolder(CodeKind::plugin, plugin_folder_);
    settings_.api.steps = CodeFolder(CodeKind::step, torch_folder_);
    settings_.baseline = Baseline::open(baseline_);
    raise_descriptor_limit();
    ::umask(S_IRWXG | S_IRWXO);
    settings_.sweep_command = process::own_command(options::served_role);
    settings_.tool_version = GRAPHBENCH_VERSION;
    describe_machine(settings_);
    return serve_until_stopped(settings_);
  }

 private:
  ServiceSettings settings_;
  BaselineOptions baseline_;
  options::TlsOptions tls_;
  std::string listen_ = "127.0.0.1:9464";
  std::string token_file_;
  std::string plugin_folder_;  // empty: requests name no plugins
  std::string torch_folder_;   // empty: requests name no steps
  std::string compare_mib_;    // as written; empty: the default
  std::string metrics_cells_;  // likewise
  std::string grace_;
};

}  // namespace

std::unique_ptr<options::Command> make_serve(options::Options& options) {
  return std::make_unique<ServeCommand>(options);
}

}  // namespace graphbench::service
