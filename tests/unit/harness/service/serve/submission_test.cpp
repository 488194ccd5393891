// Tests which plugins and names a request may give, if the service has plugins and if it has none.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "graphs/base/text.hpp"
#include "harness/service/serve/catalog.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/service/serve/service_fixture.hpp"

namespace graphbench::service {
namespace {

abi::WorkloadInfo workload(const std::string& name, const std::string& plugin = "builtin") {
  abi::WorkloadInfo info;
  info.name = name;
  info.plugin = plugin;
  info.presets = {{"base", {{"hidden", 64}}}, {"tiny", {{"hidden", 8}}}};
  info.options = {{"hidden", "width", 1, 128}};
  return info;
}

class SubmissionTest : public ServiceApiTest {
 protected:
  SubmissionTest() {
    std::ofstream(folder_.file("mine.so")) << "no library: it is not loaded here";
    std::filesystem::permissions(folder_.file("mine.so"), std::filesystem::perms(0600));
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0700));
    plugins_ = CodeFolder(CodeKind::plugin, folder_.path());
    workloads_ = WorkloadCatalog({workload("mlp"), workload("conv")},
                                 [this](const auto& files) { return ask_of(files); });
    restart();
  }

  std::vector<abi::WorkloadInfo> ask_of(const std::vector<std::string>& files) {
    ++asked_;
    EXPECT_THAT(files, testing::ElementsAre(folder_.file("mine.so")));
    if (!trouble_.empty()) throw InputError("plugins", "\"" + files.front() + "\" " + trouble_);
    return {workload("mlp"), workload("conv"), workload("swiglu", files.front())};
  }

  std::string refusal(const std::string& body, const std::string& type = "application/json") const {
    const Response response = ask("POST", "/v1/sweeps", body, {{"content-type", type}});
    EXPECT_EQ(response.status, 400u) << *response.body;
    return json::parse(*response.body).value("error", "");
  }

  int asked_ = 0;
  std::string trouble_;
};

TEST_F(SubmissionTest, NamesThatAreNoneAreRefusedAsOnTheCommandLine) {
  EXPECT_EQ(refusal(R"({"workload": ["mlp", "conf"]})"),
            "workload: \"conf\" is not a workload: give one of mlp, conv; did you mean \"conv\"?");
  EXPECT_EQ(refusal("batch = 1\nworkload = \"conf\"\n", "application/toml"),
            "request:2: workload: \"conf\" is not a workload: give one of mlp, conv; did you mean \"conv\"?");
  EXPECT_EQ(refusal(R"({"preset": "huge"})"),
            "preset: \"huge\" is not a preset of mlp: give one of base, tiny");
  EXPECT_EQ(refusal(R"({"set": {"mlp.width": 3}})"),
            "set: \"width\" is not an option of mlp: give one of hidden");
  EXPECT_EQ(refusal(R"({"set": {"mlp.hidden": 129}})"), "set: mlp.hidden=129 is out of range: give 1 to 128");
  EXPECT_THAT(refusal(R"({"dtype": "int8"})"),
              HasSubstr("dtype: \"int8\" is not a dtype: give bf16, fp16, fp32"));
  EXPECT_THAT(
      refusal(R"({"batch": "1:10000:+1", "warmup": [0, 1], "launches": 10})"),
      HasSubstr(
          "the axes multiply to 1200000 measurements: give shorter lists, for at most 100000 measurements"));
  EXPECT_THAT(store_->list(9, {}), testing::IsEmpty());
  submit(R"({"workload": "conv", "preset": "tiny", "set": {"mlp.hidden": 128}})");
  EXPECT_EQ(asked_, 0) << "what is built in is known";
}

TEST_F(SubmissionTest, APluginsNamesAreThoseOfItsFile) {
  EXPECT_THAT(refusal(R"({"workload": "swiglu"})"), HasSubstr("give one of mlp, conv"));
  EXPECT_EQ(asked_, 0);
  EXPECT_THAT(refusal(R"({"workload": "swiglo", "plugins": "mine"})"),
              HasSubstr("workload: \"swiglo\" is not a workload: give one of mlp, conv, swiglu"));
  submit(R"({"workload": "swiglu", "plugins": "mine"})");
  EXPECT_EQ(asked_, 2);
}

TEST_F(SubmissionTest, APluginThatDoesNotLoadIsNamedWithoutItsFolder) {
  trouble_ = "crashed with SIGSEGV while the file was loaded";
  const std::string said = refusal(R"({"workload": "swiglu", "plugins": "mine"})");
  EXPECT_EQ(said, "plugins: \"mine\" crashed with SIGSEGV while the file was loaded");
  EXPECT_THAT(store_->list(9, {}), testing::IsEmpty());
}

TEST_F(SubmissionTest, OnlySoManyRequestsWaitForTheirPlugins) {
  Request request;
  request.method = "POST";
  request.path = "/v1/sweeps";
  request.body = R"({"workload": "swiglu", "plugins": "mine"})";
  request.headers = {{"host", "localhost"}, {"content-type", "application/json"}};
  std::vector<Response> waiting;
  Response last;
  for (int i = 0; i < 40; ++i) {
    last = api_(request);
    if (!last.later) break;
    waiting.push_back(std::move(last));
  }
  EXPECT_EQ(waiting.size(), 16u);
  EXPECT_EQ(last.status, 503u);
  waiting.clear();
  EXPECT_TRUE(api_(request).later) << "a request that ends makes room";
}

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CodeFolderTest : public testing::Test {
 protected:
  CodeFolderTest() {
    fs::create_directory(scratch_.file("plugins"));
    fs::permissions(scratch_.file("plugins"), fs::perms(0755));
    write("outside.so");
    write("plugins/one.so");
    write("plugins/two_2-b.so");
  }
  void write(const std::string& name) const {
    std::ofstream(scratch_.file(name)) << "x";
    fs::permissions(scratch_.file(name), fs::perms(0644));
  }
  std::string inside(const std::string& name) const { return scratch_.file("plugins/" + name); }
  CodeFolder folder() const { return {CodeKind::plugin, inside("")}; }
  std::string refusal() const {
    return test::refusal([&] { folder(); });
  }

  test::TemporaryFolder scratch_;
};

TEST_F(CodeFolderTest, PluginsAreFoundByTheirBareNames) {
  EXPECT_THAT(folder().names(), ElementsAre("one", "two_2-b"));
  EXPECT_EQ(folder().path_of("one"), fs::canonical(inside("one.so")));
  write("plugins/later.so");
  EXPECT_EQ(folder().path_of("later"), fs::canonical(inside("later.so")));
}

TEST_F(CodeFolderTest, NothingElseIsAPlugin) {
  for (const char* name : {"a b.so", "a.b.so", "notes.txt", "so", ".so", "x.SO"})
    write(std::string("plugins/") + name);
  write("plugins/" + std::string(65, 'a') + ".so");
  fs::create_directory(inside("folder.so"));
  EXPECT_THAT(folder().names(), ElementsAre("one", "two_2-b"));
  for (const char* name :
       {"", ".", "..", "../outside", "outside", "one.so", "./one", "plugins/one", "a b", "folder"}) {
    EXPECT_THROW(folder().path_of(name), Error) << name;
  }
}

TEST_F(CodeFolderTest, LinksThatLeaveTheFolderAreNoPlugins) {
  fs::create_symlink("../outside.so", inside("relative.so"));
  fs::create_symlink(scratch_.file("outside.so"), inside("absolute.so"));
  fs::create_symlink("nowhere.so", inside("broken.so"));
  fs::create_symlink("loop.so", inside("loop.so"));
  fs::create_directory(inside("below"));
  write("plugins/below/deep.so");
  fs::create_symlink("below/deep.so", inside("deep.so"));
  fs::create_symlink("one.so", inside("alias.so"));
  EXPECT_THAT(folder().names(), ElementsAre("alias", "one", "two_2-b"));
  EXPECT_EQ(folder().path_of("alias"), fs::canonical(inside("one.so")));
}

TEST_F(CodeFolderTest, WhatOthersMayWriteIsRefusedAtTheStart) {
  for (const char* name : {"", "one.so"}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(inside(name), others, fs::perm_options::add);
      EXPECT_THAT(refusal(), HasSubstr("--plugin-folder: ")) << name;
      EXPECT_THAT(refusal(), HasSubstr("no other user may write to it")) << name;
      fs::permissions(inside(name), others, fs::perm_options::remove);
    }
  }
  EXPECT_EQ(refusal(), "accepted");
  for (const char* name : {"none", "outside.so"})
    EXPECT_THAT(test::refusal([&] { CodeFolder(CodeKind::plugin, scratch_.file(name)); }),
                HasSubstr("is not a folder"));
}

TEST_F(CodeFolderTest, WhatIsOwnedByAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  for (const char* name : {"", "one.so"}) {
    ASSERT_EQ(chown(inside(name).c_str(), 12345, 0), 0);
    EXPECT_THAT(refusal(), HasSubstr("must belong to")) << name;
    ASSERT_EQ(chown(inside(name).c_str(), 0, 0), 0);
  }
}

TEST_F(CodeFolderTest, WhatOthersMayWriteMeanwhileIsNoPluginAnyMore) {
  const CodeFolder served = folder();
  fs::permissions(inside("one.so"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_THAT(served.names(), ElementsAre("two_2-b"));
  EXPECT_THROW(served.path_of("one"), Error);
  EXPECT_EQ(served.path_of("two_2-b"), fs::canonical(inside("two_2-b.so")));
  fs::permissions(inside(""), fs::perms::all);
  EXPECT_THAT(served.names(), ElementsAre());
  const Error error = test::error_of([&] { served.path_of("two_2-b"); });
  EXPECT_THAT(error.what(), HasSubstr("plugin 'two_2-b': its folder must belong to root or this user"));
}

TEST_F(CodeFolderTest, StepsAreFilesOfPython) {
  write("plugins/llama.py");
  write("outside.py");
  fs::create_symlink("../outside.py", inside("leaving.py"));
  const CodeFolder steps(CodeKind::step, inside(""));
  EXPECT_THAT(steps.names(), ElementsAre("llama"));
  EXPECT_EQ(steps.files().at("llama"), fs::canonical(inside("llama.py")));
  fs::permissions(inside("llama.py"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(steps.files().empty());
  EXPECT_THAT(test::refusal([&] { CodeFolder(CodeKind::step, inside("")); }), HasSubstr("--torch-folder: "));
}

TEST_F(CodeFolderTest, AStepIsAPublicFunctionOfABatchAndADevice) {
  write("plugins/llama.py");
  std::ofstream(inside("llama.py")) << "def build(batch, device):\n  def inner(batch, device): pass\n"
                                       "def typed(batch: int, device: str, width=4) -> object: pass\n"
                                       "def _own(batch, device): pass\ndef one(batch): pass\n"
                                       "def three(a, b, c): pass\nasync def late(batch, device): pass\n";
  EXPECT_THAT(CodeFolder(CodeKind::step, inside("")).step_functions(),
              ElementsAre("llama:build", "llama:typed"));
}

TEST_F(CodeFolderTest, WithoutAFolderThereAreNone) {
  EXPECT_THAT(CodeFolder(CodeKind::plugin, "").names(), ElementsAre());
  EXPECT_THROW(CodeFolder(CodeKind::plugin, "").path_of("one"), Error);
}

}  // namespace
}  // namespace graphbench::service
