// Reads raw values one by one. A value of the wrong form throws InputError, which names its place and a valid
// form. A `fallback` is used for an option that was not given; if one value is asked for, the last one given
// counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/numbers.hpp"
#include "harness/options/options.hpp"

namespace graphbench::config {

// Null if it was not given.
const std::vector<RawItem>* find(const RawOptions& raw, const std::string& name);
// The words of a list; `noun` is what messages call one. Each may occur once.
std::vector<std::string> words_of(const std::vector<RawItem>& items, const std::string& noun);
std::vector<std::string> words(const RawOptions& raw, const std::string& name, const std::string& noun);
std::int64_t integer(const RawOptions& raw, const std::string& name, std::int64_t fallback,
                     IntegerRange range);
// More than 0, a day at most.
double seconds(const RawOptions& raw, const std::string& name, double fallback);
// An empty text is refused.
std::string text_of(const RawItem& item);
std::string text_of(const RawOptions& raw, const std::string& name, const std::string& fallback);
bool flag(const RawOptions& raw, const std::string& name);
// Replaces each `placeholder`, such as "{device}", by `value` in any value.
RawOptions replaced(RawOptions raw, std::string_view placeholder, const std::string& value);
// The first choice is the default.
std::string word_of(const RawOptions& raw, const std::string& name, const std::vector<std::string>& choices);

}  // namespace graphbench::config
