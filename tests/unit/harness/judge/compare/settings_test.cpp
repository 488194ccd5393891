// Tests what a command line may say about margins, floors, the level and allowed differences.
#include "harness/judge/compare/settings.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.hpp"

namespace graphbench::judge {
namespace {

using model::ComparisonSettings;
using model::Metric;
using Set = void (*)(const std::string&, ComparisonSettings&);

void expect_refused(Set set, const std::string& text, const std::string& words) {
  ComparisonSettings settings;
  const std::string refused = test::refusal([&] { set(text, settings); });
  EXPECT_NE(refused.find(words), std::string::npos) << text << ": " << refused;
}

TEST(ComparisonSettings, AMarginIsForAllMetricsOrForOne) {
  ComparisonSettings settings;
  set_margins("3%", settings);
  for (const Metric metric : model::tested_metrics()) EXPECT_DOUBLE_EQ(settings.of(metric).margin, 0.03);
  set_margins("submit=5%,1.5%", settings);
  EXPECT_DOUBLE_EQ(settings.of(Metric::latency).margin, 0.015);
  EXPECT_DOUBLE_EQ(settings.of(Metric::submit).margin, 0.05);
  ComparisonSettings partly;
  set_margins("capture=10%", partly);
  EXPECT_DOUBLE_EQ(partly.of(Metric::setup).margin, 0.10);  // `capture` is the former name of `setup`
  EXPECT_DOUBLE_EQ(partly.of(Metric::device).margin, 0.02);
}

TEST(ComparisonSettings, AFloorHasAUnit) {
  ComparisonSettings settings;
  set_floors("latency=1.5us,submit=0,device=2ms,1s", settings);
  EXPECT_DOUBLE_EQ(settings.of(Metric::latency).floor_seconds, 1.5e-6);
  EXPECT_DOUBLE_EQ(settings.of(Metric::submit).floor_seconds, 0);
  EXPECT_DOUBLE_EQ(settings.of(Metric::device).floor_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(settings.of(Metric::setup).floor_seconds, 1);
}

TEST(ComparisonSettings, WhatIsNoMarginOrFloorIsNamed) {
  for (const char* text : {"2", "", "%", "-1%", "nan%", "2%%", "1e9%", "2%,", "latency=", "x%"})
    expect_refused(set_margins, text, "--margin: ");
  expect_refused(set_margins, "latncy=2%", "did you mean \"latency\"?");
  expect_refused(set_margins, "1%,2%", "twice");
  expect_refused(set_margins, "submit=1%,submit=2%", "twice");
  for (const char* text : {"200", "", "ns", "-1ns", "inf s", "200 ns", "1h"})
    expect_refused(set_floors, text, "--floor: ");
}

TEST(ComparisonSettings, AlphaIsARate) {
  ComparisonSettings settings;
  set_alpha("0.01", settings);
  EXPECT_DOUBLE_EQ(settings.alpha, 0.01);
  for (const char* text : {"0", "1", "-0.05", "5%", "nan", ""}) expect_refused(set_alpha, text, "--alpha: ");
}

TEST(ComparisonSettings, RequiredPowerIsASlowdown) {
  ComparisonSettings settings;
  set_required_power("5%", settings);
  EXPECT_EQ(settings.require_power, 0.05);
  for (const char* text : {"5", "0%", "-1%", "", "1001%"})
    expect_refused(set_required_power, text, "--require-power: ");
}

TEST(ComparisonSettings, RequiredPowerOfAMetricIsOfItsMean) {
  ComparisonSettings settings;
  set_required_power("submit=10%,5%,setup=30%", settings);
  EXPECT_EQ(settings.require_power, 0.05);
  EXPECT_EQ(settings.of(Metric::submit).require_power, 0.1);
  EXPECT_EQ(settings.of(Metric::setup).require_power, 0.3);
  EXPECT_FALSE(settings.of(Metric::latency).require_power) << "the bare value is of one cell's latency";
  set_required_power("latency=2%", settings);
  EXPECT_FALSE(settings.require_power);
  EXPECT_EQ(settings.of(Metric::latency).require_power, 0.02);
  expect_refused(set_required_power, "device=5%", "latency, submit, setup");
  expect_refused(set_required_power, "submit=0%", "is not a slowdown");
  expect_refused(set_required_power, "submit=5%,submit=6%", "twice");
}

TEST(ComparisonSettings, OnlyWhatCanBeInTheWayCanBeAllowed) {
  ComparisonSettings settings;
  set_allow("plan,device.name", settings);
  EXPECT_EQ(settings.allow, (std::vector<std::string>{"plan", "device.name"}));
  expect_refused(set_allow, "device.nam", "did you mean \"device.name\"?");
  expect_refused(set_allow, "everything", "device, device.kind");
  expect_refused(set_allow, "", "--allow: ");
}

}  // namespace
}  // namespace graphbench::judge
