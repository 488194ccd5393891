// Tests packages: writing, reading, and refusing a package in which anything is wrong.
#include "harness/package/package.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "graphs/abi/plugin.hpp"
#include "graphs/ir/text.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::package {
namespace {

using testing::HasSubstr;

class PackageTest : public testing::Test {
 protected:
  PackageTest() {
    workloads::add_builtin(registry_);
    Manifest& manifest = package_.manifest;
    manifest.tool_version = "1";
    manifest.device = "cuda";
    manifest.architectures = {"sm_80", "sm_90"};
    manifest.workload = "mlp";
    manifest.dtype = "fp32";
    manifest.attention = "auto";
    manifest.epilogues = "on";
    manifest.batches = {1, 4};
    manifest.methods = {{"infer", "forward", "tiny"}, {"learn", "training", "tiny"}};
    for (const Method& method : manifest.methods) {
      const abi::BuildChoice choice{method.preset, ir::DType::fp32, method.pass, {}, {}};
      const ir::Program program = registry_.build("mlp", choice);
      package_.programs.push_back(
          {ir::write_program(registry_.build_forward("mlp", choice)), ir::write_program(program)});
      for (const ir::Value& value : program.values()) {
        const bool kept = value.kind == ir::ValueKind::weight || value.kind == ir::ValueKind::parameter;
        if (!kept || find_tensor(manifest, method.name, value.name) != nullptr) continue;
        const ir::TensorDesc desc = ir::resolve(value.dtype, value.shape, 1);
        manifest.tensors.push_back({value.name, "", "fp32", desc.dims,
                                    static_cast<std::int64_t>(desc.bytes()), std::string(64, '0')});
      }
    }
    package_.choices = {{{{"linear", "8x8", "here", "libraries", "build"}}, 1.5, "a"},
                        {{{"linear", "9x9", "here", "libraries", "build"}}, 0, "b"}};
  }

  std::string failure(const std::string& text) const {
    return test::failure([&] {
      const Package read = read_package(text);
      for (const Method& method : read.manifest.methods) {
        for (const Stage stage : {Stage::before, Stage::after})
          static_cast<void>(program_of(read, method.pass, method.preset, stage, registry_.catalog()));
      }
    });
  }
  std::string failure_with(const std::function<void(Package&)>& change) const {
    Package changed = package_;
    change(changed);
    return failure(write_package(changed));
  }

  abi::WorkloadRegistry registry_;
  Package package_;
};

TEST_F(PackageTest, ComesBackAsItWas) {
  const std::string text = write_package(package_);
  const Package read = read_package(text);
  EXPECT_EQ(write_package(read), text);
  EXPECT_EQ(read.bytes, text.size());
  EXPECT_EQ(read.choices.size(), 2U);
  EXPECT_EQ(read.manifest.tensors.size(), package_.manifest.tensors.size());
  EXPECT_EQ(failure(text), "none");
  const ir::Program program = program_of(read, "training", "tiny", Stage::after, registry_.catalog());
  EXPECT_EQ(ir::write_program(program), package_.programs[1].after);
}

TEST_F(PackageTest, IsRefusedWhereSectionsAreNotThoseOfTheManifest) {
  std::vector<Section> sections = decode(write_package(package_));
  sections.insert(sections.begin() + 1, {"plans", "x"});
  EXPECT_EQ(failure(encode(sections)), "section plans: this section is unknown: try a newer graphbench");
  sections = decode(write_package(package_));
  sections.pop_back();
  EXPECT_EQ(failure(encode(sections)), "section seal is missing");
  std::string newer = write_package(package_);
  newer[19] = '2';
  EXPECT_EQ(failure(newer), "the package has version 2, but this graphbench reads version 1");
  EXPECT_THAT(failure("{}"), HasSubstr("the file is not a package"));
}

TEST_F(PackageTest, IsRefusedByTheFieldOfTheManifest) {
  const auto with = [&](auto change) { return failure_with([&](Package& p) { change(p.manifest); }); };
  EXPECT_THAT(with([](Manifest& m) { m.device = "tpu"; }), HasSubstr("device: \"tpu\""));
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"host"}, {"sm_80", "host"}, {"sm_90", "sm_80"}, {"sm_80", "sm_80"}, {"sm_1"}, {}})
    EXPECT_THAT(with([&](Manifest& m) { m.architectures = wrong; }), HasSubstr("architectures: "));
  EXPECT_THAT(with([](Manifest& m) { m.epilogues = ""; }), HasSubstr("epilogues: \"\""));
  EXPECT_THAT(failure_with([](Package& p) { p.choices.push_back(p.choices[0]); }),
              HasSubstr("section choices: entry 2: an earlier entry has the same key"));
  EXPECT_THAT(with([](Manifest& m) { m.batches = {4, 1}; }), HasSubstr("batches: "));
  EXPECT_THAT(with([](Manifest& m) { m.dtype = "fp7"; }), HasSubstr("dtype: \"fp7\""));
  EXPECT_THAT(with([](Manifest& m) { m.attention = "none"; }), HasSubstr("attention: "));
  EXPECT_THAT(with([](Manifest& m) { m.methods[1].pass = "forward"; }), HasSubstr("methods: "));
  EXPECT_THAT(with([](Manifest& m) { m.tensors[0].bytes += 4; }), HasSubstr("tensors: "));
  EXPECT_THAT(with([](Manifest& m) { m.tensors.pop_back(); }), HasSubstr("the manifest has no tensor "));
  EXPECT_THAT(with([](Manifest& m) { m.tensors[1].dims = {m.tensors[1].bytes / 4}; }),
              HasSubstr("tensor layer0.w1 of the manifest has another type or shape"));
  EXPECT_THAT(failure_with([](Package& p) { p.programs[0].after += "x"; }),
              HasSubstr("section program/infer/after: line "));
}

TEST_F(PackageTest, HasPlansThatALibraryWroteDown) {
  const std::string plan = "{\"engine\": 38,\n \"knobs\": [{\"2\": 10}]}\n";
  package_.choices[1].content = cache::join_choice({"b", plan});
  const Package read = read_package(write_package(package_));
  EXPECT_EQ(read.choices[0].content, "a");
  EXPECT_EQ(cache::split_choice(read.choices[0].content).serialised, "");
  EXPECT_EQ(cache::split_choice(read.choices[1].content).algorithm, "b");
  EXPECT_EQ(cache::split_choice(read.choices[1].content).serialised, plan);
}

TEST_F(PackageTest, IsRefusedWithAPlanThatIsNoObjectOfJson) {
  const auto with = [&](const std::string& plan) {
    return failure_with([&](Package& p) { p.choices[1].content = "b\n" + plan; });
  };
  EXPECT_EQ(with("{}"), "none");
  for (const char* const wrong : {"", "x", "[]", "\"{}\"", "{", "{}}", "{\"a\": }", "{\"a\": \"\xff\"}"})
    EXPECT_EQ(with(wrong), "section choices: entry 1: the entry's serialised cuDNN plan is not a JSON object")
        << wrong;
  EXPECT_THAT(with(std::string("{}\0more", 7)), HasSubstr("is not a JSON object"));
  EXPECT_THAT(with(std::string(1 << 20, '{')), HasSubstr("is not a JSON object"))
      << "it is deep and does not crash";
  const std::size_t most = std::size_t{16} << 20;
  EXPECT_EQ(with("{" + std::string(most - 2, ' ') + "}"), "none");
  EXPECT_EQ(with("{" + std::string(most - 1, ' ') + "}"),
            "section choices: entry 1: the entry's serialised cuDNN plan has more than 16777216 bytes");
}

TEST_F(PackageTest, IsForItsDevicesAndPluginsAlone) {
  Manifest& manifest = package_.manifest;
  EXPECT_THAT(why_not_on(manifest, "host", ""), HasSubstr("device of kind cuda"));
  EXPECT_EQ(why_not_on(manifest, "cuda", "9.0"), "");
  EXPECT_THAT(why_not_on(manifest, "cuda", "8.6"), HasSubstr("this device is sm_86"));
  EXPECT_EQ(why_not_on(manifest, "cuda", "10.0"),
            "architectures: the package is for sm_80, sm_90, and this device is sm_100");
  manifest.device = "host";
  manifest.architectures = {"host"};
  EXPECT_EQ(why_not_on(manifest, "host", ""), "");
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "p.so").string();
  std::ofstream(path) << "one";
  manifest.plugins = {plugin_file(path)};
  EXPECT_EQ(why_not_with(manifest, {path}), "");
  EXPECT_THAT(why_not_with(manifest, {}), HasSubstr("plugins: the package has ops of \"p.so\""));
  std::ofstream(path) << "two";
  EXPECT_THAT(why_not_with(manifest, {path}), HasSubstr("which no --plugin has"));
}

TEST_F(PackageTest, TenThousandFlippedBytesAreRefused) {
  const std::string text = write_package(package_);
  std::mt19937_64 random(18);
  for (int i = 0; i < test::repetitions(10'000); ++i) {
    std::string changed = text;
    const std::size_t at = random() % text.size();
    changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
    ASSERT_NE(failure(changed), "none") << "byte " << at;
  }
}

// The digests in the head match the changed sections; in every 50th round the seal matches too.
TEST_F(PackageTest, SoAreThoseWhoseDigestsWereMadeToMatch) {
  const std::vector<Section> sections = decode(write_package(package_));
  std::mt19937_64 random(19);
  for (int i = 0; i < test::repetitions(2'000); ++i) {
    std::vector<Section> changed = sections;
    std::string& content = changed[random() % changed.size()].content;
    const std::size_t at = random() % content.size();
    content[at] = static_cast<char>(content[at] ^ (1 + random() % 255));
    ASSERT_NE(failure(encode(changed)), "none");
    if (i % 50 != 0) continue;
    Package sealed = package_;
    std::string& program = sealed.programs[i / 50 % 2].after;
    program[at % program.size()] ^= static_cast<char>(1 + random() % 127);
    const std::string why = failure(write_package(sealed));  // a valid program or refused; never a crash
    ASSERT_TRUE(why == "none" || why.starts_with("section program/")) << why;
  }
}

TEST_F(PackageTest, AThousandTruncationsAreRefused) {
  const std::string text = write_package(package_);
  std::mt19937_64 random(20);
  for (int i = 0; i < test::repetitions(1'000); ++i)
    ASSERT_NE(failure(text.substr(0, random() % text.size())), "none");
  EXPECT_EQ(failure(text + "x"), "there is data after the last section");
}

}  // namespace
}  // namespace graphbench::package
