// Characters that are invisible, or that change how those around them are seen: names from documents and
// command lines may hold them, and what we print about a name must show it as it is.
#pragma once

#include <string>
#include <string_view>

namespace graphbench::model {

// C0 and C1 controls, DEL, and the line and paragraph separators.
bool is_control(char32_t c);
// What Unicode's Default_Ignorable_Code_Point lists (marks, embeddings, overrides and isolates of direction,
// blanks and joiners of no width, fillers, variation selectors, tags), and interlinear annotation.
bool is_unseen(char32_t c);

// "\u202e", "\U000e0041".
std::string escape_of(char32_t c);
// The text with all that is unseen escaped, and controls as escapes too, or as blanks. Bytes that are not
// UTF-8 stay.
enum class Controls : bool { blank, escaped };
std::string with_unseen_escaped(std::string_view text, Controls controls);

}  // namespace graphbench::model
