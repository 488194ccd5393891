// Reads and writes the container: a line "section NAME BYTES SHA256" per section, the digest of the lines
// above, an empty line, and the sections' contents. A head is valid only if encode() writes the same bytes.
#include "harness/package/container.hpp"

#include <optional>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::package {
namespace {

constexpr std::string_view container_first_words = "graphbench package ";
constexpr std::string_view container_version = "1";

[[noreturn]] void refuse_container(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

// Returns the text before the next `end`, and removes both from `text`. Throws if there is no `end`.
std::string_view take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) refuse_container("the package is cut short in its header");
  const std::string_view found = text.substr(0, at);
  text.remove_prefix(at + 1);
  return found;
}

std::string container_head(const std::vector<Section>& sections) {
  std::string head = std::string(container_first_words).append(container_version).append(1, '\n');
  for (const Section& section : sections)
    head += "section " + section.name + " " + std::to_string(section.content.size()) + " " +
            sha256_hex(section.content) + "\n";
  return head + "sha256 " + sha256_hex(head) + "\n\n";
}

}  // namespace

std::string encode(const std::vector<Section>& sections) {
  std::string text = container_head(sections);
  for (const Section& section : sections) text += section.content;
  return text;
}

std::vector<Section> decode(std::string_view text) {
  if (!text.starts_with(container_first_words))
    refuse_container("the file is not a package: give a file that graphbench compile wrote");
  std::string_view rest = text.substr(container_first_words.size());
  const std::string_view its_version = take(rest, '\n');
  const bool is_number = !its_version.empty() && its_version.size() < 10 &&
                         its_version.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) refuse_container("the package's first line is damaged");
  if (its_version != container_version)
    refuse_container("the package has version " + std::string(its_version) +
                     ", but this graphbench reads version 1");
  struct Part {
    std::size_t bytes = 0;
    std::string_view sha256;
  };
  std::vector<Section> sections;
  std::vector<Part> parts;
  while (rest.starts_with("section ")) {
    take(rest, ' ');
    sections.push_back({std::string(take(rest, ' ')), {}});
    const std::optional<std::size_t> bytes = to_number<std::size_t>(take(rest, ' '));
    if (!bytes) refuse_container("the package's header is damaged at section " + sections.back().name);
    parts.push_back({*bytes, take(rest, '\n')});
  }
  const std::string_view lines = text.substr(0, text.size() - rest.size());
  if (rest.substr(0, 7) != "sha256 ")
    refuse_container("the package's header is damaged after the list of sections");
  rest.remove_prefix(7);
  if (take(rest, '\n') != sha256_hex(lines))
    refuse_container("the package's header does not match its digest");
  if (!take(rest, '\n').empty()) refuse_container("the package's header is damaged after the digest");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string where = "section " + sections[i].name + ": ";
    if (rest.size() < parts[i].bytes) refuse_container(where + "the section is cut short");
    sections[i].content = rest.substr(0, parts[i].bytes);
    rest.remove_prefix(parts[i].bytes);
    if (sha256_hex(sections[i].content) != parts[i].sha256)
      refuse_container(where + "the section does not match its digest in the header");
  }
  if (!rest.empty()) refuse_container("there is data after the last section");
  if (!text.starts_with(container_head(sections)))
    refuse_container("the header is not in the format of a graphbench package");
  return sections;
}

}  // namespace graphbench::package
