// The neutral form of what a document says. Each document makes one Report, with every number as it is shown
// and as it is; each format is one printer of Reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reporters/format.hpp"

namespace graphbench::reporters {

// How much a sentence, row or number matters. Consoles colour by it; `regression` fails a test and is an
// error of a workflow, `notice` is a warning, `undecided` and `notice` skip a test.
enum class Weight : std::uint8_t { normal, quiet, good, undecided, notice, regression };

struct Sentence {
  std::string text;
  Weight weight = Weight::normal;
  std::string lead = {};     // stands before the text with a colon: the subject of the sentence
  std::string test = {};     // JUnit's name of a test of the whole document; empty: no test
  std::string verdict = {};  // of that test, in one word
};

// A number of a row: how it is shown, itself in the unit of its column, and its interval.
struct Value {
  std::string text = {};
  std::optional<double> value = {};
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::string range = {};  // the interval as it is shown
  Weight weight = Weight::normal;
};

enum class Align : std::uint8_t { left, right };
// `beside`: not in Markdown, whose pages have no room. `as_text`: not in CSV. `console`, `as_data`: only on
// the console, only in CSV.
enum class Shown : std::uint8_t { everywhere, beside, as_text, console, as_data };

struct Column {
  std::string name;
  std::string unit = {};  // "seconds", "bytes", "ratio"; empty: a text or a count
  Align align = Align::right;
  Shown shown = Shown::everywhere;
  std::string key = {};         // the name in CSV; empty: made of name and unit
  std::string range_name = {};  // heading of a column for the intervals; empty: Markdown shows them in place
  std::string help = {};        // for the legend
  int width = 0;                // the least columns on a console
  bool code = false;            // a name that Markdown shows as code
  bool spare = false;           // the console leaves it out where there is no room
  std::size_t csv_place = 0;    // orders the columns of CSV, where that is not their order here
  bool intervals = false;       // CSV has two more columns for the interval's ends
};

struct Row {
  std::vector<Value> values = {};  // one per column
  std::string name = {};           // what it is about: JUnit's test, Markdown's row of a table side by side
  std::string group = {};          // JUnit's class of tests
  std::string verdict = {};        // one word: "slower"
  std::string sentence = {};       // all numbers in one line, for formats without columns
  std::string note = {};           // why, or what else there is to know
  std::string instead = {};        // what a table side by side shows in place of the numbers
  Weight weight = Weight::normal;
  bool repeated = false;  // another row stands for it: on a console, or with `across` in CSV
};

struct Section {
  std::string subject;
  std::string detail = {};  // follows the subject: ": 3 cells"
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  std::vector<Sentence> sentences = {};
  Weight weight = Weight::normal;
  std::size_t rows_max = std::numeric_limits<std::size_t>::max();  // rows on a console
  bool folded = false;                                             // Markdown folds it, after all others
  bool in_csv = true;
  // The column whose values stand side by side, each with the columns after it. The columns before it name a
  // row. Neighbouring sections with one share their columns.
  std::optional<std::size_t> across = {};
};

// What a document says of one subject: a verdict, and why and at what cost in lines that have their labels as
// leads. `details` say what else there is; pages fold them.
struct Card {
  std::string subject;
  std::string verdict = {};
  std::vector<Sentence> lines = {};
  std::string details = {};
};

struct Report {
  std::string name = {};     // the command: "graphbench compare"
  std::string group = {};    // JUnit's class of the tests of the whole document
  std::string heading = {};  // of a page: "graphbench: slower"
  Sentence title = {};
  std::string summary = {};  // follows the title where there is one line only
  std::vector<Sentence> head = {};
  std::vector<Section> sections = {};
  std::vector<Sentence> closing = {};
  std::vector<Card> conclusions = {};  // a console's last lines, a page's first ones
  std::vector<Sentence> help = {};     // how to read it, where the reader has no manual at hand
  std::vector<std::pair<std::string, std::string>> facts = {};  // properties of JUnit's suite
  std::string started_at = {};
  std::size_t page_bytes_max = std::numeric_limits<std::size_t>::max();
};

struct PrintOptions {
  bool colours = false;
  int width = 120;  // of a terminal, in columns
};

// The most errors, and the most warnings, that GitHub shows of a step. It drops the others silently.
inline constexpr std::size_t annotations_max = 10;
// The most bytes that GitHub accepts in a comment.
inline constexpr std::size_t comment_bytes_max = 65536;

struct Format {
  std::string_view name;  // value of --format
  std::string_view what;  // help text
  // Null: the document itself, which its command writes.
  void (*print)(std::ostream& out, const Report& report, const PrintOptions& options) = nullptr;
  bool judges = false;  // only for documents with verdicts
  int place = 100;      // in lists; the least is the default
};

// The names of a document's formats; the first is the default. `judges`: the document has verdicts.
std::vector<std::string> format_names(bool judges = false);
// "table: text for a terminal; json: ..."
std::string format_help(bool judges = false);
// Throws InputError for a word that is not one of format_names().
const Format& format_named(const std::string& name, bool judges = false);

// "-" without a number.
Value seconds_value(const std::optional<double>& seconds);
Value bytes_value(const std::optional<double>& bytes);
Value ratio_value(const std::optional<double>& ratio);
Value percent_value(const std::optional<double>& fraction);
Value count_value(std::int64_t count);
Value text_value(std::string text, Weight weight = Weight::normal);

// Prints a part of a web page, for browsers without scripts: conclusions first, a table per section.
void print_html(std::ostream& out, const Report& report);

// Prints cards as the console does, wrapped to the width: a verdict behind its subject, and a line per label
// below, indented. The details are dim.
void print_cards(std::ostream& out, const std::vector<Card>& cards, const PrintOptions& options);

// as_code() makes a code span, which also works in a table. as_prose() makes plain text. In both, `text`
// cannot add formatting, mentions or links.
std::string as_code(std::string_view text);
std::string as_prose(std::string_view text, std::size_t length_max = 500);

}  // namespace graphbench::reporters
