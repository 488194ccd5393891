// Who gets a place where clients are many.
#include <gmock/gmock.h>

#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "harness/service/net/body_stream.hpp"
#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::net {
namespace {

using testing::HasSubstr;

Response echo(const Request& request) {
  return text_response(200, request.method + " " + request.path);
}

// Nobody loses a place for being quiet, however slow this machine is.
constexpr std::chrono::hours never{1};

TEST(ConnectionLimits, ClientsBeyondTheLimitWaitForAPlace) {
  const HttpServer server(on_a_free_port({.connections_max = 1, .quiet_min = never}), echo);
  auto first = std::make_unique<BareClient>(server);
  first->write("GET /first HT");
  BareClient second(server);
  second.write("GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  first->write("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first->read_to_end(), HasSubstr("Connection: close"))
      << "no place is left for a connection between requests";
  first.reset();
  EXPECT_THAT(second.read_to_end(), HasSubstr("GET /second"));
}

// Empty where the connection was closed instead.
std::string answer_to_another(const HttpServer& server, const char* from = "127.0.0.1") {
  BareClient client(server, from);
  boost::system::error_code closed_already;
  client.write("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", closed_already);
  return client.read_to_end();
}

TEST(ConnectionLimits, OneClientDoesNotTakeThePlacesOfAll) {
  const HttpServer server(
      on_a_free_port({.connections_max = 4, .client_connections_max = 2, .quiet_min = never}), echo);
  auto idle = std::make_unique<BareClient>(server);
  BareClient slow(server);
  slow.write("GET / HT");
  EXPECT_EQ(answer_to_another(server), "") << "closed at once";
  EXPECT_THAT(answer_to_another(server, "127.0.0.2"), HasSubstr("GET /x"));
  idle.reset();
  std::string answer;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (answer.empty() && std::chrono::steady_clock::now() < end) {
    answer = answer_to_another(server);
  }
  EXPECT_THAT(answer, HasSubstr("GET /x")) << "its place is free again";
}

TEST(ConnectionLimits, WhereOthersReachItOneOfThemHasAnEighth) {
  ServerSettings settings = on_a_free_port({.connections_max = 256, .quiet_min = never});
  settings.address.loopback = false;  // as far as it knows
  const HttpServer server(settings, echo);
  std::vector<std::unique_ptr<BareClient>> clients;
  for (int i = 0; i < 32; ++i) clients.push_back(std::make_unique<BareClient>(server));
  clients.back()->write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(clients.back()->read_some(), HasSubstr("GET /"));
  EXPECT_EQ(answer_to_another(server), "");
}

TEST(ConnectionLimits, WhoSaysNothingMakesRoomForWhoAsks) {
  const HttpServer server(on_a_free_port({.connections_max = 8, .quiet_min = std::chrono::milliseconds(20)}),
                          echo);
  std::vector<std::unique_ptr<BareClient>> hog;
  for (int i = 0; i < 8; ++i) {
    hog.push_back(std::make_unique<BareClient>(server));
    if (i % 2 == 0) hog.back()->write("GET /half HT");
  }
  EXPECT_THAT(answer_to_another(server), HasSubstr("GET /x"));
  EXPECT_EQ(hog[0]->read_to_end(), "") << "the first to be quiet goes first";
}

TEST(ConnectionLimits, WhoDoesNotReadMakesRoomToo) {
  const auto large = [](const Request& request) {
    return request.path == "/x" ? echo(request) : text_response(200, std::string(64 * 1024 * 1024, 'x'));
  };
  const HttpServer server(on_a_free_port({.connections_max = 2, .quiet_min = std::chrono::milliseconds(20)}),
                          large);
  std::vector<std::unique_ptr<BareClient>> hog;
  for (int i = 0; i < 2; ++i) {
    hog.push_back(std::make_unique<BareClient>(server));
    hog.back()->write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  EXPECT_THAT(answer_to_another(server), HasSubstr("GET /x"));
}

TEST(ConnectionLimits, AStreamKeepsItsPlace) {
  const auto stream = std::make_shared<BodyStream>(std::deque<BodyStream::Bytes>(), 1024, ":\n\n");
  const auto follow = [&](const Request& request) {
    Response response = echo(request);
    if (request.path == "/events") response.stream = stream;
    return response;
  };
  const HttpServer server(on_a_free_port({.connections_max = 1, .quiet_min = std::chrono::milliseconds(20)}),
                          follow);
  auto follower = std::make_unique<BareClient>(server);
  follower->write("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(follower->read_some(), HasSubstr("200 OK"));
  BareClient other(server);
  other.write("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(other.has_answer());
  EXPECT_TRUE(stream->put(std::make_shared<const std::string>("still here")));
  stream->end();
  EXPECT_THAT(follower->read_to_end(), HasSubstr("still here"));
  follower.reset();
  EXPECT_THAT(other.read_to_end(), HasSubstr("GET /x"));
}

}  // namespace
}  // namespace graphbench::net
