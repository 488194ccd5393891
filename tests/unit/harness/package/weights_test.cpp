// The file of weights: written, uploaded, and refused by the tensor that is wrong.
#include "harness/package/weights.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "graphs/backends/registry.hpp"
#include "graphs/base/digest.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

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
  // The system's clock for files goes in steps of some milliseconds.
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
  text_[text_.size() - 4096] ^= 1;  // of d's last part
  put(text_);
  std::string there(400'000, '?');
  EXPECT_THROW(WeightsFile(path_, manifest_, 1000).upload(*stream_, "any", "d", there.data()), Error);
}

TEST_F(WeightsTest, NamesTheTensorThatIsWrong) {
  std::string text = text_;
  text[text.size() - 4096] ^= 1;  // of c's second page
  put(text);
  EXPECT_THAT(failure(), HasSubstr("tensor c does not have the digest that the package has"));
  put(text_);
  manifest_.tensors[1].sha256[0] ^= 1;
  EXPECT_THAT(failure(), HasSubstr("tensor b is another's"));
  manifest_.tensors[1].dims = {5, 5};
  EXPECT_THAT(failure(), HasSubstr("tensor b has another type or shape"));
  manifest_.tensors[0].name = "z";
  EXPECT_THAT(failure(), HasSubstr("tensor z of the package is not in its place"));
  manifest_.tensors.clear();
  EXPECT_THAT(failure(), HasSubstr("tensor a is none of the package's"));
  put("graphbench weights 2\n");
  EXPECT_THAT(failure(), HasSubstr("it is of version 2"));
  put("x");
  EXPECT_THAT(failure(), HasSubstr("it is no file of weights"));
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
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t at = random() % text_.size();
    write(at, static_cast<char>(text_[at] ^ (1 + random() % 255)));
    ASSERT_NE(failure(), "none") << "byte " << at;
    write(at, text_[at]);
  }
  EXPECT_EQ(failure(), "none");
  for (int i = 0; i < 1'000; ++i) {
    put(text_.substr(0, random() % text_.size()));
    ASSERT_NE(failure(), "none");
  }
  put(text_ + "x");
  EXPECT_THAT(failure(), HasSubstr("something follows its last tensor"));
}

}  // namespace
}  // namespace graphbench::package
