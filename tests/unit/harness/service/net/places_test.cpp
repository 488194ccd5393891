// Whose place goes to whom.
#include "harness/service/net/places.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace graphbench::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const auto one = boost::asio::ip::make_address("10.0.0.1");
const auto other = boost::asio::ip::make_address("10.0.0.2");

class PlacesTest : public testing::Test {
 protected:
  std::shared_ptr<Place> quiet(Places& places, const boost::asio::ip::address& client, const char* name) {
    std::shared_ptr<Place> place = places.take(client);
    if (place) place->set_quiet([this, name] { moved_.emplace_back(name); });
    return place;
  }
  std::function<void()> count() {
    return [this] { ++freed_; };
  }

  std::vector<std::string> moved_;
  int freed_ = 0;
};

TEST_F(PlacesTest, TheLongestQuietGoesFirstAndIsCountedNoMore) {
  Places places({3, 3, std::chrono::milliseconds(0)}, count());
  auto first = quiet(places, one, "first");
  const auto second = quiet(places, one, "second");
  const auto third = quiet(places, other, "third");
  second->set_quiet([this] { moved_.emplace_back("second, later"); });
  const auto fourth = places.take(other);
  const auto fifth = places.take(other);
  EXPECT_THAT(moved_, ElementsAre("first", "third"));
  EXPECT_EQ(places.taken(), 3u);
  first.reset();
  EXPECT_EQ(places.taken(), 3u) << "what was taken away is not given back too";
}

TEST_F(PlacesTest, WhoHasAllItMayLosesOneOfItsOwn) {
  Places places({9, 2, std::chrono::milliseconds(0)}, count());
  const auto others = quiet(places, other, "other");
  const auto kept = places.take(one);
  const auto its_own = quiet(places, one, "its own");
  const auto next = places.take(one);
  EXPECT_THAT(moved_, ElementsAre("its own"));
  EXPECT_FALSE(places.take(one)) << "none of its own is quiet";
  EXPECT_TRUE(places.take(other));
}

TEST_F(PlacesTest, WhoHasJustComeOrIsAnsweredStays) {
  Places places({2, 2, std::chrono::hours(1)}, count());
  const auto begin = Place::Clock::now();
  auto first = places.take(one);
  const auto second = quiet(places, one, "second");
  EXPECT_EQ(freed_, 1) << "there is something to wait for";
  EXPECT_FALSE(places.take(other));
  EXPECT_THAT(moved_, IsEmpty());
  EXPECT_GE(places.next_at(), begin + std::chrono::hours(1)) << "when the second may go";
  second->keep();
  EXPECT_EQ(places.next_at(), Place::Clock::time_point::max());
  first.reset();
  EXPECT_EQ(freed_, 2);
  EXPECT_LT(places.next_at(), begin);
  EXPECT_TRUE(places.take(other));
}

}  // namespace
}  // namespace graphbench::net
