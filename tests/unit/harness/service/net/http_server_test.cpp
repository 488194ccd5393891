// Tests a real server on a free port, with our own client and with arbitrary bytes through a bare socket.
#include "harness/service/net/http_server.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include "harness/service/net/http.hpp"
#include "harness/service/net/http_client.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::service {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;
using testing::StartsWith;

Response echo(const Request& request) {
  if (request.path == "/throw") throw std::runtime_error("a secret");
  return text_response(200, request.method + " " + request.path + "?" + request.query + " " +
                                std::string(request.header("x-name")) + " " + request.body);
}

ClientResponse ask(const HttpServer& server, const std::string& path, const std::string& body = "",
                   const std::string& method = "GET") {
  ClientRequest request;
  request.method = method;
  request.url = *parse_url("http://" + server.address().text());
  request.path = path;
  request.body = body;
  request.headers = {{"X-Name", "value"}};
  return send(request);
}

constexpr std::size_t large_bytes = std::size_t{16} << 20;

// Larger than the sockets' buffers, so the server still writes while the client reads.
Handler large_answer(std::size_t bytes = large_bytes) {
  return [body = std::make_shared<const std::string>(bytes, 'x')](const Request&) {
    Response response;
    response.body = body;
    return response;
  };
}

TEST(HttpServer, AStreamIsSentAsItComesUntilItsEnd) {
  const Streaming streaming("first\n");
  const HttpServer server(on_a_free_port(), streaming.handler());
  BareClient client(server, get);
  std::string got;
  while (got.find("first\n") == std::string::npos) got += client.read_some();
  EXPECT_THAT(got, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(got, testing::Not(HasSubstr("Content-Length")));
  EXPECT_TRUE(streaming.put("second\n"));
  while (got.find("second\n") == std::string::npos) got += client.read_some();
  streaming.put("third\n");
  streaming.stream->end();
  EXPECT_THAT(client.read_to_end(), testing::EndsWith("third\n"));
  EXPECT_FALSE(streaming.put("late\n"));
}

TEST(HttpServer, AQuietStreamIsKeptAlive) {
  const Streaming streaming("first\n");
  const HttpServer server(on_a_free_port({.keep_alive = std::chrono::milliseconds(1)}), streaming.handler());
  BareClient client(server, get);
  std::string got;
  while (got.find(":\n:\n") == std::string::npos && got.size() < 64 * 1024) got += client.read_some();
  EXPECT_THAT(got, testing::ContainsRegex("first\n(:\n)+$")) << "comments, and nothing else";
  EXPECT_TRUE(streaming.put("second\n")) << "the stream goes on";
  while (got.find("second\n") == std::string::npos && got.size() < 64 * 1024) got += client.read_some();
  EXPECT_THAT(got, HasSubstr("second\n"));
}

TEST(HttpServer, AClientThatLeavesAStreamIsForgotten) {
  const Streaming streaming("first\n");
  const HttpServer server(on_a_free_port(), streaming.handler());
  {
    BareClient client(server, get);
    client.read_some();
  }
  EXPECT_TRUE(test::eventually([&] { return !streaming.stream->listened_to(); }));
  EXPECT_FALSE(streaming.put("too late\n"));
}

TEST(HttpServer, AClientThatLagsIsCutOff) {
  const Streaming streaming("", 1024 * 1024);
  const HttpServer server(on_a_free_port(), streaming.handler());
  BareClient slow(server, get);
  slow.read_some();  // the head
  const std::string chunk(64 * 1024, 'x');
  int taken = 0;
  while (streaming.put(chunk)) ASSERT_LT(++taken, 10'000) << "a bound";
  EXPECT_LT(slow.read_to_end().size(), (static_cast<std::size_t>(taken) + 2) * chunk.size());
}

TEST(HttpServer, AnAnswerThatHasBegunIsSentWholeWhereTheServerEnds) {
  // With ThreadSanitizer, sending 16 MiB takes most of the two seconds that the server has to end.
  constexpr std::size_t bytes = test::sanitized ? large_bytes / 4 : large_bytes;
  auto server = std::make_unique<HttpServer>(on_a_free_port(), large_answer(bytes));
  BareClient client(*server, get);
  std::string got = client.read_some();
  std::thread ending([&server] { server.reset(); });
  got += client.read_to_end();
  ending.join();
  EXPECT_EQ(got.size() - got.find("\r\n\r\n") - 4, bytes);
}

TEST(HttpServer, AnAnswerMayTakeAsLongAsItsClientReadsOn) {
  const HttpServer server(on_a_free_port({.request_max = std::chrono::milliseconds(500)}), large_answer());
  BareClient client(server, get);
  std::string got;
  for (std::string some = client.read_some(); !some.empty(); some = client.read_some()) {
    got += some;
    if (got.size() > large_bytes) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
  }
  EXPECT_GT(got.size(), large_bytes) << "though it took two seconds: 256 reads, and a pause after each";
}

TEST(HttpServer, AnAnswerThatItsClientDoesNotReadIsCutOff) {
  const HttpServer server(on_a_free_port({.request_max = std::chrono::milliseconds(50)}), large_answer());
  BareClient client(server, get);
  client.read_some();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(client.read_to_end().size(), large_bytes);
}

TEST(HttpServer, LargeAnswersHaveABoundInWhichASharedOneCountsOnce) {
  const auto one = std::make_shared<const std::string>(large_bytes, '1');
  const auto other = std::make_shared<const std::string>(large_bytes, '2');
  const HttpServer server(on_a_free_port({.sending_bytes_max = large_bytes + large_bytes / 2}),
                          [&](const Request& request) {
                            if (request.path == "/small") return text_response(200, "small");
                            Response response;
                            response.body = request.path == "/one" ? one : other;
                            return response;
                          });
  std::vector<std::unique_ptr<BareClient>> readers;
  for (int i = 0; i < 20; ++i) {
    readers.push_back(std::make_unique<BareClient>(server, last_get("/one")));
    EXPECT_THAT(readers.back()->read_some(), StartsWith("HTTP/1.1 200"));
  }
  BareClient beyond(server, last_get("/other"));
  const std::string refused = beyond.read_to_end();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("Retry-After: "));
  EXPECT_THAT(refused, HasSubstr("try again later"));
  EXPECT_EQ(ask(server, "/small").body, "small\n");
  EXPECT_GT(readers.front()->read_to_end().size(), large_bytes - 65536);
  readers.clear();
  EXPECT_TRUE(test::eventually([&] {
    BareClient again(server, last_get("/other"));
    return again.read_to_end().size() > large_bytes;
  })) << "there is room for it now";
}

TEST(HttpServer, OneAnswerIsSentHoweverLargeItIs) {
  const HttpServer server(on_a_free_port({.sending_bytes_max = 1}), large_answer());
  BareClient client(server, last_get());
  EXPECT_GT(client.read_to_end().size(), large_bytes);
}

TEST(HttpServer, BriefWorkDoesNotWaitForLongWork) {
  std::promise<void> go;
  const std::shared_future<void> told = go.get_future().share();
  const HttpServer server(on_a_free_port(), [&](const Request& request) {
    Response response;
    response.brief = request.path == "/brief";
    response.later = [&](Request& each) {
      if (each.path == "/long") told.wait();
      return text_response(200, each.path);
    };
    return response;
  });
  BareClient slow(server, last_get("/long"));
  EXPECT_EQ(ask(server, "/brief").body, "/brief\n");
  go.set_value();
  EXPECT_THAT(slow.read_to_end(), HasSubstr("/long"));
}

TEST(HttpServer, HandsRequestsToItsHandlerWhoseExceptionIsA500) {
  const HttpServer server(on_a_free_port({.body_bytes_max = 100}), echo);
  EXPECT_NE(server.address().port, 0);
  const ClientResponse response = ask(server, "/a/b?c=d", "body", "POST");
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.body, "POST /a/b?c=d value body\n");
  const ClientResponse thrown = ask(server, "/throw");
  EXPECT_EQ(thrown.status, 500u);
  EXPECT_EQ(thrown.body, "an internal error\n") << "without details";
}

TEST(HttpServer, AConnectionServesManyRequests) {
  const HttpServer server(on_a_free_port(), echo);
  BareClient client(server);
  for (const char* path : {"/1", "/2"}) {
    client.write(std::string("GET ") + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(client.read_some(), HasSubstr(std::string("GET ") + path));
  }
  client.write("GET /3 HTTP/1.1\r\nHost: a\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string both = client.read_to_end();
  EXPECT_THAT(both, HasSubstr("GET /3"));
  EXPECT_THAT(both, HasSubstr("GET /4"));
}

TEST(HttpServer, HeadHasTheHeadersOfGetAndNoBody) {
  const HttpServer server(on_a_free_port(), echo);
  BareClient client(server, "HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(HttpServer, MalformedAndOversizedRequestsAreRefused) {
  const HttpServer server(on_a_free_port({.header_bytes_max = 1024, .body_bytes_max = 8}), echo);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense\r\n\r\n", "400"},
      {"GET / HTTP/9.9\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nbroken header\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nX: " + std::string(2000, 'a') + "\r\n\r\n", "431"},
      {"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789", "413"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + std::string(4095, 'a'), "413"},
  };
  for (const auto& [bytes, status] : cases) {
    BareClient client(server, bytes);
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 " + status)) << bytes.substr(0, 60);
  }
  EXPECT_EQ(ask(server, "/").status, 200u) << "it serves on";
}

TEST(HttpServer, SlowAndSilentClientsAreCutOff) {
  ServerLimits limits;
  limits.request_max = limits.idle_max = std::chrono::milliseconds(50);
  const HttpServer server(on_a_free_port(limits), echo);
  BareClient silent(server);
  BareClient slow(server, "GET / HT");
  EXPECT_EQ(silent.read_to_end(), "");
  EXPECT_EQ(slow.read_to_end(), "");
}

TEST(HttpServer, ATakenPortIsAnErrorThatNamesIt) {
  const HttpServer server(on_a_free_port(), echo);
  ServerSettings settings = on_a_free_port();
  settings.address.port = server.address().port;
  const Error error = test::error_of([&] { const HttpServer second(settings, echo); });
  EXPECT_EQ(std::string(error.what()), "listen on " + server.address().text() + ": Address already in use");
}

TEST(HttpServer, ItsThreadIsSetUpBeforeItServes) {
  bool set_up = false;
  ServerSettings settings = on_a_free_port();
  settings.on_thread = [&] { set_up = true; };
  const HttpServer server(settings, [&](const Request&) { return text_response(set_up ? 200 : 500, ""); });
  EXPECT_EQ(ask(server, "/").status, 200u);
}

TEST(HttpServer, EndsWithClientsStillThereThatAreIdleReadAStreamOrDoNotRead) {
  const Streaming streaming("first\n");
  for (const Handler& handler : {Handler(echo), streaming.handler(), large_answer()}) {
    auto server = std::make_unique<HttpServer>(on_a_free_port(), handler);
    BareClient client(*server, get);
    client.read_some();
    server.reset();
    EXPECT_LT(client.read_to_end().size(), large_bytes);
  }
  EXPECT_FALSE(streaming.put("too late\n"));
}

TEST(HttpClient, SaysWhyThereIsNoAnswer) {
  std::string address;
  {
    const HttpServer server(on_a_free_port(), echo);
    address = server.address().text();
  }
  ClientRequest request;
  request.url = *parse_url("http://" + address);
  request.path = "/";
  const Error error = test::error_of([&] { send(request); });
  EXPECT_EQ(std::string(error.what()), "GET at " + address + ": Connection refused");
}

TEST(HttpClient, GivesUpAtItsDeadline) {
  // The kernel accepts the connection for the listening socket, but the test never answers.
  boost::asio::io_context io;
  tcp::acceptor mute(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
  ClientRequest request;
  request.url = *parse_url("http://127.0.0.1:" + std::to_string(mute.local_endpoint().port()));
  request.path = "/";
  request.deadline = std::chrono::milliseconds(50);
  const Error error = test::error_of([&] { send(request); });
  EXPECT_THAT(error.what(), HasSubstr("the server did not answer in time"));
}

}  // namespace
}  // namespace graphbench::service
