// What tls.hpp keeps from those who only hand it on.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "harness/service/net/tls.hpp"

namespace graphbench::net {

struct TlsContext {
  boost::asio::ssl::context context;
};

// Version 1.2 or later, with forward secrecy and authenticated encryption. Throws Error(internal).
void set_protocol(boost::asio::ssl::context& context);

}  // namespace graphbench::net
