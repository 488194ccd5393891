// The options --tls-certificate, --tls-key and --tls-client-ca, which a sweep and the service share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/config/options.hpp"
#include "harness/service/net/tls.hpp"

namespace graphbench::publish {

// Null where none is given. `where` names an option to a person, as "--tls-key" or "sweep.toml:3: tls-key".
// Throws InputError for files that cannot be used, and for options that lack another.
std::shared_ptr<net::TlsContext> check_tls(const config::TlsOptions& options,
                                           const std::function<std::string(const std::string&)>& where);

}  // namespace graphbench::publish
