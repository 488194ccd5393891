// What a person may write behind --prometheus-listen.
#include "harness/service/net/listen_address.hpp"

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

}  // namespace
}  // namespace graphbench::net
