// libFuzzer target: any file is either a package, which is written again with the same bytes, or refused.
// Inputs are also tried as a section with the right digest, because a wrong digest ends the reading early.
#include "harness/package/package.hpp"

#include "graphs/base/digest.hpp"
#include "tests/fuzz/target.hpp"

namespace graphbench::fuzz {
namespace {

// A valid package, except that the section `name` has this content.
std::string with(std::string_view name, const std::string& content) {
  package::Package sound{.manifest = {}, .programs = {{"before", "after"}}, .choices = {}};
  package::Manifest& manifest = sound.manifest;
  manifest.device = "cuda";
  manifest.architectures = {"sm_80"};
  manifest.workload = "mlp";
  manifest.dtype = "fp32";
  manifest.attention = "auto";
  manifest.epilogues = "on";
  manifest.batches = {1};
  manifest.methods = {{"forward", "forward", "tiny"}};
  std::vector<package::Section> sections = package::decode(package::write_package(sound));
  std::string seal;  // the digests of all sections before the seal, which is the last one
  for (package::Section& section : sections) {
    if (section.name == name) section.content = content;
    if (section.name == "seal") section.content = sha256_hex(seal);
    seal += section.name + "\n" + sha256_hex(section.content) + "\n";
  }
  return package::encode(sections);
}

}  // namespace

void hold(std::string_view bytes) {
  const std::string text(bytes);
  for (const std::string& file :
       {text, package::encode({{"manifest", text}, {"choices", ""}}), with("choices", text)}) {
    try {
      expect(package::write_package(package::read_package(file)) == file);
    } catch (const Error& error) {
      expect(!std::string_view(error.what()).empty());
    }
  }
}

}  // namespace graphbench::fuzz
