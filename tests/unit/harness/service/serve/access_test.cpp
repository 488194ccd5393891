// Names and tokens as clients spell them.
#include "harness/service/serve/access.hpp"

#include <gtest/gtest.h>

namespace graphbench::serve {
namespace {

constexpr const char* token = "correct-horse-battery";

unsigned status_for(std::map<std::string, std::string> headers, const Access& access = {}) {
  net::Request request;
  request.method = "GET";
  request.path = "/v1/sweeps";
  request.headers = std::move(headers);
  const std::optional<net::Response> refused = refusal_of(request, access);
  return refused ? refused->status : 200;
}

TEST(Access, LoopbackIsAnsweredUnderItsNameAndAnyOfItsAddresses) {
  for (const char* host : {"localhost", "LOCALHOST:9464", "LocalHost", "127.0.0.1", "127.0.0.2:9464",
                           "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]:9464"}) {
    EXPECT_EQ(status_for({{"host", host}}), 200u) << host;
  }
  for (const char* host :
       {"", ":", "[", "[]", "::1", "[127.0.0.1]", "127.0.0.1.evil.example", "127.1", "0177.0.0.1", "10.0.0.1",
        "0.0.0.0", "[::]", "localhost.", "localhost.evil.example", "user@127.0.0.1", "127.0.0.1:x",
        "127.0.0.1:1:1", " 127.0.0.1"}) {
    EXPECT_EQ(status_for({{"host", host}}), 421u) << host;
  }
}

TEST(Access, TheSchemeOfATokenHasNoCaseAndTheTokenHas) {
  const Access access{.token = token};
  const std::string given = token;
  for (const std::string& good : {"Bearer " + given, "bearer " + given, "BEARER   " + given}) {
    EXPECT_EQ(status_for({{"authorization", good}}, access), 200u) << good;
  }
  for (const std::string& bad : {given, std::string("Bearer"), std::string("Bearer "), "Bearer" + given,
                                 "Basic " + given, "Bearer X" + given, "Bearer " + given + " ",
                                 std::string("Bearer Correct-horse-battery"), std::string()}) {
    EXPECT_EQ(status_for({{"authorization", bad}}, access), 401u) << bad;
  }
}

}  // namespace
}  // namespace graphbench::serve
