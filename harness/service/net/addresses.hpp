// The address where a server listens, and http and https URLs of other servers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphbench::service {

struct ListenAddress {
  std::string host;  // a numeric address, without brackets
  std::uint16_t port = 0;
  bool loopback = false;
  bool v6 = false;

  std::string text() const;  // "127.0.0.1:9464", "[::1]:9464"
};

// Takes numeric addresses and "localhost" (127.0.0.1) only: another name may resolve to several addresses.
std::optional<ListenAddress> parse_listen_address(const std::string& text);

struct Url {
  bool tls = false;
  std::string host;  // without brackets
  std::string port;  // "80" or "443" if the URL has no port
  std::string path;  // "/prefix", without a slash at the end; empty for none
};

// Parses an http(s) URL. Absent for other schemes, and for a URL with user information, query or fragment.
std::optional<Url> parse_url(const std::string& text);

std::string percent_encoded(const std::string& text);

// Encodes by RFC 4648, section 5, with padding.
std::string base64_url(const std::string& bytes);

}  // namespace graphbench::service
