// Tests which questions are asked again in a run that continues an earlier one, and the progress that is
// shown.
#include "harness/sweep/asker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/model/codec/result_fields.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::sweep {

struct TestAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::string text;
};

}  // namespace graphbench::sweep

namespace graphbench::model {

GB_DESCRIBE(sweep::TestAnswer, status, text);

}  // namespace graphbench::model

namespace graphbench::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AskerTest : public testing::Test {
 protected:
  // Asks these questions in a run of its own; `answer` is what each process would say.
  std::vector<std::string> ask(const std::vector<Question>& questions, const TestAnswer& answer) {
    sweep::Run run{supervisor_, progress_, earlier_,
                   [&](const FinishedTask& task) { kept_.push_back(task); }};
    Asker asker(run);
    asker.expect(std::ssize(questions));
    std::vector<std::string> said;
    for (const Question& question : questions) {
      const auto start = [&](const process::TickHandler&) {
        ++started_;
        return answer;
      };
      said.push_back(asker.ask<TestAnswer>(question, start).text);
    }
    return said;
  }
  void go_on() { earlier_.finished.insert(earlier_.finished.end(), kept_.begin(), kept_.end()); }

  process::ProcessSupervisor supervisor_;
  std::ostringstream shown_;
  ProgressPrinter progress_{shown_, false, false};
  Earlier earlier_{{}, {.hostname = "node1", .uuid = "GPU-1"}, "--json: \"r.json.partial\""};
  std::vector<FinishedTask> kept_;
  int started_ = 0;
};

TEST_F(AskerTest, AnAnswerIsKeptAndNotAskedForAgain) {
  const std::vector<Question> questions = {{"first", "1"}, {"second", "2"}};
  ask({questions[0]}, {.text = "before"});
  go_on();
  EXPECT_TRUE(is_answered(questions[0], earlier_));
  EXPECT_FALSE(is_answered(questions[1], earlier_));
  EXPECT_THAT(ask(questions, {.text = "now"}), ElementsAre("before", "now"));
  EXPECT_EQ(started_, 2);
  EXPECT_EQ(kept_.size(), 2u);
}

TEST_F(AskerTest, EqualQuestionsAreAnsweredInTheirOrder) {
  const Question question{"run", "1"};
  ask({question}, {.text = "one"});
  go_on();
  EXPECT_THAT(ask({question, question}, {.text = "two"}), ElementsAre("one", "two"));
}

TEST_F(AskerTest, AFailureIsAskedForAgainUnlessItIsTheMeasurement) {
  for (const bool of_failure : {false, true}) {
    kept_.clear();
    ask({{"run", "1", of_failure}}, {model::CellStatus::failed, "out of memory"});
    EXPECT_EQ(kept_.size(), of_failure ? 1u : 0u);
  }
}

TEST_F(AskerTest, AnotherDevicesAnswerIsAskedForAgain) {
  ask({{"run", "1"}}, {.text = "there"});
  go_on();
  earlier_.here.uuid = "GPU-2";
  EXPECT_THAT(ask({{"run", "1"}}, {.text = "here"}), ElementsAre("here"));
}

TEST_F(AskerTest, AnAnswerThatCannotBeReadIsRefusedWithItsPlace) {
  ask({{"run", "1"}}, {.text = "said"});
  kept_[0].events = {"{"};
  go_on();
  EXPECT_THAT(test::refusal([&] {
                return ask({{"run", "1"}}, {}).size();
              }),
              testing::AllOf(HasSubstr("--json: \"r.json.partial\": task run "),
                             HasSubstr("has an invalid line"), HasSubstr("give another --json")));
}

TEST_F(AskerTest, ProgressCountsWhatIsTakenOver) {
  ask({{"first", "1"}}, {});
  go_on();
  shown_.str("");
  ask({{"first", "1"}, {"second", "2"}}, {});
  progress_.finish();
  EXPECT_THAT(shown_.str(), HasSubstr("[2/2] 100%  worker 2/2  second"));
}

}  // namespace
}  // namespace graphbench::sweep
