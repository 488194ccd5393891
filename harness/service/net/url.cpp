// A regular expression for the shape; what it lets through holds no blanks, quotes or control characters.
#include "harness/service/net/url.hpp"

#include <openssl/evp.h>

#include <charconv>
#include <cstdint>
#include <regex>

namespace graphbench::net {
namespace {

bool is_port(const std::string& text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && stop == end && port > 0;
}

}  // namespace

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
  if (!is_port(url.port)) return std::nullopt;
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

}  // namespace graphbench::net
