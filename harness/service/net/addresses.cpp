// Parses addresses with Boost.Asio, and URLs with a regular expression that accepts no blanks or quotes.
#include "harness/service/net/addresses.hpp"

#include <openssl/evp.h>

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <regex>

#include "graphs/base/text.hpp"

namespace graphbench::service {

std::string ListenAddress::text() const {
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<ListenAddress> parse_listen_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::optional<std::uint16_t> port = to_number<std::uint16_t>(text.substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  if (!port || error || address.is_v6() != bracketed) return std::nullopt;
  return ListenAddress{host, *port, address.is_loopback(), address.is_v6()};
}

std::optional<Url> parse_url(const std::string& text) {
  static const std::regex shape(
      "(https?)://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]+)?((/[A-Za-z0-9._~%+-]+)*)/*");
  std::smatch match;
  if (text.size() > 2048 || !std::regex_match(text, match, shape)) return std::nullopt;
  Url url;
  url.tls = match[1] == "https";
  url.host = match[2];
  if (url.host.front() == '[') url.host = url.host.substr(1, url.host.size() - 2);
  url.port = match[3].matched ? match[3].str().substr(1) : url.tls ? "443" : "80";
  url.path = match[4];
  if (to_number<std::uint16_t>(url.port).value_or(0) == 0) return std::nullopt;
  return url;
}

std::string percent_encoded(const std::string& text) {
  static constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  static constexpr std::string_view hex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (plain.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', hex[byte >> 4], hex[byte & 15]};
    }
  }
  return result;
}

std::string base64_url(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a final zero
  const auto* source = reinterpret_cast<const unsigned char*>(bytes.data());
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), source, static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

}  // namespace graphbench::service
