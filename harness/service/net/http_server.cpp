// The listening socket and the thread. Everything after construction happens on that thread.
#include "harness/service/net/http_server.hpp"

#include <fcntl.h>
#include <pthread.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include "graphs/ir/error.hpp"
#include "harness/service/net/connection.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// The server's threads take no signals: those belong to the thread that started the server.
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
constexpr std::chrono::seconds last_answers_max{1};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(ServerSettings settings, Handler handler)
      : settings_(std::move(settings)), acceptor_(io_), again_(io_) {
    context_.limits = settings_.limits;
    context_.handler = std::move(handler);
    context_.admit = settings_.admit;
    if (!context_.admit) {
      context_.admit = [most = settings_.limits.body_bytes_max](const Request&) {
        return Admission{most, true, nullptr};
      };
    }
    context_.run_aside = [this](std::function<void()> work) { run_aside(std::move(work)); };
    context_.may_linger = [this] { return !is_full(); };
    context_.answer_begins = [this] { ++answers_; };
    context_.answer_ended = [this] {
      --answers_;
      if (stopping_) stop_when_answered();
    };
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
    asio::post(io_, [this] { stop(); });
    thread_.join();
    aside_.reset();  // waits; what it posts is destroyed with io_
  }

  const ListenAddress& address() const noexcept { return settings_.address; }

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
    // A child that inherited the socket would keep the port after this process.
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

  bool is_full() const { return connections_ >= settings_.limits.connections_max; }

  // A client that has half of an answer gets the rest, if it reads on.
  void stop() {
    stopping_ = true;
    again_.expires_after(last_answers_max);
    again_.async_wait([this](error_code) { io_.stop(); });
    stop_when_answered();
  }

  void stop_when_answered() {
    if (answers_ == 0) io_.stop();
  }

  void accept() {
    if (accepting_ || stopping_ || is_full()) return;
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      accepting_ = false;
      if (stopping_) return;
      if (error) return accept_later();  // there are no file descriptors left, most likely
      serve(std::move(socket));
      accept();
    });
  }

  void accept_later() {
    again_.expires_after(accept_pause);
    again_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  void serve(tcp::socket socket) {
    // Between accept and here a child may have been started; `spawn` closes what is not its own.
    static_cast<void>(fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC));
    // The last record of an answer would wait for the client's delayed acknowledgement, 40 ms.
    error_code ignored;
    static_cast<void>(socket.set_option(tcp::no_delay(true), ignored));
    ++connections_;
    std::shared_ptr<void> slot(nullptr, [this](void*) {
      --connections_;
      accept();
    });
    serve_connection(std::move(socket), settings_.tls, context_, std::move(slot));
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
  std::size_t connections_ = 0;
  bool accepting_ = false;
  std::size_t answers_ = 0;  // that are being written
  bool stopping_ = false;
  asio::io_context io_;  // after what its handlers use: they are destroyed with it
  tcp::acceptor acceptor_;
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

}  // namespace graphbench::net
