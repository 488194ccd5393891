// Heads as a parser hands them on, and what they ask for.
#include <gtest/gtest.h>

#include "harness/service/net/connection.hpp"

namespace graphbench::net {
namespace {

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

}  // namespace
}  // namespace graphbench::net
