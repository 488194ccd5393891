// Tests which handler answers which path, heads as the parser returns them, addresses to listen at, URLs of
// other servers, and how text is encoded in paths.
#include "harness/service/net/http.hpp"

#include <gtest/gtest.h>

#include "harness/service/net/addresses.hpp"
#include "harness/service/net/connection.hpp"

namespace graphbench::service {
namespace {

Response ask(const Router& router, const std::string& method, const std::string& path) {
  Request request;
  request.method = method;
  request.path = path;
  return router(request);
}

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    router.add("GET", "/", [](const Request&) { return text_response(200, "root"); });
    router.add("GET", "/v1/sweeps", [](const Request&) { return text_response(200, "list"); });
    router.add("POST", "/v1/sweeps", [](const Request&) { return text_response(202, "added"); });
    router.add("GET", "/v1/sweeps/{id}/results",
               [](const Request& request) { return text_response(200, request.parameters.at("id")); });
  }
  Router router;
};

TEST_F(RouterTest, MethodAndPathDecide) {
  EXPECT_EQ(*ask(router, "GET", "/").body, "root\n");
  EXPECT_EQ(*ask(router, "GET", "/v1/sweeps").body, "list\n");
  EXPECT_EQ(ask(router, "HEAD", "/v1/sweeps").status, 200u) << "what GET reaches";
  EXPECT_EQ(ask(router, "POST", "/v1/sweeps").status, 202u);
  EXPECT_EQ(*ask(router, "GET", "/v1/sweeps/7/results").body, "7\n");
}

TEST_F(RouterTest, OtherPathsAreNotFound) {
  for (const char* path : {"", "*", "/v1", "/v1/sweeps/", "//v1/sweeps", "/v1/sweeps//results",
                           "/v1/sweeps/7/results/", "/v1/sweeps/7/8/results", "/v1/%73weeps", "v1/sweeps"}) {
    EXPECT_EQ(ask(router, "GET", path).status, 404u) << path;
  }
}

TEST_F(RouterTest, OtherMethodsAreToldWhatIsAllowed) {
  const Response response = ask(router, "DELETE", "/v1/sweeps");
  EXPECT_EQ(response.status, 405u);
  ASSERT_EQ(response.headers.size(), 1u);
  EXPECT_EQ(response.headers[0].first, "Allow");
  EXPECT_EQ(response.headers[0].second, "GET, HEAD, POST");
}

TEST(Router, RefusesInTheFormItWasGiven) {
  Router router([](unsigned status, const std::string& why) {
    Response response = text_response(status, "no: " + why);
    response.content_type = "text/odd";
    return response;
  });
  router.add("GET", "/here", [](const Request&) { return text_response(200, "here"); });
  const Response missing = ask(router, "GET", "/there");
  EXPECT_EQ(missing.status, 404u);
  EXPECT_EQ(missing.content_type, "text/odd");
  EXPECT_EQ(*missing.body, "no: this path does not exist\n");
  EXPECT_EQ(*ask(router, "GET", "there").body, "no: this path does not exist\n");
  const Response wrong = ask(router, "PUT", "/here");
  EXPECT_EQ(*wrong.body, "no: this path does not take PUT\n");
  ASSERT_EQ(wrong.headers.size(), 1u);
  EXPECT_EQ(wrong.headers[0].second, "GET, HEAD");
}

using Head = boost::beast::http::request_header<>;

Head head(const std::string& target) {
  Head head;
  head.method_string("POST");
  head.target(target);
  head.insert("Host", "localhost:1");
  return head;
}

TEST(RequestHead, PathAndQueryAreApartAndNamesInLowerCase) {
  Head given = head("/a%2Fb?c=d?e");
  given.insert("X-Name", "Value");
  const std::optional<Request> request = request_of(given);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->path, "/a%2Fb");
  EXPECT_EQ(request->query, "c=d?e");
  EXPECT_EQ(request->header("x-name"), "Value");
  EXPECT_EQ(request->header("host"), "localhost:1");
}

TEST(RequestHead, AnAbsoluteTargetSaysItsHostItself) {
  const std::optional<Request> request = request_of(head("HTTP://127.0.0.1:9464/v1/sweeps?limit=1"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/v1/sweeps");
  EXPECT_EQ(request->query, "limit=1");
  EXPECT_EQ(request->header("host"), "127.0.0.1:9464") << "and not what the header says";
  EXPECT_EQ(request_of(head("https://evil.example"))->header("host"), "evil.example");
  EXPECT_EQ(request_of(head("https://evil.example"))->path, "/");
  EXPECT_EQ(request_of(head("http://a?b=/c"))->path, "/");
  EXPECT_EQ(request_of(head("http://a?b=/c"))->query, "b=/c");
  EXPECT_EQ(request_of(head("http:///metrics"))->header("host"), "") << "an empty name";
}

TEST(RequestHead, OtherTargetsStayAsTheyAre) {
  for (const char* target : {"*", "localhost:1", "ftp://localhost/x", "//localhost/x"}) {
    EXPECT_EQ(request_of(head(target))->path, target);
    EXPECT_EQ(request_of(head(target))->header("host"), "localhost:1");
  }
}

TEST(RequestHead, WhatDecidesWhoAsksIsGivenOnce) {
  for (const char* name : {"HOST", "Sec-Fetch-Site", "Authorization", "Origin", "Content-Type"}) {
    Head given = head("/");
    given.set(name, "localhost");
    EXPECT_TRUE(request_of(given)) << name;
    given.insert(name, "localhost");
    EXPECT_FALSE(request_of(given)) << name;
  }
  Head given = head("/");
  given.insert("Accept", "text/html");
  given.insert("Accept", "text/plain");
  EXPECT_TRUE(request_of(given));
}

TEST(ListenAddress, NumericAddressesAndLocalhostAreTaken) {
  const auto v4 = parse_listen_address("127.0.0.1:9464");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->text(), "127.0.0.1:9464");
  EXPECT_TRUE(v4->loopback);
  const auto v6 = parse_listen_address("[::1]:0");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->text(), "[::1]:0");
  EXPECT_TRUE(v6->loopback);
  EXPECT_EQ(parse_listen_address("localhost:65535")->text(), "127.0.0.1:65535");
}

TEST(ListenAddress, AnythingButLoopbackIsReachable) {
  for (const char* text : {"0.0.0.0:1", "[::]:1", "192.0.2.7:1", "[2001:db8::1]:1", "[::ffff:192.0.2.7]:1"}) {
    ASSERT_TRUE(parse_listen_address(text)) << text;
    EXPECT_FALSE(parse_listen_address(text)->loopback) << text;
  }
}

TEST(ListenAddress, AnythingElseIsRefused) {
  for (const char* text : {"", ":", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                           "127.0.0.1:-1", "127.0.0.1:94 64", "127.0.0.1:0x10", "::1:9464", "[::1]", "[::1:9",
                           "[127.0.0.1]:1", "localhost.example:1", "[]:1", "127.1:1", "http://127.0.0.1:1"}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
}

TEST(Url, SplitsIntoItsPartsAndKnowsThePortsOfItsSchemes) {
  const auto url = parse_url("https://gateway.example:9091/team/a//");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "gateway.example");
  EXPECT_EQ(url->port, "9091");
  EXPECT_EQ(url->path, "/team/a");
  EXPECT_EQ(parse_url("http://a")->port, "80");
  EXPECT_EQ(parse_url("http://a/")->path, "");
  EXPECT_EQ(parse_url("https://[::1]")->port, "443");
  EXPECT_EQ(parse_url("https://[::1]")->host, "::1");
}

TEST(Url, AnythingElseIsRefused) {
  for (const char* text : {"", "a", "a:1", "ftp://a", "http://", "http://:1", "http://a:0", "http://a:65536",
                           "http://a:x", "http://user:secret@a", "http://a?x", "http://a#x", "http://a/b c",
                           "http://a/\r\nX: y", "HTTP://a", "http://[::1"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Url, EncodesEveryByteThatIsNotPlainAndBase64InTheAlphabetForUrls) {
  EXPECT_EQ(percent_encoded("a-Z_0.~"), "a-Z_0.~");
  EXPECT_EQ(percent_encoded("a b/\xc3\xa4%"), "a%20b%2F%C3%A4%25");
  EXPECT_EQ(base64_url(""), "");
  EXPECT_EQ(base64_url("a/b"), "YS9i");
  EXPECT_EQ(base64_url("\xff\xef\xbf\xff"), "_--__w==");
}

}  // namespace
}  // namespace graphbench::service
