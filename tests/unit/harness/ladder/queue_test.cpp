// Waiting and response by the server's own clock.
#include <gtest/gtest.h>

#include "harness/ladder/traffic.hpp"

namespace graphbench::ladder {
namespace {

TEST(Queue, AStepThatFindsTheServerIdleWaitsForNothing) {
  Queue queue;
  EXPECT_EQ(queue.idle_before(2), 2);
  const Queue::Turn turn = queue.serve(2, 0.5);
  EXPECT_EQ(turn.wait, 0);
  EXPECT_EQ(turn.response, 0.5);
  EXPECT_EQ(queue.idle_before(4), 1.5);
}

TEST(Queue, AStepWaitsForThoseBeforeItAndForNothingElse) {
  Queue queue;
  queue.serve(1, 0.5);
  EXPECT_EQ(queue.idle_before(1.25), 0);
  const Queue::Turn turn = queue.serve(1.25, 2);
  EXPECT_EQ(turn.wait, 0.25);
  EXPECT_EQ(turn.response, 2.25);
}

TEST(Queue, TheLastOfStepsThatArriveAtOnceRespondsAfterAllLatencies) {
  Queue queue;
  double busy = 0, latest = 0;
  for (int step = 1; step <= 64; ++step) {
    busy += step;
    EXPECT_EQ(queue.idle_before(0), 0);
    latest = queue.serve(0, step).response;
  }
  EXPECT_EQ(latest, busy);
}

}  // namespace
}  // namespace graphbench::ladder
