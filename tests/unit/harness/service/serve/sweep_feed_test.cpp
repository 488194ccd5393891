// What a follower is told, whenever it comes.
#include "harness/service/serve/sweep_feed.hpp"

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.hpp"

namespace graphbench::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

class SweepFeedTest : public testing::Test {
 protected:
  SweepFeedTest() : id_(store_.add({}, "", 10).sweep.id) {}

  void finish_cell(const std::string& cell, const std::string& document) {
    feed_.tell_cells(id_, store_.add_cells(id_, {{cell, document}}));
  }

  void end() {
    store_.end(id_, {SweepState::done, 0, "", std::nullopt});
    feed_.tell_done(id_);
  }

  static std::string taken(net::BodyStream& stream) {
    std::string text;
    for (auto each = stream.take(); each.bytes; each = stream.take()) text += *each.bytes;
    return text;
  }

  // From the past on.
  static std::string taken(const SweepFeed::Following& following) {
    return *following.past + taken(*following.stream);
  }

  SweepFeed::Following follow(std::int64_t after = 0) { return feed_.follow(id_, after).value(); }

  test::TemporaryFolder folder_;
  SweepStore store_{folder_.file("sweeps.sqlite")};
  static constexpr std::size_t followers_max = 20;
  SweepFeed feed_{store_, followers_max};
  std::string id_;
};

TEST_F(SweepFeedTest, ToldInOrderUntilTheEndAndWholeAfterIt) {
  const auto following = follow();
  feed_.tell_progress(id_, "{\"a\": 1}");
  finish_cell("one", "{\"b\": 2}");
  EXPECT_EQ(taken(following),
            ": graphbench\n\nevent: progress\ndata: {\"a\": 1}\n\n"
            "id: 1\nevent: cell\ndata: {\"b\": 2}\n\n");
  EXPECT_EQ(feed_.followers(), 1u);
  end();
  const std::string rest = taken(*following.stream);
  EXPECT_THAT(rest, HasSubstr("event: done\ndata: {"));
  EXPECT_THAT(rest, HasSubstr("\"state\":\"done\""));
  EXPECT_EQ(following.stream->take().what, net::BodyStream::Taken::What::over);
  EXPECT_EQ(feed_.followers(), 0u);
  const auto late = follow();
  EXPECT_THAT(taken(late), testing::AllOf(HasSubstr("event: cell"), HasSubstr("event: done")));
  EXPECT_EQ(late.stream->take().what, net::BodyStream::Taken::What::over);
}

TEST_F(SweepFeedTest, WhoComesLateIsToldWhatHappenedAndNothingTwice) {
  finish_cell("one", "{\"n\": 1}");
  feed_.tell_progress(id_, "{\"a\": 1}");
  const std::vector<StoredCell> cells = store_.add_cells(id_, {{"two", "{\"n\": 2}"}});
  const auto following = follow();  // between the store and the telling
  feed_.tell_cells(id_, cells);
  const std::string text = taken(following);
  EXPECT_THAT(text, HasSubstr("{\"n\": 1}"));
  EXPECT_EQ(text.find("{\"n\": 2}"), text.rfind("{\"n\": 2}"));
  EXPECT_THAT(text, HasSubstr("event: progress"));
}

TEST_F(SweepFeedTest, AnEventsIdGoesOnWhereTheClientWas) {
  finish_cell("one", "{\"n\": 1}");
  finish_cell("two", "{\"n\": 2}");
  finish_cell("one", "{\"n\": 3}");
  finish_cell("two", "{\"n\": 2}");  // as before: nothing happened
  const std::string text = taken(follow(2));
  EXPECT_THAT(text, Not(HasSubstr("{\"n\": 2}")));
  EXPECT_THAT(text, HasSubstr("id: 3\nevent: cell\ndata: {\"n\": 3}"));
}

TEST_F(SweepFeedTest, WhoLagsIsDroppedAndTheOthersAreNot) {
  const auto slow = follow().stream;
  const auto quick = follow().stream;
  const std::string document = "{\"x\": \"" + std::string(1024 * 1024, 'x') + "\"}";
  for (int i = 0; i < 8; ++i) {
    feed_.tell_progress(id_, document);
    taken(*quick);
  }
  EXPECT_EQ(slow->take().what, net::BodyStream::Taken::What::cut_off);
  EXPECT_EQ(feed_.followers(), 1u);
}

TEST_F(SweepFeedTest, ThoseWhoComeTogetherShareThePast) {
  finish_cell("one", "{\"n\": 1}");
  const auto first = follow();
  EXPECT_EQ(follow().past, first.past);
  EXPECT_NE(follow(1).past, first.past);
  finish_cell("two", "{\"n\": 2}");
  const auto later = follow();
  EXPECT_NE(later.past, first.past);
  EXPECT_THAT(taken(first), HasSubstr("{\"n\": 2}")) << "as it happened";
  EXPECT_THAT(*later.past, HasSubstr("{\"n\": 2}"));
}

TEST_F(SweepFeedTest, NoMoreThanMayFollow) {
  std::vector<std::shared_ptr<net::BodyStream>> streams;
  for (std::size_t i = 0; i < followers_max; ++i) streams.push_back(follow().stream);
  EXPECT_FALSE(feed_.follow(id_, 0));
  streams.front()->detach();
  EXPECT_TRUE(feed_.follow(id_, 0));
}

}  // namespace
}  // namespace graphbench::serve
