// Where a server listens, and absolute http and https addresses of other servers.
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

// Parses numeric addresses and "localhost" (127.0.0.1), because other names may resolve to several addresses,
// or to another one tomorrow. Port 0 is any free port. Absent for anything else.
std::optional<ListenAddress> parse_listen_address(const std::string& text);

struct Url {
  bool tls = false;
  std::string host;  // without brackets
  std::string port;  // "80" or "443" where none is given
  std::string path;  // "/prefix", without a slash at the end; empty for none
};

// Parses an http(s) address. Absent for others, and for one with user information, a query or a fragment.
std::optional<Url> parse_url(const std::string& text);

// Writes every byte except letters, digits and -._~ as %XX.
std::string percent_encoded(const std::string& text);

// Encodes by RFC 4648, section 5, with padding.
std::string base64_url(const std::string& bytes);

}  // namespace graphbench::net
