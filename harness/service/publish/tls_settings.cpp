// Options that need each other are checked here; the files' contents where they are read.
#include "harness/service/publish/tls_settings.hpp"

#include "harness/model/input_error.hpp"

namespace graphbench::publish {
namespace {

[[noreturn]] void refuse(const config::TlsOptions& options, const net::TlsFileError& error,
                         const std::function<std::string(const std::string&)>& where) {
  using enum net::TlsFileError::File;
  const bool of_key = error.file() == key;
  const char* name = error.file() == certificate ? "tls-certificate" : of_key ? "tls-key" : "tls-client-ca";
  const std::string& path = error.file() == certificate ? options.certificate
                            : of_key                    ? options.key
                                                        : options.client_ca;
  throw InputError(where(name), in_quotes(path) + ": " + error.what());
}

}  // namespace

std::shared_ptr<net::TlsContext> check_tls(const config::TlsOptions& options,
                                           const std::function<std::string(const std::string&)>& where) {
  const auto lacks = [&](const char* name, const char* other) {
    throw InputError(where(name), std::string("it does nothing without ") + other + ": give both");
  };
  if (options.certificate.empty()) {
    if (!options.key.empty()) lacks("tls-key", "--tls-certificate");
    if (!options.client_ca.empty()) lacks("tls-client-ca", "--tls-certificate");
    return nullptr;
  }
  if (options.key.empty()) lacks("tls-certificate", "--tls-key");
  try {
    return net::load_tls({options.certificate, options.key, options.client_ca});
  } catch (const net::TlsFileError& error) {
    refuse(options, error, where);
  }
}

}  // namespace graphbench::publish
