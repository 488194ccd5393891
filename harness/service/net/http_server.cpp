// The listening socket and the thread. Everything after construction happens on that thread.
#include "harness/service/net/http_server.hpp"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "graphs/ir/error.hpp"
#include "harness/service/net/connection.hpp"
#include "harness/service/net/places.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Signals belong to the thread that runs the sweep.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// What one browser or a handful of scrapers take.
constexpr std::size_t few_connections = 16;

std::size_t client_connections_max(const ServerSettings& settings) {
  const ServerLimits& limits = settings.limits;
  if (limits.client_connections_max > 0) return limits.client_connections_max;
  if (settings.address.loopback) return std::numeric_limits<std::size_t>::max();
  return std::max(limits.connections_max / 8, few_connections);
}

// Whom a connection counts for: who has one address of an IPv6 /64 has all. Absent where it has left.
std::optional<asio::ip::address> client_of(const tcp::socket& socket) {
  error_code error;
  const asio::ip::address address = socket.remote_endpoint(error).address();
  if (error) return std::nullopt;
  if (address.is_v4()) return address;
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6);
  asio::ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(ServerSettings settings, Handler handler)
      : settings_(std::move(settings)),
        places_(
            {settings_.limits.connections_max, client_connections_max(settings_), settings_.limits.quiet_min},
            [this] { accept(); }),
        acceptor_(io_),
        again_(io_) {
    context_.limits = settings_.limits;
    context_.handler = std::move(handler);
    context_.admit = settings_.admit;
    if (!context_.admit) {
      context_.admit = [most = settings_.limits.body_bytes_max](const Request&) {
        return Admission{most, true, nullptr};
      };
    }
    context_.run_aside = [this](std::function<void()> work) { run_aside(std::move(work)); };
    context_.may_linger = [this] { return !places_.is_full(); };
    listen();
    accept();
    const SignalsBlocked blocked;  // a thread inherits the mask
    thread_ = std::thread([this] {
      settings_.on_thread();
      io_.run();
    });
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    stopping_ = true;
    io_.stop();
    thread_.join();
    aside_.reset();  // waits; what it posts is destroyed with io_
  }

  const ListenAddress& address() const noexcept { return settings_.address; }

  void set_tls(std::shared_ptr<TlsContext> tls) {
    asio::post(io_, [this, tls = std::move(tls)]() mutable { settings_.tls = std::move(tls); });
  }

 private:
  void check(const error_code& error) const {
    if (error) throw Error(ErrorCode::io, "listen on " + settings_.address.text() + ": " + error.message());
  }

  void listen() {
    ListenAddress& address = settings_.address;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    check(error);
    // A worker that inherited the socket would keep the port after us.
    if (fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC) != 0) {
      check(error_code(errno, boost::system::system_category()));
    }
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    check(error);
    acceptor_.bind(endpoint, error);
    check(error);
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    check(error);
    address.port = acceptor_.local_endpoint(error).port();
    check(error);
  }

  // Where nobody would find a place clients wait in the system's queue.
  void accept() {
    if (accepting_ || stopping_) return;
    const auto at = places_.next_at();
    if (at == Place::Clock::time_point::max()) return;
    if (at > Place::Clock::now()) return accept_at(at);
    if (next_) return welcome(std::move(*std::exchange(next_, std::nullopt)));
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      accepting_ = false;
      // Out of descriptors, most likely: they come back as connections end.
      if (error) return accept_at(Place::Clock::now() + std::chrono::milliseconds(100));
      welcome(std::move(socket));
    });
  }

  void accept_at(Place::Clock::time_point at) {
    again_.expires_at(at);
    again_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  void welcome(tcp::socket socket) {
    const std::optional<asio::ip::address> client = client_of(socket);
    std::shared_ptr<Place> place = client ? places_.take(*client) : nullptr;
    if (!place) {
      // The place that it was accepted for may be none any more: whose it is has just asked something.
      if (client && !places_.has_all_it_may(*client)) next_ = std::move(socket);
      return accept();  // or else closes it
    }
    // Between accept and here a child may have been started; `spawn` closes what is not its own.
    static_cast<void>(fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC));
    // The last record of an answer would wait for the client's delayed acknowledgement, 40 ms.
    error_code ignored;
    static_cast<void>(socket.set_option(tcp::no_delay(true), ignored));
    serve_connection(std::move(socket), settings_.tls, context_, std::move(place));
    accept();
  }

  // The second thread starts when it is first needed, from the first one: it inherits the mask of signals.
  void run_aside(std::function<void()> work) {
    if (!aside_) {
      aside_.emplace(1);
      asio::post(*aside_, settings_.on_thread);
    }
    asio::post(*aside_, std::move(work));
  }

  ServerSettings settings_;
  ConnectionContext context_;
  Places places_;
  bool accepting_ = false;
  std::atomic<bool> stopping_ = false;
  asio::io_context io_;  // after what its handlers use: they are destroyed with it
  tcp::acceptor acceptor_;
  std::optional<tcp::socket> next_;  // who was accepted and has no place yet
  asio::steady_timer again_;
  std::optional<asio::thread_pool> aside_;
  std::thread thread_;
};

HttpServer::HttpServer(ServerSettings settings, Handler handler)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(handler))) {}

HttpServer::~HttpServer() = default;

const ListenAddress& HttpServer::address() const noexcept {
  return impl_->address();
}

void HttpServer::set_tls(std::shared_ptr<TlsContext> tls) {
  impl_->set_tls(std::move(tls));
}

}  // namespace graphbench::net
