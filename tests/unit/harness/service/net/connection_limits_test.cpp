// What happens where clients are more than the server takes.
#include <gmock/gmock.h>

#include <chrono>
#include <deque>
#include <memory>
#include <thread>

#include "harness/service/net/body_stream.hpp"
#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::net {
namespace {

using testing::HasSubstr;

const char* const get_and_close = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

Response echo(const Request& request) {
  return text_response(200, request.method + " " + request.path);
}

TEST(ConnectionLimits, ClientsBeyondTheLimitWaitUntilAConnectionEnds) {
  const HttpServer server(on_a_free_port({.connections_max = 1}), echo);
  auto first = std::make_unique<BareClient>(server);
  first->write("GET /first HT");
  BareClient second(server);
  second.write(get_and_close);
  first->write("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first->read_to_end(), HasSubstr("Connection: close"))
      << "a full server keeps no connection open between requests";
  first.reset();
  EXPECT_THAT(second.read_to_end(), HasSubstr("GET /x"));
}

TEST(ConnectionLimits, TheConnectionThatIsIdleForLongestMakesRoomAtOnce) {
  const HttpServer server(on_a_free_port({.connections_max = 3}), echo);
  BareClient busy(server);
  busy.write("GET /busy HT");
  BareClient longest(server);
  BareClient shorter(server);
  BareClient first(server);
  first.write(get_and_close);
  EXPECT_THAT(first.read_to_end(), HasSubstr("GET /x"));
  EXPECT_EQ(longest.read_to_end(), "");
  shorter.write(get_and_close);
  EXPECT_THAT(shorter.read_to_end(), HasSubstr("GET /x"));
  busy.write("TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(busy.read_to_end(), HasSubstr("GET /busy"));
}

TEST(ConnectionLimits, AStreamCountsAsLongAsItIsOpen) {
  const auto stream = std::make_shared<BodyStream>(std::deque<BodyStream::Bytes>(), 1024, ":\n\n");
  const auto follow = [&](const Request& request) {
    Response response = echo(request);
    if (request.path == "/events") response.stream = stream;
    return response;
  };
  const HttpServer server(on_a_free_port({.connections_max = 1, .idle_max = std::chrono::milliseconds(20)}),
                          follow);
  auto follower = std::make_unique<BareClient>(server);
  follower->write("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(follower->read_some(), HasSubstr("200 OK"));
  BareClient other(server);
  other.write(get_and_close);
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
