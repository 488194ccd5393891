// What happens where clients are more than the server takes.
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <thread>

#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::net {
namespace {

using testing::HasSubstr;

Response echo(const Request& request) {
  return text_response(200, request.method + " " + request.path);
}

TEST(ConnectionLimits, ClientsBeyondTheLimitWaitUntilAConnectionEnds) {
  const HttpServer server(on_a_free_port({.connections_max = 1}), echo);
  auto first = std::make_unique<BareClient>(server, "GET /first HT");
  BareClient second(server, last_get("/x"));
  first->write("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first->read_to_end(), HasSubstr("Connection: close"))
      << "a full server keeps no connection open between requests";
  first.reset();
  EXPECT_THAT(second.read_to_end(), HasSubstr("GET /x"));
}

TEST(ConnectionLimits, TheConnectionThatIsIdleForLongestMakesRoomAtOnce) {
  const HttpServer server(on_a_free_port({.connections_max = 3}), echo);
  BareClient busy(server, "GET /busy HT");
  BareClient longest(server);
  BareClient shorter(server);
  BareClient first(server, last_get("/x"));
  EXPECT_THAT(first.read_to_end(), HasSubstr("GET /x"));
  EXPECT_EQ(longest.read_to_end(), "");
  shorter.write(last_get("/x"));
  EXPECT_THAT(shorter.read_to_end(), HasSubstr("GET /x"));
  busy.write("TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(busy.read_to_end(), HasSubstr("GET /busy"));
}

TEST(ConnectionLimits, AStreamCountsAsLongAsItIsOpen) {
  const Streaming streaming("first");
  const auto follow = [&](Request& request) {
    return request.path == "/events" ? streaming.handler()(request) : echo(request);
  };
  const HttpServer server(on_a_free_port({.connections_max = 1, .idle_max = std::chrono::milliseconds(20)}),
                          follow);
  auto follower = std::make_unique<BareClient>(server, last_get("/events"));
  EXPECT_THAT(follower->read_some(), HasSubstr("200 OK"));
  BareClient other(server, last_get("/x"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(other.has_answer());
  EXPECT_TRUE(streaming.put("still here"));
  streaming.stream->end();
  EXPECT_THAT(follower->read_to_end(), HasSubstr("still here"));
  follower.reset();
  EXPECT_THAT(other.read_to_end(), HasSubstr("GET /x"));
}

}  // namespace
}  // namespace graphbench::net
