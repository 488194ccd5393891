// Near misses: which known word a person most likely meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::config {

// The known word within a third of its length in edits (at least one), the nearest first.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean \"mlp\"?" or "", to end a message with.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// Throws InputError(where) for a word that is not among `known`: "\"fast\" is not a " `noun` ": give eager,
// ...".
void require_known(const std::string& where, const std::string& word, const std::string& noun,
                   const std::vector<std::string>& known);

}  // namespace graphbench::config
