// The options of `graphbench serve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/config/options.hpp"

namespace CLI {
class App;
}

namespace graphbench::cli {

struct ServeArguments {
  std::string listen = "127.0.0.1:9464";
  std::string state = "graphbench-state";
  std::string token_file;  // empty: none
  std::string baseline;    // empty: none
  std::string against;     // instead of it, a name in the history
  std::string history;     // the history's file
  config::TlsOptions tls;
  std::string plugin_folder;  // empty: requests name no plugins
  std::string compare_mib;    // as written; empty: the default
  std::int64_t compare_bytes_max = 64 * 1024 * 1024;
  std::string grace;  // as written; empty: the default
  double grace_seconds = 10;
  std::string connections_max;  // as written; empty: the default
  std::size_t connections = 2048;
};

// The subcommand, whose options fill `serve`, which must stay where it is.
CLI::App& add_serve(CLI::App& app, ServeArguments& serve);

// Fills in what is more than text. Throws InputError for what will not do.
void check_serve(ServeArguments& serve);

}  // namespace graphbench::cli
