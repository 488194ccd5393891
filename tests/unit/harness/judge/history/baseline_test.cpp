// Tests which entry of a history becomes the baseline of a comparison.
#include "harness/judge/history/baseline.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::judge {
namespace {

using testing::HasSubstr;

struct Made {
  std::string started_at = "2026-11-01T00:00:00Z";
  std::string driver = "580";
  std::string plan = "p1";
  std::string branch = "main";
  bool complete = true;
};

std::string document(const Made& made) {
  return R"({"schema": "graphbench.result/1", "tool": {"version": "0.1.0"}, "started_at": ")" +
         made.started_at + R"(", "complete": )" + (made.complete ? "true" : "false") +
         R"(, "environment": {"device": {"kind": "cuda", "name": "H200", "driver": ")" + made.driver +
         R"("}, "fingerprint": "f)" + made.driver + R"("}, "plan": {"method": 2, "hash": ")" + made.plan +
         R"("}, "cells": [{"id": "mlp/x", "status": "ok", "launches": [{"index": 0, )"
         R"("latency_seconds": {"p50": 1e-3}}]}]})";
}

Side side(const Made& made) {
  return merge("new.json", {model::parse_copy(document(made), "new.json")});
}

class Baseline : public testing::Test {
 protected:
  void add(const Made& made) {
    NewEntry entry;
    entry.document = document(made);
    const model::Document parsed = model::parse_copy(entry.document, "x");
    entry.entry.label = {"0123456789", made.branch, "nightly"};
    entry.entry.started_at = made.started_at;
    entry.entry.fingerprint = parsed.facts.fields.at("fingerprint");
    entry.entry.plan_hash = plan_key(parsed.facts);
    entry.entry.complete = made.complete;
    entry.medians = medians_of(parsed);
    store_.add({entry});
  }

  std::string source(const std::string& name, const Made& now, const std::vector<std::string>& allow = {}) {
    std::string source;
    const std::string refused = test::refusal([&] {
      source = find_baseline(store_, {name, "new.json", allow}, side(now)).source;
    });
    return source.empty() ? refused : source;
  }

  const Made now_{"2026-12-01T00:00:00Z", "580", "p1", "main", true};
  test::TemporaryFolder folder_;
  Store store_{folder_.path() / "h.sqlite", Store::Access::create};
};

TEST_F(Baseline, IsTheLatestByTimeOfMeasurement) {
  add({"2026-11-03T00:00:00Z", "580", "p1", "main", true});
  add({"2026-11-02T00:00:00Z", "580", "p1", "main", true});
  add({"2026-11-04T00:00:00Z", "580", "p1", "topic", true});
  EXPECT_EQ(source("main", now_), "history entry 1 (main)");
  EXPECT_EQ(source("topic", now_), "history entry 3 (topic)");
  EXPECT_EQ(source("nightly", now_), "history entry 3 (nightly)");
  EXPECT_EQ(source("0123456", now_), "history entry 3 (0123456)");
}

TEST_F(Baseline, MayHaveAnotherDriverWhereThereIsNoneWithTheSame) {
  add({"2026-11-01T00:00:00Z", "580", "p1", "main", true});
  add({"2026-11-02T00:00:00Z", "570", "p1", "main", true});
  EXPECT_EQ(source("main", now_), "history entry 1 (main)");
  EXPECT_EQ(source("main", {"2026-12-01T00:00:00Z", "590", "p1", "main", true}), "history entry 2 (main)");
}

TEST_F(Baseline, HasTheSamePlanUnlessAllowed) {
  add({"2026-11-01T00:00:00Z", "580", "p2", "main", true});
  EXPECT_THAT(source("main", now_),
              HasSubstr("1 of 1 entries have the name \"main\", but none is comparable"));
  EXPECT_THAT(source("main", now_), HasSubstr("differs in plan"));
  EXPECT_EQ(source("main", now_, {"plan"}), "history entry 1 (main)");
}

TEST(PlanKey, KeepsMethodsOfMeasuringApart) {
  model::DocumentFacts facts;
  facts.fields["plan"] = "aa";
  facts.fields["method"] = "1";
  EXPECT_EQ(plan_key(facts), "aa method 1");
  facts.fields["method"] = "2";
  EXPECT_EQ(plan_key(facts), "aa method 2");
}

TEST_F(Baseline, IsNoInterruptedSweepAndNotTheResultItself) {
  add({"2026-11-01T00:00:00Z", "580", "p1", "main", true});
  add({"2026-11-02T00:00:00Z", "580", "p1", "main", false});
  add(now_);
  EXPECT_EQ(source("main", now_), "history entry 1 (main)");
}

// The history after the first `history add` to a new file.
TEST_F(Baseline, SaysWhereOnlyTheResultItselfHasTheName) {
  add(now_);
  EXPECT_THAT(source("main", now_), HasSubstr("only NEW, \"new.json\", has the name \"main\""));
}

// Entries of every plan and driver count, because before a sweep its plan is not known.
TEST_F(Baseline, EntriesOfANameAreAllOfThemOldestFirst) {
  add({"2026-11-03T00:00:00Z", "580", "p1", "main", true});
  add({"2026-11-02T00:00:00Z", "570", "p2", "main", false});
  add({"2026-11-01T00:00:00Z", "580", "p1", "topic", true});
  const std::vector<HistoryEntry> called = entries_called(store_, "main");
  ASSERT_EQ(called.size(), 2u);
  EXPECT_EQ(called[0].id, 2);
  EXPECT_EQ(called[1].id, 1);
  EXPECT_THROW(entries_called(store_, "mian"), InputError);
}

TEST_F(Baseline, IsMissedByName) {
  EXPECT_THAT(source("main", now_), HasSubstr("no entry of the history has the name \"main\""));
  add({"2026-11-01T00:00:00Z", "580", "p1", "topic", true});
  EXPECT_THAT(source("main", now_), HasSubstr("give one of nightly, topic"));
  EXPECT_THAT(source("012345", now_), HasSubstr("no entry of the history")) << "six digits name no commit";
}

}  // namespace
}  // namespace graphbench::judge
