// Tests which connection a full server closes for a new client, and what the kept connections are for.
#include "harness/service/net/connections.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t answer_bytes = std::size_t{4} << 20;

TEST(Connections, MakeRoomInTheOrderOfWhatTheyWaitForAndForHowLong) {
  boost::asio::io_context io;
  Connections all;
  all.changed = [] {};
  all.limits.connections_max = 100;
  std::list<boost::beast::tcp_stream> streams;
  std::vector<std::pair<std::string, Connections::Entry>> connections;
  const auto add = [&](const std::string& name, Phase phase, milliseconds age) {
    const Connections::Entry entry = all.add(streams.emplace_back(io));
    all.enter(*entry, phase);
    entry->since -= age;
    connections.emplace_back(name, entry);
  };
  add("a new transfer", Phase::transfer, milliseconds(0));
  add("a transfer", Phase::transfer, std::chrono::minutes(2));
  add("a slower transfer", Phase::transfer, std::chrono::minutes(3));
  add("a handler", Phase::working, hours(1));
  add("a younger head", Phase::head, std::chrono::minutes(1));
  add("a new head", Phase::head, milliseconds(0));
  add("a head of some time", Phase::head, milliseconds(500));
  add("an older head", Phase::head, std::chrono::minutes(2));
  add("an idle one", Phase::idle, milliseconds(0));
  add("the longest idle one", Phase::idle, milliseconds(10));
  std::vector<std::string> order;
  for (all.limits.connections_max = all.places; all.make_room(); all.limits.connections_max = all.places) {
    for (auto& [name, entry] : connections) {
      if (entry->closed && std::ranges::find(order, name) == order.end()) order.push_back(name);
    }
    ASSERT_LE(order.size(), connections.size());
  }
  EXPECT_THAT(order,
              testing::ElementsAre("the longest idle one", "an idle one", "an older head", "a younger head",
                                   "a slower transfer", "a transfer", "a head of some time"));
}

// Answers /large with more than the sockets' buffers hold, /events with a stream, and /later from another
// thread, which waits for `go`.
class ConnectionLimits : public testing::Test {
 protected:
  // No limit of time ends a connection during a test.
  static ServerLimits limits(std::size_t connections, milliseconds slow_after = hours(1)) {
    ServerLimits limits;
    limits.connections_max = connections;
    limits.slow_after = slow_after;
    limits.request_max = limits.idle_max = hours(1);
    return limits;
  }

  std::unique_ptr<HttpServer> serve(const ServerLimits& limits) {
    ServerSettings settings = on_a_free_port(limits);
    settings.admit = [](const Request& head) {
      return Admission{.body_bytes_max = 1000, .vital = head.path.starts_with("/vital")};
    };
    return std::make_unique<HttpServer>(settings, [this](Request& request) { return answer(request); });
  }

  Response answer(Request& request) {
    Response response = text_response(200, request.method + " " + request.path);
    if (request.path == "/large") response.body = large_;
    if (request.path == "/events") return streaming_.handler()(request);
    if (request.path.ends_with("/later")) {
      response.later = [this](Request& each) {
        told_.wait();
        return text_response(200, each.method + " " + each.path);
      };
    }
    return response;
  }

  // A client that follows a stream, whose connection is never closed for another one.
  static std::unique_ptr<BareClient> follower(const HttpServer& server) {
    auto client = std::make_unique<BareClient>(server, last_get("/events"));
    std::string got;
    while (got.find("first") == std::string::npos) got += client->read_some();
    return client;
  }

  // A client that has read the beginning of a long answer.
  static std::unique_ptr<BareClient> non_reader(const HttpServer& server) {
    auto client = std::make_unique<BareClient>(server, last_get("/large"));
    client->read_some();
    return client;
  }

  static std::string answer_of(const HttpServer& server, const std::string& path) {
    return BareClient(server, last_get(path)).read_to_end();
  }

  const std::shared_ptr<const std::string> large_ = std::make_shared<const std::string>(answer_bytes, 'x');
  const Streaming streaming_{"first"};
  std::promise<void> go_;
  const std::shared_future<void> told_ = go_.get_future().share();
};

TEST_F(ConnectionLimits, AFullServerKeepsNoConnectionOpenBetweenRequests) {
  const auto server = serve(limits(1));
  EXPECT_THAT(BareClient(*server, get).read_to_end(), HasSubstr("Connection: close"));
}

TEST_F(ConnectionLimits, AnIdleConnectionMakesRoomBeforeAHeadThatIsNotFinished) {
  const auto server = serve(limits(3));
  BareClient idle(*server, get);
  EXPECT_THAT(idle.read_some(), testing::Not(HasSubstr("Connection: close")));
  BareClient begun(*server, "GET /begun HT");
  const auto stream = follower(*server);
  EXPECT_THAT(answer_of(*server, "/x"), HasSubstr("GET /x"));
  EXPECT_EQ(idle.read_to_end(), "");
  begun.write("TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(begun.read_to_end(), HasSubstr("GET /begun"));
}

TEST_F(ConnectionLimits, TheOldestHeadThatIsNotFinishedMakesRoom) {
  const auto server = serve(limits(3));
  BareClient oldest(*server, "GET /oldest HT");
  BareClient silent(*server);
  BareClient younger(*server, "GET /younger HT");
  EXPECT_THAT(answer_of(*server, "/x"), HasSubstr("GET /x"));
  EXPECT_EQ(oldest.read_to_end(), "");
  silent.write(last_get("/silent"));
  EXPECT_THAT(silent.read_to_end(), HasSubstr("GET /silent"));
  younger.write("TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(younger.read_to_end(), HasSubstr("GET /younger"));
}

TEST_F(ConnectionLimits, ABodyThatIsSentSlowlyMakesRoom) {
  const auto server = serve(limits(1, milliseconds(0)));
  BareClient slow(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx");
  EXPECT_THAT(answer_of(*server, "/x"), HasSubstr("GET /x"));
  EXPECT_EQ(slow.read_to_end(), "");
}

TEST_F(ConnectionLimits, AnAnswerMakesRoomOnceItIsSlow) {
  const auto server = serve(limits(1, milliseconds(200)));
  const auto slow = non_reader(*server);
  EXPECT_THAT(answer_of(*server, "/x"), HasSubstr("GET /x")) << "time passes, and there is no event";
  EXPECT_LT(slow->read_to_end().size(), answer_bytes);
}

TEST_F(ConnectionLimits, ClientsWaitWhileNoConnectionMayBeClosed) {
  const auto server = serve(limits(2));
  auto stream = follower(*server);
  const auto reader = non_reader(*server);
  BareClient other(*server, last_get("/x"));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(other.has_answer());
  EXPECT_TRUE(streaming_.put("still here"));
  streaming_.stream->end();
  EXPECT_THAT(stream->read_to_end(), HasSubstr("still here"));
  stream.reset();
  EXPECT_THAT(other.read_to_end(), HasSubstr("GET /x"));
  EXPECT_GT(reader->read_to_end().size(), answer_bytes - 65536) << "it is not slow";
}

TEST_F(ConnectionLimits, KeptConnectionsAreForVitalRequestsAlone) {
  ServerLimits with_kept = limits(3);
  with_kept.connections_kept = 2;
  const auto server = serve(with_kept);
  auto stream = follower(*server);
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(answer_of(*server, "/vital"), HasSubstr("GET /vital"));
    const std::string refused = answer_of(*server, "/x");
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(refused, HasSubstr("Retry-After: "));
    EXPECT_THAT(refused, HasSubstr("all connections are taken: try again later"));
  }
  BareClient body(*server, "POST /vital HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx");
  EXPECT_THAT(body.read_to_end(), HasSubstr("POST /vital")) << "its body is not waited for";
  streaming_.stream->end();
  stream->read_to_end();
  stream.reset();
  EXPECT_TRUE(test::eventually([&] { return answer_of(*server, "/x").starts_with("HTTP/1.1 200"); }));
}

TEST_F(ConnectionLimits, KeptConnectionsDoNotStayWithHeadsThatAreNotFinished) {
  ServerLimits with_kept = limits(3);
  with_kept.connections_kept = 2;
  const auto server = serve(with_kept);
  const auto stream = follower(*server);
  std::vector<std::unique_ptr<BareClient>> begun;
  for (int i = 0; i < 5; ++i) begun.push_back(std::make_unique<BareClient>(*server, "GET /vi"));
  EXPECT_THAT(answer_of(*server, "/vital"), HasSubstr("GET /vital"));
}

TEST_F(ConnectionLimits, AClientThatHasJustComeStaysWhileAKeptConnectionIsFree) {
  ServerLimits with_kept = limits(4);
  with_kept.connections_kept = 2;
  with_kept.head_min = hours(1);
  const auto server = serve(with_kept);
  const auto stream = follower(*server);
  BareClient come(*server);
  for (int i = 0; i < 5; ++i) EXPECT_THAT(answer_of(*server, "/x"), StartsWith("HTTP/1.1 503"));
  std::vector<std::unique_ptr<BareClient>> others;  // more than there are connections
  for (int i = 0; i < 5; ++i) others.push_back(std::make_unique<BareClient>(*server));
  come.write(last_get("/vital"));
  EXPECT_THAT(come.read_to_end(), HasSubstr("GET /vital"));
}

TEST_F(ConnectionLimits, VitalRequestsThatWaitLeaveHalfOfTheKeptConnections) {
  ServerLimits with_kept = limits(5);
  with_kept.connections_kept = 4;
  const auto server = serve(with_kept);
  const auto stream = follower(*server);
  std::vector<std::unique_ptr<BareClient>> waiting;
  for (int i = 0; i < 2; ++i)
    waiting.push_back(std::make_unique<BareClient>(*server, last_get("/vital/later")));
  EXPECT_THAT(answer_of(*server, "/vital/later"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer_of(*server, "/vital"), HasSubstr("GET /vital"));
  go_.set_value();
  for (const auto& each : waiting) EXPECT_THAT(each->read_to_end(), HasSubstr("GET /vital/later"));
}

}  // namespace
}  // namespace graphbench::service
