// Listens on a socket, and runs the server's thread, which accepts and serves all connections.
#include "harness/service/net/http_server.hpp"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include "graphs/base/error.hpp"
#include "harness/service/net/connection.hpp"

namespace graphbench::service {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Blocks all signals in the server's threads, so that the thread that started the server receives them.
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

constexpr std::chrono::milliseconds accept_pause{100};
constexpr std::chrono::milliseconds room_pause{20};
constexpr int send_buffer_bytes = 128 * 1024;
constexpr std::chrono::seconds last_answers_max{1};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(ServerSettings settings, Handler handler)
      : address_(settings.address), on_thread_(settings.on_thread), acceptor_(io_), room_(io_), last_(io_) {
    all_.limits = settings.limits;
    all_.tls = std::move(settings.tls);
    all_.handler = std::move(handler);
    all_.admit = std::move(settings.admit);
    if (!all_.admit) {
      all_.admit = [most = settings.limits.body_bytes_max](const Request&) {
        return Admission{.body_bytes_max = most};
      };
    }
    all_.refuse = std::move(settings.refuse);
    all_.aside = [this](bool brief) { return executor_of(brief ? brief_ : long_); };
    all_.changed = [this] { changed(); };
    listen();
    asio::co_spawn(io_, accept_all(), asio::detached);
    const SignalsBlocked blocked;  // the new thread inherits the mask
    thread_ = std::thread([this] {
      on_thread_();
      io_.run();
    });
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    asio::post(io_, [this] { stop(); });
    thread_.join();
    brief_.reset();  // waits for running work; io_ destroys the handlers that the work posted
    long_.reset();
  }

  const ListenAddress& address() const noexcept { return address_; }

 private:
  void check(const error_code& error) const {
    if (error) throw Error(ErrorCode::io, "listen on " + address_.text() + ": " + error.message());
  }

  void listen() {
    const tcp::endpoint endpoint(asio::ip::make_address(address_.host), address_.port);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    check(error);
    if (fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC) != 0) {
      check(error_code(errno, boost::system::system_category()));
    }
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    check(error);
    acceptor_.bind(endpoint, error);
    check(error);
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    check(error);
    address_.port = acceptor_.local_endpoint(error).port();
    check(error);
  }

  asio::awaitable<void> accept_all() {
    error_code error;
    for (;;) {
      co_await acceptor_.async_wait(tcp::acceptor::wait_read,
                                    asio::redirect_error(asio::use_awaitable, error));
      bool made_room = false;  // at most one connection is closed for the waiting client
      for (;;) {
        co_await asio::post(io_, asio::use_awaitable);  // lets connections handle arrived bytes first
        made_room = made_room || all_.make_room();
        if (all_.open.size() < all_.limits.connections_max) break;
        room_.expires_after(room_pause);  // a transfer becomes slow, and a head old, without an event
        co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, error));
      }
      tcp::socket socket(io_);
      co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
      if (stopping_) co_return;
      if (!error) {
        serve(std::move(socket));
        continue;
      }
      room_.expires_after(accept_pause);  // most likely, no file descriptors are left
      co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  void serve(tcp::socket socket) {
    // A child started before this call does not keep the socket, because process::spawn() closes in a child
    // all descriptors that the child does not need.
    static_cast<void>(fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC));
    // Without TCP_NODELAY, an answer's last record waits for the client's delayed acknowledgement, 40 ms.
    error_code ignored;
    static_cast<void>(socket.set_option(tcp::no_delay(true), ignored));
    // With a large send buffer, the server would notice too late that a client reads slowly.
    static_cast<void>(socket.set_option(tcp::socket::send_buffer_size(send_buffer_bytes), ignored));
    serve_connection(std::move(socket), all_);
  }

  void stop() {
    stopping_ = true;
    last_.expires_after(last_answers_max);
    last_.async_wait([this](error_code) { io_.stop(); });
    changed();
  }

  void changed() {
    if (!stopping_) {
      room_.cancel();
    } else if (all_.answers == 0) {
      io_.stop();
    }
  }

  // A thread that calls Response::later. The server's thread starts it at the first such call, so that it
  // inherits that thread's signal mask.
  using Aside = std::optional<asio::thread_pool>;
  asio::any_io_executor executor_of(Aside& aside) {
    if (!aside) {
      aside.emplace(1);
      asio::post(*aside, on_thread_);
    }
    return aside->get_executor();
  }

  ListenAddress address_;
  const std::function<void()> on_thread_;
  Connections all_;
  bool stopping_ = false;
  // Declared after the members that coroutines use, because destroying io_ destroys the coroutines.
  asio::io_context io_;
  tcp::acceptor acceptor_;
  asio::steady_timer room_;  // waits until a connection closes or becomes idle
  asio::steady_timer last_;  // limits the time for the last responses of stop()
  Aside brief_;
  Aside long_;
  std::thread thread_;
};

HttpServer::HttpServer(ServerSettings settings, Handler handler)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(handler))) {}

HttpServer::~HttpServer() = default;

const ListenAddress& HttpServer::address() const noexcept {
  return impl_->address();
}

}  // namespace graphbench::service
