// Splits at the last colon; Boost.Asio knows what an address is.
#include "harness/service/net/listen_address.hpp"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace graphbench::net {
namespace {

std::optional<std::uint16_t> parse_port(const std::string& text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end) return std::nullopt;
  return port;
}

}  // namespace

std::string ListenAddress::text() const {
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<ListenAddress> parse_listen_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  if (!port || error || address.is_v6() != bracketed) return std::nullopt;
  return ListenAddress{host, *port, address.is_loopback(), address.is_v6()};
}

}  // namespace graphbench::net
