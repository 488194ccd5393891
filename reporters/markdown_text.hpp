// Markdown of bounded length, and text from documents made harmless in it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace graphbench::reporters {

// The text as a code span that holds in a table's cell: nothing in it formats, mentions or links.
std::string as_code(std::string_view text);

// The text as prose in which nothing formats, mentions or links.
std::string as_prose(std::string_view text);

// Collects Markdown. Tables are bounded: each takes at most half of the room left when it begins, so
// that those after it get some.
class MarkdownText {
 public:
  explicit MarkdownText(std::size_t length_max) : length_max_(length_max) {}

  // Unbounded: for short, fixed text.
  void add(std::string_view text) { text_ += text; }

  // Rows are made one by one, for of a hundred thousand only the first few hundred fit.
  struct Rows {
    std::size_t count = 0;
    std::function<std::string(std::size_t)> row;  // with the line break that ends it
  };

  // `title`, then the table; nothing where there are no rows. A table that does not fit ends with a line
  // that says how many of its rows are left out.
  void add_table(std::string_view title, std::string_view head, const Rows& rows);

  // Adds the table, folded under "title (count)".
  void fold_table(std::string_view title, std::string_view head, const Rows& rows);

  std::string take() && { return std::move(text_); }

 private:
  void add_rows(std::string_view head, const Rows& rows);

  std::string text_;
  std::size_t length_max_;
};

}  // namespace graphbench::reporters
