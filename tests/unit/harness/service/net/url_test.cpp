// Which addresses we send requests to, and how values become parts of a path.
#include "harness/service/net/url.hpp"

#include <gtest/gtest.h>

namespace graphbench::net {
namespace {

TEST(Url, SplitsIntoItsParts) {
  const auto url = parse_url("https://gateway.example:9091/team/a//");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "gateway.example");
  EXPECT_EQ(url->port, "9091");
  EXPECT_EQ(url->path, "/team/a");
}

TEST(Url, KnowsThePortsOfItsSchemes) {
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

TEST(Url, EncodesEveryByteThatIsNotPlain) {
  EXPECT_EQ(percent_encoded("a-Z_0.~"), "a-Z_0.~");
  EXPECT_EQ(percent_encoded("a b/\xc3\xa4%"), "a%20b%2F%C3%A4%25");
}

TEST(Url, Base64IsTheAlphabetForUrls) {
  EXPECT_EQ(base64_url(""), "");
  EXPECT_EQ(base64_url("a/b"), "YS9i");
  EXPECT_EQ(base64_url("\xff\xef\xbf\xff"), "_--__w==");
}

}  // namespace
}  // namespace graphbench::net
