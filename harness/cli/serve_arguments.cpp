// CLI11 keeps them as text; the numbers are checked here.
#include "harness/cli/serve_arguments.hpp"

#include <CLI/CLI.hpp>

#include "harness/config/numbers.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::cli {
namespace {

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t min,
                          std::int64_t max) {
  const config::ParsedInteger number = config::parse_integer(text);
  if (number.fault == config::NumberFault::none && number.value >= min && number.value <= max)
    return number.value;
  throw InputError(option, in_quotes(text) + " will not do: give a whole number, " + std::to_string(min) +
                               " to " + std::to_string(max));
}

}  // namespace

CLI::App& add_serve(CLI::App& app, ServeArguments& serve) {
  CLI::App& command = *app.add_subcommand("serve", "run sweeps on request, over HTTP");
  command.allow_extras();
  const auto text = [&command](const char* name, std::string& value, const char* type, const char* help) {
    command.add_option(name, value, help)->type_name(type)->type_size(1)->expected(1);
  };
  text("--listen", serve.listen, "ADDR:PORT", "where (default: 127.0.0.1:9464)");
  text("--state", serve.state, "DIR", "where sweeps are kept (default: graphbench-state)");
  text("--token-file", serve.token_file, "FILE", "ask for the bearer token that stands in it");
  text("--baseline", serve.baseline, "FILE",
       "publish how each sweep compares with this result, or folder of results");
  text("--against", serve.against, "NAME",
       "instead of --baseline: the latest of this branch, label or commit in the history");
  text("--history", serve.history, "FILE", "the history's file, for --against");
  text("--tls-certificate", serve.tls.certificate, "FILE.pem",
       "serve https, with this certificate and what leads to its root");
  text("--tls-key", serve.tls.key, "FILE.pem", "its key");
  text("--tls-client-ca", serve.tls.client_ca, "FILE.pem",
       "ask clients for a certificate that one of these signed");
  text("--plugin-folder", serve.plugin_folder, "DIR", "let requests name the plugins in it (default: none)");
  text("--compare-mib", serve.compare_mib, "N", "the longest body of a comparison, in MiB (default: 64)");
  text("--grace", serve.grace, "SECONDS", "how long a sweep may take to stop (default: 10)");
  text("--connections-max", serve.connections_max, "N", "clients at once, 16 to 65536 (default: 2048)");
  return command;
}

void check_serve(ServeArguments& serve) {
  if (!serve.compare_mib.empty()) {
    serve.compare_bytes_max = whole_number("--compare-mib", serve.compare_mib, 1, 1024) * 1024 * 1024;
  }
  if (!serve.connections_max.empty()) {
    serve.connections =
        static_cast<std::size_t>(whole_number("--connections-max", serve.connections_max, 16, 65536));
  }
  if (serve.grace.empty()) return;
  const std::optional<double> seconds = config::parse_real(serve.grace);
  if (!seconds || *seconds < 0 || *seconds > 3600) {
    throw InputError("--grace", in_quotes(serve.grace) + " will not do: give seconds, 0 to 3600");
  }
  serve.grace_seconds = *seconds;
}

}  // namespace graphbench::cli
