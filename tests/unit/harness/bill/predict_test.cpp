// Tests predictions from made-up and from recorded series of captures.
#include "harness/bill/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace graphbench::bill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double mib = 1 << 20;
constexpr double quantum = 2 * mib;

std::vector<std::int64_t> engine_sizes() {
  std::vector<std::int64_t> sizes = {1, 2, 4};
  for (std::int64_t size = 8; size <= 512; size += 8) sizes.push_back(size);
  return sizes;
}

// A machine whose driver reserves memory in quanta. The memory that each size really needs is exactly known.
struct Machine {
  double pool_of_row = 0.5 * mib;
  double exec = 0.2 * mib;
  double code_of_set = 3 * mib;  // loaded for each halving of the size
  double exec_left = 0, code_left = 0;
  int sets = 0;

  static double taken(double& left, double bytes) {
    const double quanta = std::ceil(std::max(bytes - left, 0.0) / quantum);
    left += quanta * quantum - bytes;
    return quanta * quantum;
  }
  Capture capture(std::int64_t size, bool first) {
    Capture made{.size = size, .mode = "whole"};
    const int set = static_cast<int>(std::log2(512.0 / static_cast<double>(size)));
    const double code = first ? 60 * mib : set > sets ? code_of_set : 0;
    sets = std::max(sets, set);
    made.growth = {.pool_bytes = first ? pool_of_row * static_cast<double>(size) : 0,
                   .workspace_bytes = first ? 32 * mib : 0,
                   .code_bytes = taken(code_left, code),
                   .exec_bytes = taken(exec_left, exec)};
    made.one_exec_bytes = exec;
    made.exec_resolution_bytes = 0.02 * mib;
    made.setup = {.prepare_seconds = 0.02,
                  .warmup_seconds = 0.001 + 1e-5 * static_cast<double>(size),
                  .capture_seconds = 0.002,
                  .break_seconds = {},
                  .instantiate_seconds = 0.001,
                  .upload_seconds = 0.0005,
                  .first_step_seconds = 0.0002,
                  .opening = {},
                  .compiled_from = {},
                  .compiled_pieces = {}};
    return made;
  }
  std::vector<Capture> captures(std::vector<std::int64_t> sizes) {
    std::vector<Capture> made;
    std::ranges::reverse(sizes);
    for (const std::int64_t size : sizes) made.push_back(capture(size, made.empty()));
    return made;
  }
};

Prediction predict_from(std::size_t count, const Machine& machine = {}, double confidence = 0.99) {
  const std::vector<std::int64_t> sizes = engine_sizes();
  return predict({sizes, {"whole"}}, Machine(machine).captures(sample_of(sizes, count)),
                 {.confidence = confidence, .quantum_bytes = quantum});
}

TEST(BillSample, HasTheTwoLargestTheSmallestAndHalvesTheGaps) {
  EXPECT_THAT(sample_of({1, 2, 4, 8, 16, 32}, 3), ElementsAre(1, 16, 32));
  EXPECT_THAT(sample_of({1, 2, 4, 8, 16, 32}, 4), ElementsAre(1, 4, 16, 32));
  EXPECT_THAT(sample_of({1, 2}, 3), ElementsAre(1, 2));
  EXPECT_THAT(sample_of({1, 2, 4}, 9), ElementsAre(1, 2, 4));
}

TEST(BillPrediction, IsWithinFivePercentFromThreeCaptures) {
  const Prediction told = predict_from(3);
  const Measured measured = measured_of(told, Machine().captures(engine_sizes()));
  EXPECT_EQ(3, told.captures);
  EXPECT_LT(std::abs(measured.error), 0.05);
  EXPECT_TRUE(measured.inside);
  EXPECT_NEAR(measured.seconds, told.seconds.expected, 0.01 * measured.seconds);
  EXPECT_EQ(engine_sizes().size(), told.sizes.size());
}

TEST(BillPrediction, ExpectsNoKernelsWhereNoCaptureAfterTheFirstLoadedAny) {
  const Machine machine{.pool_of_row = 0.01 * mib, .code_of_set = 0};
  EXPECT_LT(std::abs(measured_of(predict_from(3, machine), Machine(machine).captures(engine_sizes())).error),
            0.02);
}

TEST(BillPrediction, HoldsTheTruthForManyMachines) {
  int held = 0, machines = 0;
  for (const double row : {0.01, 0.1, 0.5, 2.0}) {
    for (const double exec : {0.05, 0.2, 0.7}) {
      for (const double code : {0.0, 0.5, 2.0, 6.0}) {
        const Machine machine{.pool_of_row = row * mib, .exec = exec * mib, .code_of_set = code * mib};
        const Prediction told = predict_from(3, machine);
        const Measured measured = measured_of(told, Machine(machine).captures(engine_sizes()));
        held += measured.inside ? 1 : 0;
        EXPECT_GE(told.reserve_bytes, measured.bytes) << row << ' ' << exec << ' ' << code;
        ++machines;
      }
    }
  }
  EXPECT_GE(held, machines - 1);
}

TEST(BillPrediction, OfAllSizesIsWhatWasMeasured) {
  const Prediction told = predict_from(1000);
  const Measured measured = measured_of(told, Machine().captures(engine_sizes()));
  EXPECT_DOUBLE_EQ(0, measured.error);
  EXPECT_DOUBLE_EQ(measured.seconds, told.seconds.expected);
  EXPECT_NEAR(told.bytes.high, told.bytes.expected, 2 * quantum);
}

TEST(BillPrediction, HasANarrowerIntervalFromMoreCapturesAndAtLessConfidence) {
  const auto half = [](const Prediction& of) { return of.bytes.high - of.bytes.expected; };
  EXPECT_LT(half(predict_from(9)), half(predict_from(3)));
  EXPECT_LT(half(predict_from(3, {}, 0.9)), half(predict_from(3)));
}

// PyTorch's memory grows like this if every size has its own pool.
TEST(BillPrediction, LaysALineBetweenPoolsThatGrowWithTheSize) {
  const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5};
  std::vector<Capture> captures;
  for (const std::int64_t size : {5, 4, 1})
    captures.push_back(
        {.size = size, .mode = "whole", .growth = {.pool_bytes = 10.0 * static_cast<double>(size)}});
  const Prediction told = predict({sizes, {"whole"}}, captures, {});
  EXPECT_DOUBLE_EQ(150, told.bytes.expected);
  EXPECT_DOUBLE_EQ(30, told.sizes[2].growth.pool_bytes);
  EXPECT_FALSE(told.sizes[2].captured);
  EXPECT_DOUBLE_EQ(50 + 4 * 40, told.line_bytes);
  EXPECT_LT(told.bytes.low, 150);
}

struct Grown {
  std::int64_t size;
  double pool, tensors, leftover;
};

// MiB of a library's allocator, as PyTorch's: it takes blocks, and all graphs share one pool.
Prediction predict_library(std::vector<std::int64_t> sizes, const std::vector<Grown>& captured) {
  std::vector<Capture> captures;
  for (const Grown& each : captured)
    captures.push_back({.size = each.size,
                        .mode = "whole",
                        .growth = {.pool_bytes = each.pool * mib},
                        .tensor_bytes = each.tensors * mib,
                        .leftover_bytes = each.leftover * mib});
  return predict({std::move(sizes), {"whole"}}, captures, {.confidence = 0.99, .quantum_bytes = 0});
}

double half_mib(const Prediction& of) {
  return (of.bytes.high - of.bytes.expected) / mib;
}

TEST(BillPrediction, OfALibraryDoesNotAddUpLeftovers) {
  const Prediction told = predict_library({1, 2, 3, 4, 5}, {{5, 520, 100, 20}, {4, 0, 8, -8}, {1, 6, 2, 4}});
  EXPECT_DOUBLE_EQ((520 + 8 + 2 + 6 + 4 - 4) * mib, told.bytes.expected)
      << "20, 12 and 16 are left over in turn";
  EXPECT_DOUBLE_EQ(told.bytes.expected, told.growth.pool_bytes);
  EXPECT_DOUBLE_EQ(6 * mib, told.sizes[2].growth.pool_bytes);
  EXPECT_NEAR(2.576 * std::sqrt(20 * 20 / 12.0 + 12 * 12 / 24.0), half_mib(told), 0.01);
}

TEST(BillPrediction, OfALibraryFillsThePoolOfGraphsFirst) {
  const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5};
  const Prediction room = predict_library(sizes, {{5, 520, 100, 0}, {4, 0, 8, 0}, {1, 0, 2, 0}});
  EXPECT_DOUBLE_EQ((520 + 5) * mib, room.bytes.expected) << "between none and all of 6 + 4 find room";
  EXPECT_NEAR(2.576 * std::sqrt(10 * 10 / 12.0 + 12 * 12 / 24.0), half_mib(room), 0.01);
  EXPECT_DOUBLE_EQ(3 * mib, room.sizes[2].growth.pool_bytes);
  const Prediction full = predict_library(sizes, {{5, 114, 100, 0}, {4, 0, 8, 0}, {1, 0, 2, 0}});
  EXPECT_DOUBLE_EQ((114 + 10 - 2) * mib, full.bytes.expected) << "4 are free";
}

TEST(BillPrediction, OfALibraryIsNarrowIfItsTensorsGrowEvenly) {
  const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto predict_with = [&](double middle) {
    return predict_library(sizes, {{9, 100, 90, 0}, {8, 80, 80, 0}, {4, middle, middle, 0}, {1, 10, 10, 0}});
  };
  const double sum = 50 + 60 + 70, rest = 20 + 30;
  EXPECT_NEAR(2.576 * 0.03 * std::sqrt(sum * sum + rest * rest), half_mib(predict_with(40)), 0.01);
  EXPECT_GT(half_mib(predict_with(60)), 50) << "no line goes through 80, 60 and 10";
}

// Eight execs of 2 bytes: sizes 8, 4, 2 and 1 in two modes. Only the first capture of all makes a pool.
TEST(BillPrediction, AddsTheModesOfABillUp) {
  std::vector<Capture> captures;
  for (const char* mode : {"piecewise", "whole"}) {
    for (const std::int64_t size : {8, 4, 1}) {
      const bool pool = captures.empty();
      captures.push_back(
          {.size = size, .mode = mode, .growth = {.pool_bytes = pool ? 100.0 : 0, .exec_bytes = 2}});
    }
  }
  const Prediction told = predict({{1, 2, 4, 8}, {"piecewise", "whole"}}, captures, {});
  EXPECT_DOUBLE_EQ(100 + 8 * 2, told.bytes.expected);
  EXPECT_EQ(8u, told.sizes.size());
}

TEST(BillPrediction, TakesSharedExecsAsFree) {
  std::vector<Capture> captures;
  for (const std::int64_t size : {8, 4, 1}) {
    captures.push_back({.size = size, .mode = "whole", .growth = {.exec_bytes = quantum}});
    captures.back().one_exec_bytes = size == 8 ? mib : 0;
  }
  const Prediction told = predict({{1, 2, 4, 8}, {"whole"}}, captures, {});
  EXPECT_DOUBLE_EQ(mib, told.growth.exec_bytes);
  EXPECT_DOUBLE_EQ(3 * quantum, told.growth.total());
}

TEST(BillPrediction, GivesExecsWhatTheyNeedWhereverTheDriverTookIt) {
  std::vector<Capture> captures;
  for (const double code : {quantum, 0.0, quantum}) {
    captures.push_back({.mode = "whole", .growth = {.code_bytes = code}});
    captures.back().one_exec_bytes = mib;
  }
  EXPECT_DOUBLE_EQ(3 * mib, growth_of(captures).exec_bytes);
  EXPECT_DOUBLE_EQ(2 * quantum - 3 * mib, growth_of(captures).code_bytes);
  captures[0].one_exec_bytes = 9 * mib;
  EXPECT_DOUBLE_EQ(2 * quantum, growth_of(captures).exec_bytes) << "no more than the driver took";
}

TEST(BillReserve, CoversWhatACaptureNeedsWhileItIsMade) {
  std::vector<Capture> captures;
  for (const std::int64_t size : {4, 2, 1})
    captures.push_back({.size = size,
                        .mode = "whole",
                        .growth = {.pool_bytes = 10},
                        .transient_bytes = 100.0 / static_cast<double>(4 * (size == 4 ? 1 : 40))});
  EXPECT_DOUBLE_EQ(35, peak_of(captures));
  captures.back().transient_bytes = 7;
  EXPECT_DOUBLE_EQ(37, peak_of(captures));
  const Prediction told = predict({{1, 2, 4}, {"whole"}}, captures, {.confidence = 0.99, .quantum_bytes = 0});
  EXPECT_DOUBLE_EQ(37, told.reserve_bytes);
}

TEST(BillSentence, SaysWhatToReserveAndWhatFewerSizesSave) {
  Bill bill;
  bill.confidence = 0.99;
  bill.capture_sizes = engine_sizes();
  bill.prediction.emplace();
  bill.prediction->reserve_bytes = 1.46 * 1024 * mib;
  bill.prediction->bytes = {
      .expected = 1.42 * 1024 * mib, .low = 1.4 * 1024 * mib, .high = 1.44 * 1024 * mib};
  bill.prediction->seconds = {.expected = 7.9};
  EXPECT_EQ("Reserve 1.46 GiB (99 %): 67 sizes take 1.42 \u00b1 0.02 GiB and 7.9 s.", sentence_of(bill));
  bill.trade = Trade{.sizes = {1, 2, 3}, .step_ratio = 1.021, .bytes = 0.61 * 1024 * mib, .seconds = 4};
  EXPECT_THAT(
      sentence_of(bill),
      HasSubstr(
          " With only 3 of these sizes, steps of this traffic would take 2.1 % longer; that saves 0.61 GiB "
          "and 4.0 s."));
}

TEST(BillTrade, KeepsTheSizesThatTheTrafficNeeds) {
  std::vector<Capture> captures;
  for (const std::int64_t size : {8, 4, 2, 1})
    captures.push_back({.size = size,
                        .mode = "whole",
                        .growth = {.exec_bytes = 2},
                        .step_seconds = static_cast<double>(size)});
  const Prediction told = predict({{1, 2, 4, 8}, {"whole"}}, captures, {});
  const Trade trade = trade_of(told, {1, 1, 1, 1, 1, 1, 100}).value();
  EXPECT_THAT(trade.sizes, ElementsAre(1, 8));
  EXPECT_DOUBLE_EQ(1, trade.step_ratio);
  EXPECT_DOUBLE_EQ(4, trade.bytes);
}

}  // namespace
}  // namespace graphbench::bill
