// Reads raw values, with one function per form of value, and merges the values of file and command line.
#include "harness/options/raw_options.hpp"

#include <algorithm>
#include <optional>

#include "graphs/base/text.hpp"

namespace graphbench::options {

const std::vector<RawItem>* find(const RawOptions& raw, const std::string& name) {
  const auto found = raw.find(name);
  return found == raw.end() || found->second.empty() ? nullptr : &found->second;
}

RawOptions replaced(RawOptions raw, std::string_view placeholder, const std::string& value) {
  for (auto& [name, items] : raw) {
    for (RawItem& item : items) {
      for (std::size_t at = item.text.find(placeholder); at != std::string::npos;
           at = item.text.find(placeholder, at + value.size()))
        item.text.replace(at, placeholder.size(), value);
    }
  }
  return raw;
}

std::vector<std::string> words_of(const std::vector<RawItem>& items, const std::string& noun) {
  std::vector<std::string> result;
  const std::string text = join(items, ",", &RawItem::text);
  const std::string& where = items.front().where;
  for (const std::string& word : split(text, ',')) {
    if (word.empty())
      throw InputError(where, in_quotes(text) + " has an empty " + noun + ": give names separated by commas");
    if (contains(result, word)) {
      throw InputError(where, in_quotes(word) + " is given twice: give each " + noun + " once");
    }
    result.push_back(word);
  }
  return result;
}

std::vector<std::string> words(const RawOptions& raw, const std::string& name, const std::string& noun) {
  const std::vector<RawItem>* items = find(raw, name);
  return items == nullptr ? std::vector<std::string>() : words_of(*items, noun);
}

std::int64_t integer(const RawOptions& raw, const std::string& name, std::int64_t fallback,
                     IntegerRange range) {
  const std::vector<RawItem>* items = find(raw, name);
  if (items == nullptr) return fallback;
  const RawItem& item = items->back();
  return parse_within(item.where, item.text, range, " is not valid: give a whole number from ");
}

double seconds(const RawOptions& raw, const std::string& name, double fallback) {
  const std::vector<RawItem>* items = find(raw, name);
  if (items == nullptr) return fallback;
  const RawItem& item = items->back();
  const std::optional<double> parsed = parse_real(item.text);
  // The limit of one day keeps times within the range of timers and the width of messages.
  if (!parsed || *parsed <= 0 || *parsed > 86400) {
    throw InputError(item.where, in_quotes(item.text) +
                                     " is not valid: give seconds, more than 0 and at most 86400, e.g. 0.5");
  }
  return *parsed;
}

std::string text_of(const RawItem& item) {
  if (item.text.empty())
    throw InputError(item.where, "the value is empty: give a value or leave the option out");
  return item.text;
}

std::string text_of(const RawOptions& raw, const std::string& name, const std::string& fallback) {
  const std::vector<RawItem>* items = find(raw, name);
  return items == nullptr ? fallback : text_of(items->back());
}

bool flag(const RawOptions& raw, const std::string& name) {
  return find(raw, name) != nullptr && raw.at(name).back().text == "true";
}

std::string word_of(const RawOptions& raw, const std::string& name, const std::vector<std::string>& choices) {
  const std::vector<RawItem>* items = find(raw, name);
  if (items == nullptr) return choices.front();
  const std::string& word = items->back().text;
  if (contains(choices, word)) return word;
  throw InputError(items->back().where,
                   in_quotes(word) + " is not valid: give " + join(choices) + did_you_mean(word, choices));
}

RawOptions merge(RawOptions file, const RawOptions& flags) {
  for (const auto& [name, items] : flags) {
    if (name != "set") {
      file[name] = items;
      continue;
    }
    std::vector<RawItem>& merged = file[name];
    const auto key = [](const RawItem& item) { return item.text.substr(0, item.text.find('=')); };
    std::erase_if(merged, [&key, &given = items](const RawItem& old) {
      return std::any_of(given.begin(), given.end(),
                         [&](const RawItem& item) { return key(item) == key(old); });
    });
    merged.insert(merged.end(), items.begin(), items.end());
  }
  return file;
}

}  // namespace graphbench::options
