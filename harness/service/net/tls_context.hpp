// What is behind the TlsContext of tls.hpp: for this folder's sources alone.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "harness/service/net/tls.hpp"

namespace graphbench::net {

struct TlsContext {
  boost::asio::ssl::context context;
};

// Of a client that trusts whom the system trusts. Throws Error(internal).
std::shared_ptr<TlsContext> tls_for_client();

}  // namespace graphbench::net
