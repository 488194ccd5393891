// Tests the parts of a package: the exact text of built-in workloads' programs, and the file of weights.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/text.hpp"
#include "harness/package/weights.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::package {
namespace {

using testing::HasSubstr;

class WeightsTest : public testing::Test {
 protected:
  WeightsTest() {
    for (const auto& [name, elements] : {std::pair{"a", 16}, {"b", 25}, {"c", 1250}}) {
      const std::string& content = contents_.emplace_back(4 * elements, name[0]);
      manifest_.tensors.push_back({name, "", "fp32", {elements}, 4 * elements, sha256_hex(content)});
    }
    write_weights(
        manifest_.tensors, [&](std::size_t tensor, const TakePart& write) { write(contents_[tensor]); },
        [&](std::string_view part) { text_ += part; });
    put(text_);
  }

  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string failure() const {
    return test::failure([&] { WeightsFile(path_, manifest_).verify(); });
  }

  const std::unique_ptr<Device> device_ = open_device("host");
  const std::unique_ptr<Stream> stream_ = device_->make_stream();
  const test::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "weights").string();
  Manifest manifest_;
  std::vector<std::string> contents_;
  std::string text_;
};

TEST_F(WeightsTest, UploadsWhatWasWritten) {
  const std::chrono::sys_seconds epoch{};
  std::filesystem::last_write_time(path_, std::chrono::file_clock::from_sys(epoch));
  WeightsFile file(path_, manifest_);
  EXPECT_EQ(failure(), "none");
  EXPECT_EQ(text_.size() % 4096, 0U);
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    std::string there(contents_[i].size(), '?');
    file.upload(*stream_, "any", manifest_.tensors[i].name, there.data());
    EXPECT_EQ(there, contents_[i]);
  }
  EXPECT_GT(file.verify_seconds(), 0);
  EXPECT_THROW(file.upload(*stream_, "any", "d", nullptr), Error);
}

TEST_F(WeightsTest, ATensorIsVerifiedAgainOnceTheFileIsWrittenTo) {
  WeightsFile file(path_, manifest_);
  std::string there(contents_[2].size(), '?');
  const auto upload = [&] { file.upload(*stream_, "any", "c", there.data()); };
  upload();
  const double once = file.verify_seconds();
  upload();
  EXPECT_EQ(file.verify_seconds(), once);
  // A file system's clock may advance in steps of some milliseconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto written = std::filesystem::last_write_time(path_);
  text_[text_.rfind("cccc")] = 'd';
  put(text_);
  std::filesystem::last_write_time(path_, written);
  EXPECT_THROW(upload(), Error);
}

TEST_F(WeightsTest, GoesThroughALittleMemoryInParts) {
  manifest_.tensors.push_back(
      {"d", "", "fp32", {100'000}, 400'000, sha256_hex(contents_.emplace_back(400'000, 'd'))});
  text_.clear();
  write_weights(
      manifest_.tensors,
      [&](std::size_t tensor, const TakePart& write) {
        for (std::size_t at = 0; at < contents_[tensor].size(); at += 999)
          write(std::string_view(contents_[tensor]).substr(at, 999));
      },
      [&](std::string_view part) { text_ += part; });
  put(text_);
  WeightsFile whole(path_, manifest_);
  WeightsFile parts(path_, manifest_, 1000);
  for (WeightsFile* file : {&whole, &parts}) {
    file->verify();
    for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
      std::string there(contents_[i].size(), '?');
      file->upload(*stream_, "any", manifest_.tensors[i].name, there.data());
      EXPECT_EQ(there, contents_[i]);
    }
  }
  EXPECT_EQ(whole.staging_bytes(), 400'000U);
  EXPECT_EQ(parts.staging_bytes(), 4096U) << "a page: the head is read too";
  text_[text_.size() - 4096] ^= 1;  // in the last part of d
  put(text_);
  std::string there(400'000, '?');
  EXPECT_THROW(WeightsFile(path_, manifest_, 1000).upload(*stream_, "any", "d", there.data()), Error);
}

TEST_F(WeightsTest, NamesTheTensorThatIsWrong) {
  std::string text = text_;
  text[text.size() - 4096] ^= 1;  // in the second page of c
  put(text);
  EXPECT_THAT(failure(), HasSubstr("tensor c does not match its digest in the package"));
  put(text_);
  manifest_.tensors[1].sha256[0] ^= 1;
  EXPECT_THAT(failure(), HasSubstr("tensor b belongs to another package"));
  manifest_.tensors[1].dims = {5, 5};
  EXPECT_THAT(failure(), HasSubstr("tensor b has another type or shape"));
  manifest_.tensors[0].name = "z";
  EXPECT_THAT(failure(), HasSubstr("tensor z of the package is missing or out of order"));
  manifest_.tensors.clear();
  EXPECT_THAT(failure(), HasSubstr("tensor a does not belong to the package"));
  put("graphbench weights 2\n");
  EXPECT_THAT(failure(), HasSubstr("the file has version 2"));
  put("x");
  EXPECT_THAT(failure(), HasSubstr("the file is not a weights file"));
  std::filesystem::remove(path_);
  EXPECT_THAT(failure(), HasSubstr("cannot be read"));
}

TEST_F(WeightsTest, TenThousandFlippedBytesAndAThousandTruncationsAreRefused) {
  std::mt19937_64 random(21);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  const auto write = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  for (int i = 0; i < test::repetitions(10'000); ++i) {
    const std::size_t at = random() % text_.size();
    write(at, static_cast<char>(text_[at] ^ (1 + random() % 255)));
    ASSERT_NE(failure(), "none") << "byte " << at;
    write(at, text_[at]);
  }
  EXPECT_EQ(failure(), "none");
  for (int i = 0; i < test::repetitions(1'000); ++i) {
    put(text_.substr(0, random() % text_.size()));
    ASSERT_NE(failure(), "none");
  }
  put(text_ + "x");
  EXPECT_THAT(failure(), HasSubstr("there is data after the last tensor"));
}

using Axes = std::map<std::string, std::string>;

class ProgramTextTest : public testing::Test {
 protected:
  ProgramTextTest() { workloads::add_builtin(registry_); }

  ir::Program build(const std::string& workload = "mlp", const std::string& pass = "forward",
                    const Axes& axes = {}) const {
    return registry_.build(workload, {"tiny", ir::DType::fp32, pass, {}, axes});
  }
  std::string failure(const std::string& text) const {
    return test::failure([&] { return ir::read_program(text, registry_.catalog()); });
  }
  std::string failure_of(const std::string& from, const std::string& to) const {
    std::string text = ir::write_program(build());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
    return failure(text.replace(at, from.size(), to));
  }
  void expect_round_trip(const ir::Program& program) const {
    const std::string text = ir::write_program(program);
    const ir::Program read = ir::read_program(text, registry_.catalog());
    EXPECT_EQ(ir::write_program(read), text);
    const auto segments = ir::partition(program, program.default_splits());
    EXPECT_EQ(ir::partition(read, read.default_splits()), segments);
    EXPECT_EQ(ir::dump(read, segments, program.micro_batches() * 2),
              ir::dump(program, segments, program.micro_batches() * 2));
    ASSERT_EQ(read.ops().size(), program.ops().size());
    for (ir::OpId id = 0; id < read.ops().size(); ++id) {
      const auto all = [](const ir::Op& op) {
        return std::tie(op.kind, op.name, op.inputs, op.outputs, op.mutates, op.attributes, op.definition,
                        op.phase, op.splits_with, op.starts_graph, op.eager, op.recomputes);
      };
      EXPECT_TRUE(all(read.ops()[id]) == all(program.ops()[id])) << program.ops()[id].name;
    }
    for (ir::ValueId id = 0; id < read.values().size(); ++id) {
      const auto all = [](const ir::Value& value) {
        return std::tie(value.name, value.kind, value.dtype, value.shape, value.init, value.pad);
      };
      EXPECT_TRUE(all(read.value(id)) == all(program.value(id))) << program.value(id).name;
    }
    EXPECT_EQ(read.rewrites(), program.rewrites());
    EXPECT_EQ(read.removed_ops(), program.removed_ops());
  }

  abi::WorkloadRegistry registry_;
};

TEST_F(ProgramTextTest, EveryProgramComesBackAsItWas) {
  int programs = 0;
  for (const abi::WorkloadInfo& workload : registry_.workloads()) {
    for (const abi::WorkloadPreset& preset : workload.presets) {
      for (const ir::DType dtype : {ir::DType::fp32, ir::DType::fp16, ir::DType::bf16}) {
        for (const char* pass : {"forward", "training"}) {
          SCOPED_TRACE(workload.name + "/" + preset.name + "/" + std::string(ir::name_of(dtype)) + "/" +
                       pass);
          expect_round_trip(registry_.build(workload.name, {preset.name, dtype, pass, {}, {}}));
          ++programs;
        }
      }
    }
  }
  EXPECT_GE(programs, 18);
}

TEST_F(ProgramTextTest, SoDoProgramsThatPassesMade) {
  expect_round_trip(build("attention", "forward", {{"attention", "decomposed"}}));
  const Axes everything = {{"optimizer", "adamw"},
                           {"micro-batches", "2"},
                           {"checkpoint", "layer"},
                           {"backward", "callables"},
                           {"optimizer-in", "eager"}};
  for (const char* workload : {"mlp", "attention", "conv"}) {
    SCOPED_TRACE(workload);
    expect_round_trip(build(workload, "training", everything));
    expect_round_trip(build(workload, "training", {{"optimizer", "sgd"}, {"optimizer-in", "backward"}}));
    expect_round_trip(build(workload, "training", {{"accumulate", "end"}}));
  }
}

TEST_F(ProgramTextTest, NamesMayHoldAnything) {
  const ir::OpCatalog catalog;
  ir::ProgramBuilder builder("quotes \" and \\ and\nlines", catalog);
  const ir::ValueId x =
      builder.value(ir::ValueKind::input, "x y\t\x01", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(4)},
                    {ir::Init::Kind::uniform, -0.1, 1e300});
  builder.mark_output(builder.op("relu", "r \xC3\xA4", {x}, {})[0]);
  builder.pad_with(x, 0.3);
  const std::string text = ir::write_program(builder.finish());
  EXPECT_EQ(ir::write_program(ir::read_program(text, catalog)), text);
  EXPECT_THAT(text, HasSubstr(R"("quotes \22 and \5c and\0alines")"));
}

TEST_F(ProgramTextTest, WhatIsWrongIsRefusedByItsLine) {
  const std::string text = ir::write_program(build());
  EXPECT_EQ(failure(""), "line 1: \"graphbench program 1\" is missing");
  EXPECT_THAT(failure(text.substr(0, text.size() - 1)), HasSubstr("the text is cut short"));
  EXPECT_THAT(failure(text + "x"), HasSubstr("there is text after the end of the program"));
  EXPECT_THAT(failure_of("program 1", "program 2"), HasSubstr("line 1: "));
  EXPECT_EQ(failure_of("micro_batches 1", "micro_batches 0"),
            "line 3: the number of micro-batches is below 1, or that of removed ops is below 0");
  EXPECT_THAT(failure_of("micro_batches 1", "micro_batches 01"),
              HasSubstr("the text is not a graphbench program"));
  EXPECT_THAT(failure_of("values ", "values 99999"),
              HasSubstr("line 6: the line has fewer items than its count says"));
  EXPECT_THAT(failure_of("value input", "value inputs"), HasSubstr("is not a valid word here"));
  EXPECT_THAT(failure_of("op \"linear\"", "op \"nonlinear\""), HasSubstr("unknown op kind \"nonlinear\""));
  EXPECT_THAT(failure_of("traits 0 1 0", "traits 0 0 0"),
              HasSubstr("the traits differ from those of the op's kind"));
  EXPECT_THAT(failure_of("mutates 0", "mutates 1 0"),
              HasSubstr("\"mutates\" does not list the inputs that ops of this kind write"));
}

// After any truncation or change, the reader neither crashes nor returns a program with another text.
TEST_F(ProgramTextTest, NoByteThatIsChangedMakesAnUnsoundProgram) {
  const std::string text = ir::write_program(build("attention"));
  for (std::size_t i = 0; i < text.size(); i += test::sanitized ? 10 : 1) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 7));
    EXPECT_NE(test::failure([&] {
                EXPECT_EQ(ir::write_program(ir::read_program(changed, registry_.catalog())), changed);
              }),
              "");
    if (i % 7 == 0) {
      EXPECT_NE(failure(text.substr(0, i)), "none");
    }
  }
}

}  // namespace
}  // namespace graphbench::package
