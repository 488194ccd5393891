// The probe's questions and answers survive the pipe.
#include "harness/sweep/probe_protocol.hpp"

#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;

TEST(ProbeProtocol, ARequestSurvives) {
  ProbeRequest request;
  request.list_devices = true;
  request.device = "cuda:1";
  request.plugins = {"/p.so"};
  request.programs = {sample_task("whole", {4})};
  request.programs[0].split_ops = {"sdpa"};
  request.dump = true;
  const ProbeRequest copy = decode_request(encode_request(request));
  EXPECT_EQ(encode_request(copy), encode_request(request));
  EXPECT_TRUE(copy.dump);
  EXPECT_EQ(copy.programs.at(0).batches, std::vector<std::int64_t>{4});
  EXPECT_EQ(copy.programs.at(0).split_ops, std::vector<std::string>{"sdpa"});
}

TEST(ProbeProtocol, AnAnswerSurvives) {
  ProbeAnswer answer;
  answer.devices = {{"host", true, "a CPU", ""}};
  answer.catalog.device = "host";
  answer.catalog.dtypes = {"fp32"};
  answer.catalog.workloads = {
      {"mlp", "help", "builtin", {{"hidden", "width", 1, 9}}, {{"tiny", {{"hidden", 3}}}}}};
  answer.dumps = {"program\n"};
  const ProbeEvent event = decode_probe_event(encode_probe_event(answer));
  const auto& copy = std::get<ProbeAnswer>(event);
  EXPECT_TRUE(copy.devices.at(0).available);
  EXPECT_EQ(copy.catalog.workloads.at(0).options.at(0).max, 9);
  EXPECT_EQ(copy.catalog.workloads.at(0).presets.at(0).values.at("hidden"), 3);
  EXPECT_EQ(copy.dumps, answer.dumps);
}

TEST(ProbeProtocol, WhatIsNoEventIsRefused) {
  for (const char* line :
       {"", "{}", "{\"event\":\"dance\",\"content\":{}}", "{\"event\":\"answer\",\"content\":{}}"}) {
    EXPECT_THROW(decode_probe_event(line), Error) << line;
  }
  EXPECT_THROW(decode_request("[]"), Error);
}

}  // namespace
}  // namespace graphbench::sweep
