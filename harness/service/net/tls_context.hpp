// Defines the TlsContext of tls.hpp, for this folder's sources only.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "harness/service/net/tls.hpp"

namespace graphbench::service {

struct TlsContext {
  boost::asio::ssl::context context;
};

// Makes the context of a client that trusts the system's root certificates. Throws Error(internal).
std::shared_ptr<TlsContext> tls_for_client();

}  // namespace graphbench::service
