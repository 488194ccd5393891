// Which handler answers which path.
#include "harness/service/net/http.hpp"

#include <gtest/gtest.h>

namespace graphbench::net {
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
  EXPECT_EQ(*missing.body, "no: there is nothing here\n");
  EXPECT_EQ(*ask(router, "GET", "there").body, "no: there is nothing here\n");
  const Response wrong = ask(router, "PUT", "/here");
  EXPECT_EQ(*wrong.body, "no: this path does not take PUT\n");
  ASSERT_EQ(wrong.headers.size(), 1u);
  EXPECT_EQ(wrong.headers[0].second, "GET, HEAD");
}

}  // namespace
}  // namespace graphbench::net
