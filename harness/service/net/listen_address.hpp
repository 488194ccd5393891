// Where a server listens: "127.0.0.1:9464", "[::1]:9464", "localhost:9464".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphbench::net {

struct ListenAddress {
  std::string host;  // a numeric address, without brackets
  std::uint16_t port = 0;
  bool loopback = false;  // reached from this machine alone
  bool v6 = false;

  std::string text() const;  // "127.0.0.1:9464", "[::1]:9464"
};

// Numeric addresses and "localhost" (127.0.0.1): other names may resolve to several addresses, or to another
// one tomorrow. Port 0 is any that is free. Absent for anything else.
std::optional<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace graphbench::net
