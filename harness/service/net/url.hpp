// Absolute http and https addresses, for requests to other servers.
#pragma once

#include <optional>
#include <string>

namespace graphbench::net {

struct Url {
  bool tls = false;
  std::string host;  // without brackets
  std::string port;  // "80" or "443" where none is given
  std::string path;  // "/prefix", without a slash at the end; empty for none
};

// Absent for anything but an http(s) address, and for one with user information, a query or a fragment.
std::optional<Url> parse_url(const std::string& text);

// Letters, digits and -._~ as they are, every other byte as %XX.
std::string percent_encoded(const std::string& text);

// RFC 4648, section 5, with padding.
std::string base64_url(const std::string& bytes);

}  // namespace graphbench::net
