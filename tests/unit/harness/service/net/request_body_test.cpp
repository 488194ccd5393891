// Tests what a server decides before it reads a body, what limits bodies, and answers from another thread.
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "tests/unit/harness/service/net/bare_client.hpp"

namespace graphbench::service {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Response length_of(const Request& request) {
  return text_response(200, std::to_string(request.body.size()) + " bytes");
}

ServerSettings settings() {
  ServerSettings settings = on_a_free_port();
  settings.admit = [](const Request& head) {
    return Admission{head.path == "/large" ? 4u * 1024 * 1024 : 10u, head.path != "/none"};
  };
  return settings;
}

std::string post(const std::string& path, std::size_t bytes, const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes) + "\r\n" +
         headers + "\r\n";
}

TEST(RequestBody, TheHeadDecidesHowLongItMayBe) {
  const HttpServer server(settings(), length_of);
  BareClient client(server, post("/small", 10) + std::string(10, 'x'));
  EXPECT_THAT(client.read_some(), HasSubstr("10 bytes"));
  client.write(post("/large", 3'000'000, "Connection: close\r\n") + std::string(3'000'000, 'x'));
  EXPECT_THAT(client.read_to_end(), HasSubstr("3000000 bytes"));
  for (const char* path : {"/small", "/large"}) {
    BareClient chunked(server, std::string("POST ") + path +
                                   " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                   "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n");
    if (path == std::string("/small")) {
      EXPECT_THAT(chunked.read_to_end(), StartsWith("HTTP/1.1 413"));
    } else {
      EXPECT_THAT(chunked.read_some(), HasSubstr("16 bytes"));
    }
  }
}

TEST(RequestBody, OneThatIsTooLongIsRefusedBeforeItIsSent) {
  const HttpServer server(settings(), length_of);
  for (const char* expect : {"", "Expect: 100-continue\r\n"}) {
    BareClient client(server, post("/small", 11, expect));
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 413"));
  }
}

TEST(RequestBody, WhoSendsItAllTheSameStillLearnsWhyNot) {
  const HttpServer server(settings(), length_of);
  for (const char* path : {"/small", "/none"}) {
    BareClient client(server, post(path, 20'000'000) + std::string(20'000'000, 'x'));
    EXPECT_THAT(client.read_to_end(),
                StartsWith(path == std::string("/none") ? "HTTP/1.1 200" : "HTTP/1.1 413"));
  }
}

TEST(RequestBody, OneThatIsNotWantedIsNotRead) {
  const HttpServer server(settings(), length_of);
  BareClient client(server, post("/none", 5, "Expect: 100-continue\r\n"));
  const std::string answer = client.read_to_end();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("0 bytes"));
  EXPECT_THAT(answer, HasSubstr("Connection: close")) << "the body would be taken for a request";
}

TEST(RequestBody, WhereNoneFollowsTheConnectionGoesOnAllTheSame) {
  const HttpServer server(settings(), length_of);
  BareClient client(server, "GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.read_some(), HasSubstr("0 bytes"));
  client.write(last_get("/none"));
  EXPECT_THAT(client.read_to_end(), HasSubstr("0 bytes"));
}

TEST(RequestBody, ACodingOtherThanChunkedIsRefusedAndNothingBehindItIsARequest) {
  const HttpServer server(settings(), length_of);
  for (const char* coding :
       {"gzip", "chunked, gzip", "gzip, chunked", "identity", "xchunked", "chunked;a=b"}) {
    for (const char* length : {"", "Content-Length: 2\r\n"}) {
      BareClient client(server, std::string("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ") +
                                    coding + "\r\n" + length + "\r\nGET /behind HTTP/1.1\r\nHost: a\r\n\r\n");
      const std::string answer = client.read_to_end();
      EXPECT_THAT(answer, testing::ContainsRegex("^HTTP/1.1 (501|400) ")) << coding;
      EXPECT_THAT(answer, HasSubstr("Connection: close")) << coding;
      EXPECT_EQ(answer.find("HTTP/1.1"), answer.rfind("HTTP/1.1")) << coding << ": one answer";
      if (*length == '\0') {
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 501")) << coding;
      }
    }
  }
  BareClient client(
      server, "POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
  EXPECT_THAT(client.read_some(), HasSubstr("2 bytes"));
}

TEST(RequestBody, WhatChunksAreMadeOfIsBounded) {
  const std::string long_line = ";a=" + std::string(7000, 'a') + "\r\nx\r\n";
  const std::vector<std::array<std::string, 3>> floods = {
      {"extension", "1;a=", std::string(4096, 'a')},
      {"size", "", std::string(4096, '0')},
      {"trailers", "0\r\n", "X-Trailer: " + std::string(100, 'a') + "\r\n"},
      {"one trailer", "0\r\nX: ", std::string(4096, 'a')},
      {"chunks", "", "1" + long_line},
      {"padded chunks", "", std::string(7000, '0') + "1\r\nx\r\n"},
  };
  for (const auto& [name, first, then] : floods) {
    for (const char* path : {"/large", "/small"}) {
      const HttpServer server(settings(), length_of);
      BareClient client(
          server, std::string("POST ") + path + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + first);
      std::size_t sent = 0;
      while (!client.has_answer() && sent < 64'000'000) {
        client.write(then);
        sent += then.size();
      }
      ASSERT_LT(sent, 64'000'000u) << name << " of " << path;
      EXPECT_THAT(client.read_some(), testing::ContainsRegex("^HTTP/1.1 4(13|31) "))
          << name << " of " << path;
    }
  }
}

TEST(RequestBody, TrailersAndExtensionsOfAPoliteClientAreRead) {
  const HttpServer server(settings(), length_of);
  BareClient client(server,
                    "POST /small HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "8;name=value\r\n12345678\r\n2\r\n90\r\n0;last\r\nX-Sum: " +
                        std::string(7000, 'a') + "\r\n\r\nGET /next HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string both = client.read_to_end();
  EXPECT_THAT(both, HasSubstr("10 bytes"));
  EXPECT_THAT(both, HasSubstr("0 bytes\n"));
}

TEST(RequestBody, AClientThatExpectsAWordGetsIt) {
  const HttpServer server(settings(), length_of);
  BareClient client(server, post("/large", 5, "Expect: 100-Continue\r\n"));
  EXPECT_EQ(client.read_some(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.write("12345");
  EXPECT_THAT(client.read_some(), HasSubstr("5 bytes"));
  client.write(post("/large", 0, "Expect: 100-continue\r\n"));
  EXPECT_THAT(client.read_some(), StartsWith("HTTP/1.1 200")) << "there is nothing to continue with";
  client.write(post("/large", 5, "Expect: the-moon\r\n"));
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 417"));
}

TEST(RequestBody, WhatTheWorkHoldsIsGivenBackBeforeTheAnswer) {
  std::weak_ptr<void> taken;
  const HttpServer server(settings(), [&taken](const Request&) {
    Response response;
    const std::shared_ptr<void> hold = std::make_shared<char>();
    taken = hold;
    response.later = [hold](Request& request) { return length_of(request); };
    return response;
  });
  BareClient client(server, post("/", 3) + "abc");
  EXPECT_THAT(client.read_some(), HasSubstr("3 bytes"));
  EXPECT_TRUE(taken.expired());
}

TEST(RequestBody, OneThatComesSlowerThanTheLeastRateIsCutOff) {
  ServerSettings slow = settings();
  slow.limits.request_max = std::chrono::milliseconds(50);
  const HttpServer server(slow, length_of);
  // Its length alone would allow two seconds more.
  BareClient client(server, post("/large", 2 * 1024 * 1024) + std::string(100, 'x'));
  EXPECT_EQ(client.read_to_end(), "");
}

// How long bodies may be that a test sends one after the other.
ServerSettings receiving(std::uint64_t bytes, std::chrono::milliseconds slow_after) {
  ServerSettings settings = on_a_free_port({.slow_after = slow_after, .receiving_bytes_max = bytes});
  settings.admit = [](const Request&) { return Admission{.body_bytes_max = 64 * 1024 * 1024}; };
  return settings;
}

TEST(RequestBody, ALargeOneIsReadWhileOthersThatStallHoldTheirs) {
  constexpr std::size_t bytes = 3'000'000;
  const HttpServer server(receiving(1'000'000, std::chrono::milliseconds(100)), length_of);
  BareClient stalled(server, post("/", 100'000) + std::string(99'999, 'x'));
  std::string answer;
  do {  // until the other one is slow
    BareClient client(server, post("/", bytes, "Connection: close\r\n") + std::string(bytes, 'x'));
    answer = client.read_to_end();
    ASSERT_THAT(answer, testing::AnyOf(HasSubstr("3000000 bytes"), StartsWith("HTTP/1.1 503")));
  } while (answer.starts_with("HTTP/1.1 503"));
  EXPECT_EQ(stalled.read_to_end(), "") << "the slowest gives way";
}

TEST(RequestBody, ALargeOneIsRefusedWhileOthersThatAreNotSlowHoldTheirs) {
  constexpr std::size_t bytes = 3'000'000;
  const HttpServer server(receiving(1'000'000, std::chrono::hours(1)), length_of);
  BareClient first(server, post("/", 100'000) + std::string(99'999, 'x'));
  BareClient small(server, post("/", 10) + std::string(10, 'x'));
  EXPECT_THAT(small.read_some(), HasSubstr("10 bytes"));
  std::unique_ptr<BareClient> second;
  std::string refused;
  do {  // until the server has read enough of the first
    second = std::make_unique<BareClient>(server, post("/", bytes, "Connection: close\r\n"));
    second->write(std::string(bytes, 'x'));
    refused = second->read_to_end();
  } while (refused.starts_with("HTTP/1.1 200"));
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("Retry-After: "));
  first.write("x");
  EXPECT_THAT(first.read_some(), HasSubstr("100000 bytes"));
}

TEST(RequestBody, ALongAnswerDoesNotHoldUpOthers) {
  std::promise<void> go;
  const std::shared_future<void> told = go.get_future().share();
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  const HttpServer server(settings(), [&](const Request& request) {
    if (request.path == "/now") return text_response(200, "now");
    Response response;
    response.later = [&](Request& each) {
      most = std::max(most.load(), ++at_once);
      told.wait();
      --at_once;
      if (each.path == "/throw") throw std::runtime_error("a secret");
      return text_response(201, each.path);
    };
    return response;
  });
  BareClient first(server, last_get("/later"));
  BareClient second(server, last_get("/throw"));
  BareClient other(server, last_get("/now"));
  EXPECT_THAT(other.read_to_end(), HasSubstr("now"));
  go.set_value();
  EXPECT_THAT(first.read_to_end(), StartsWith("HTTP/1.1 201"));
  const std::string failed = second.read_to_end();
  EXPECT_THAT(failed, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(failed, Not(HasSubstr("secret")));
  EXPECT_EQ(most, 1) << "one after the other";
}

TEST(RequestBody, AServerEndsAfterWhatItAnswersLater) {
  std::promise<void> began;
  std::atomic<bool> ended = false;
  {
    const HttpServer server(settings(), [&](const Request&) {
      Response response;
      response.later = [&](Request&) {
        began.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ended = true;
        return text_response(200, "too late");
      };
      return response;
    });
    BareClient client(server, get);
    began.get_future().wait();
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace graphbench::service
