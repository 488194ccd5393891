// Writes and reads a package's sections: the manifest, two programs per method, the chosen algorithms of
// libraries, and a seal. The seal is a digest of the other sections. It is not a signature. The head before
// the sections has a line "section NAME BYTES SHA256" per section, the digest of the lines above, and an
// empty line. A head is valid only if encode() writes the same bytes.
#include "harness/package/package.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "graphs/ir/text.hpp"
#include "harness/model/codec/json_writer.hpp"

namespace graphbench::package {
namespace {

constexpr std::string_view package_first_words = "graphbench package ";
constexpr std::string_view package_version = "1";

[[noreturn]] void refuse_package(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

// Returns the text before the first `end`. Removes it and the `end` from `text`. Throws if `text` has no
// `end`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) refuse_package("the package is cut short in its header");
  const std::string_view found = text.substr(0, at);
  text.remove_prefix(at + 1);
  return found;
}

std::string package_head(const std::vector<Section>& sections) {
  std::string head = std::string(package_first_words).append(package_version).append(1, '\n');
  for (const Section& section : sections)
    head += "section " + section.name + " " + std::to_string(section.content.size()) + " " +
            sha256_hex(section.content) + "\n";
  return head + "sha256 " + sha256_hex(head) + "\n\n";
}

template <typename Read>
auto within(const std::string& section, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    refuse_package("section " + section + ": " + error.what());
  }
}

std::string name_of(const Method& method, Stage stage) {
  return "program/" + method.name + (stage == Stage::before ? "/before" : "/after");
}

std::string write_entries(const std::vector<cache::Entry>& entries) {
  std::string text;
  for (const cache::Entry& entry : entries) {
    const std::string file = cache::encode(entry);
    text += std::to_string(file.size()) + "\n" + file;
  }
  return text;
}

std::vector<cache::Entry> read_entries(std::string_view text) {
  std::vector<cache::Entry> entries;
  while (!text.empty()) {
    const std::string which = "entry " + std::to_string(entries.size()) + ": ";
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || digits >= text.size() || text[digits] != '\n' ||
        text.size() - digits - 1 < bytes)
      refuse_package(which + "the entry is cut short");
    cache::Reading reading = cache::decode(text.substr(digits + 1, bytes));
    if (!reading.entry) refuse_package(which + reading.why_not);
    if (std::ranges::count(entries, reading.entry->key, &cache::Entry::key) > 0)
      refuse_package(which + "an earlier entry has the same key");
    entries.push_back(std::move(*reading.entry));
    text.remove_prefix(digits + 1 + bytes);
  }
  return entries;
}

std::vector<cache::Entry> read_choices(std::string_view text) {
  std::vector<cache::Entry> choices = read_entries(text);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].content.find('\n') == std::string::npos) continue;
    const std::string why = why_not_serialised(cache::split_choice(choices[i].content).serialised);
    if (!why.empty())
      refuse_package("entry " + std::to_string(i) + ": the entry's serialised cuDNN plan " + why);
  }
  return choices;
}

std::vector<Section> sections_of(const Package& package) {
  std::vector<Section> sections = {{"manifest", write_manifest(package.manifest)}};
  for (std::size_t i = 0; i < package.programs.size(); ++i) {
    const Method& method = package.manifest.methods[i];
    sections.push_back({name_of(method, Stage::before), package.programs[i].before});
    sections.push_back({name_of(method, Stage::after), package.programs[i].after});
  }
  sections.push_back({"choices", write_entries(package.choices)});
  std::string all;
  for (const Section& section : sections) all += section.name + "\n" + sha256_hex(section.content) + "\n";
  sections.push_back({"seal", sha256_hex(all)});
  return sections;
}

std::string text_of(const std::string& path) {
  constexpr std::size_t bytes_max = std::size_t{1} << 30;
  WholeFile file = read_whole_file(path, bytes_max);
  if (!file.why_not.empty()) throw Error(ErrorCode::io, in_quotes(path) + " " + file.why_not);
  return std::move(file.text);
}

void check_method_tensors(const Manifest& manifest, const Method& method, const ir::Program& program) {
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind != ir::ValueKind::weight && value.kind != ir::ValueKind::parameter) continue;
    const Tensor* tensor = find_tensor(manifest, method.name, value.name);
    if (tensor == nullptr) refuse_package("the manifest has no tensor " + value.name);
    const ir::TensorDesc desc = program.describe(id, program.micro_batches());
    if (tensor->dtype != ir::name_of(desc.dtype) || tensor->dims != desc.dims)
      refuse_package("tensor " + value.name +
                     " of the manifest has another type or shape than in the program");
  }
}

}  // namespace

std::string encode(const std::vector<Section>& sections) {
  std::string text = package_head(sections);
  for (const Section& section : sections) text += section.content;
  return text;
}

std::vector<Section> decode(std::string_view text) {
  if (!text.starts_with(package_first_words))
    refuse_package("the file is not a package: give a file that graphbench compile wrote");
  std::string_view rest = text.substr(package_first_words.size());
  const std::string_view its_version = take_until(rest, '\n');
  const bool is_number = !its_version.empty() && its_version.size() < 10 &&
                         its_version.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) refuse_package("the package's first line is damaged");
  if (its_version != package_version)
    refuse_package("the package has version " + std::string(its_version) +
                   ", but this graphbench reads version 1");
  struct Part {
    std::size_t bytes = 0;
    std::string_view sha256;
  };
  std::vector<Section> sections;
  std::vector<Part> parts;
  while (rest.starts_with("section ")) {
    take_until(rest, ' ');
    sections.push_back({std::string(take_until(rest, ' ')), {}});
    const std::optional<std::size_t> bytes = to_number<std::size_t>(take_until(rest, ' '));
    if (!bytes) refuse_package("the package's header is damaged at section " + sections.back().name);
    parts.push_back({*bytes, take_until(rest, '\n')});
  }
  const std::string_view lines = text.substr(0, text.size() - rest.size());
  if (rest.substr(0, 7) != "sha256 ")
    refuse_package("the package's header is damaged after the list of sections");
  rest.remove_prefix(7);
  if (take_until(rest, '\n') != sha256_hex(lines))
    refuse_package("the package's header does not match its digest");
  if (!take_until(rest, '\n').empty()) refuse_package("the package's header is damaged after the digest");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string where = "section " + sections[i].name + ": ";
    if (rest.size() < parts[i].bytes) refuse_package(where + "the section is cut short");
    sections[i].content = rest.substr(0, parts[i].bytes);
    rest.remove_prefix(parts[i].bytes);
    if (sha256_hex(sections[i].content) != parts[i].sha256)
      refuse_package(where + "the section does not match its digest in the header");
  }
  if (!rest.empty()) refuse_package("there is data after the last section");
  if (!text.starts_with(package_head(sections)))
    refuse_package("the header is not in the format of a graphbench package");
  return sections;
}

// Refuses a zero byte, because the JSON parser would take it for the end of the text.
std::string why_not_serialised(std::string_view plan) {
  constexpr std::size_t bytes_max = std::size_t{16} << 20;
  if (plan.size() > bytes_max) return "has more than " + std::to_string(bytes_max) + " bytes";
  const bool is_object = plan.starts_with('{') && plan.find('\0') == std::string_view::npos;
  return is_object && model::Json::accept(plan) ? "" : "is not a JSON object";
}

std::string write_package(const Package& package) {
  return encode(sections_of(package));
}

Package read_package(std::string_view text) {
  std::vector<Section> sections = decode(text);
  if (sections.empty() || sections.front().name != "manifest")
    refuse_package("the package's first section is not a manifest");
  Package package{.manifest = within("manifest", [&] { return read_manifest(sections[0].content); }),
                  .programs = {},
                  .choices = {}};
  package.programs.resize(package.manifest.methods.size());
  const std::vector<Section> wanted = sections_of(package);
  for (std::size_t i = 0; i < std::max(wanted.size(), sections.size()); ++i) {
    if (i >= sections.size()) refuse_package("section " + wanted[i].name + " is missing");
    if (i >= wanted.size() || sections[i].name != wanted[i].name)
      refuse_package("section " + sections[i].name + ": this section is unknown: try a newer graphbench");
    if (i == 0) continue;
    if (sections[i].name == "choices") {
      package.choices = within("choices", [&] { return read_choices(sections[i].content); });
    } else if (sections[i].name != "seal") {
      Programs& programs = package.programs[(i - 1) / 2];
      (i % 2 == 1 ? programs.before : programs.after) = sections[i].content;
    }
  }
  package.sections = std::move(sections);
  package.bytes = text.size();
  package.digest = sha256_hex(text);
  if (sections_of(package).back().content != package.sections.back().content)
    refuse_package("section seal: the seal does not match the other sections");
  if (write_package(package) != text) refuse_package("the file is not in the format of a graphbench package");
  return package;
}

Package open_package(const std::string& path, const std::string& digest) {
  const std::string text = text_of(path);
  try {
    Package package = read_package(text);
    if (!digest.empty() && digest != package.digest)
      refuse_package("the package has changed since the sweep began");
    return package;
  } catch (const Error& error) {
    refuse_package(in_quotes(path) + ": " + error.what());
  }
}

ir::Program program_of(const Package& package, std::string_view pass, std::string_view preset, Stage stage,
                       const ir::OpCatalog& catalog) {
  const Method* method = find_method(package.manifest, pass, preset);
  if (method == nullptr)
    refuse_package("the package has no method of pass " + std::string(pass) + " and preset " +
                   std::string(preset));
  const auto index = static_cast<std::size_t>(method - package.manifest.methods.data());
  const Programs& programs = package.programs[index];
  return within(name_of(*method, stage), [&] {
    ir::Program program =
        ir::read_program(stage == Stage::before ? programs.before : programs.after, catalog);
    check_method_tensors(package.manifest, *method, program);
    for (const std::int64_t batch : package.manifest.batches) {
      for (ir::ValueId id = 0; stage == Stage::after && id < program.values().size(); ++id)
        static_cast<void>(program.describe(id, batch).bytes());
    }
    return program;
  });
}

std::string why_not_on(const Manifest& manifest, const std::string& kind, const std::string& capability) {
  if (manifest.device != kind)
    return "the package is for a device of kind " + manifest.device + ", and this device is of kind " + kind;
  const std::string here = architecture_of(capability);
  if (contains(manifest.architectures, here)) return {};
  return "architectures: the package is for " + join(manifest.architectures) + ", and this device is " + here;
}

PluginFile plugin_file(const std::string& path) {
  return {std::filesystem::path(path).filename().string(), sha256_hex(text_of(path))};
}

std::string why_not_with(const Manifest& manifest, const std::vector<std::string>& plugins) {
  std::vector<std::string> digests;
  for (const std::string& path : plugins) digests.push_back(plugin_file(path).sha256);
  for (const PluginFile& wanted : manifest.plugins) {
    if (!contains(digests, wanted.sha256))
      return "plugins: the package has ops of " + in_quotes(wanted.name) + " with the digest " +
             wanted.sha256.substr(0, 16) + "..., which no --plugin has: give that file";
  }
  return {};
}

}  // namespace graphbench::package
