// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "cli/manual.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/wrap.hpp"

namespace collcast::cli {
namespace {

constexpr std::size_t page_width = 73;  // what man(1) leaves of 80 columns beside its margin

/// The text escaped so that man(7) sees no macro in it and changes no character.
std::string plain(const std::string& text) {
  std::string safe = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
  for (const char c : text)
    safe += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return safe;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string heading(const Manual& m, const std::string& page, const std::string& description) {
  return ".TH " + upper(page) + " 1 \"\" \"collcast " + m.version + "\" \"collcast\"\n.SH NAME\n" +
         plain(page) + " \\- " + plain(description) + "\n.SH SYNOPSIS\n";
}

std::string page_of_program(const Manual& m) {
  std::string page = heading(m, m.name, m.description) + ".B " + m.name +
                     "\n.I verb\n[options]\n.SH DESCRIPTION\n" + plain(m.description) + "\n.SH VERBS\n";
  for (const Manual::Verb& v : m.verbs)
    page += ".TP\n.BR " + plain(m.name + "-" + v.name) + " (1)\n" + plain(v.description) + "\n";
  return page +
         ".SH EXIT STATUS\n0: done; 1: the answer is no; 2: bad input; 3: a library or machine failed; 130: "
         "interrupted.\n";
}

std::string section(const std::string& title, const std::vector<Manual::Option>& options) {
  std::string text = options.empty() ? "" : ".SH " + title + "\n";
  for (const Manual::Option& o : options)
    text += ".TP\n.B " + plain(join(o.names) + (o.text.empty() ? "" : " " + o.text)) + "\n" +
            plain(o.description) + "\n";
  return text;
}

std::string page_of_verb(const Manual& m, const Manual::Verb& v) {
  std::string page = heading(m, m.name + "-" + v.name, v.description) + ".B " + m.name + "\n" +
                     plain(v.usage) + "\n" + section("ARGUMENTS", v.words) + section("OPTIONS", v.options);
  if (v.examples.empty()) return page;
  page += ".SH EXAMPLES\n.nf\n";
  std::istringstream lines(v.examples);
  for (std::string line; std::getline(lines, line);)
    page +=
        plain(wrap(line.starts_with("Example: ") ? line.substr(9) : line, page_width, "    ", " \\")) + "\n";
  return page + ".fi\n.SH SEE ALSO\n.BR collcast (1)\n";
}

}  // namespace

std::string man_page(const Manual& m, const std::string& verb) {
  if (verb.empty()) return page_of_program(m);
  std::vector<std::string> names;
  for (const Manual::Verb& v : m.verbs) {
    if (v.name == verb) return page_of_verb(m, v);
    names.push_back(v.name);
  }
  throw InputError("there is no verb '" + verb + "'" + suggestion(verb, names));
}

}  // namespace collcast::cli
