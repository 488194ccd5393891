// Checks the options of publishing: parses addresses, reads files, and requires the options that others need.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/options/options.hpp"
#include "harness/service/net/addresses.hpp"
#include "harness/service/net/tls.hpp"
#include "harness/service/publish/baseline.hpp"

namespace graphbench::publish {

// Null where none is given. `where` names an option to a person, as "--tls-key" or "sweep.toml:3: tls-key".
// Throws InputError for files that cannot be used, and for options that lack another.
std::shared_ptr<net::TlsContext> check_tls(const config::TlsOptions& options,
                                           const std::function<std::string(const std::string&)>& where);

struct PublishSettings {
  std::optional<net::ListenAddress> listen;
  std::shared_ptr<net::TlsContext> tls;  // for `listen`; null: plain HTTP
  std::string textfile;                  // empty: none
  std::optional<net::Url> push;
  std::map<std::string, std::string> grouping;  // in addition to job and instance, or instead of them
  bool push_delete = false;
  double linger_seconds = 0;
  std::shared_ptr<const Baseline> baseline;  // null: none
};

// Throws InputError for options that cannot be used.
PublishSettings check_publishing(const config::SweepOptions& options);

}  // namespace graphbench::publish
