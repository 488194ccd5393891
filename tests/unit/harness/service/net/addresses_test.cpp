// What is an address to listen at, and what a URL of another server; and how texts stand in paths.
#include "harness/service/net/addresses.hpp"

#include <gtest/gtest.h>

namespace graphbench::net {
namespace {

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
}  // namespace graphbench::net
