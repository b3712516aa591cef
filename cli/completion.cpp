// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast::cli {
namespace {

std::string verb_names(const Manual& m) {
  std::vector<std::string> names;
  for (const Manual::Verb& v : m.verbs) names.push_back(v.name);
  return join(names, " ");
}

std::string option_names(const Manual::Verb& v) {
  std::vector<std::string> names;
  for (const Manual::Option& o : v.options) names.insert(names.end(), o.names.begin(), o.names.end());
  return join(names, " ");
}

/// `line(verb, option)` for each option with known values.
template <class Line>
std::string for_valued(const Manual& m, Line line) {
  std::string all;
  for (const Manual::Verb& v : m.verbs)
    for (const Manual::Option& o : v.options)
      if (!o.values.empty()) all += line(v, o);
  return all;
}

std::string bash(const Manual& m) {
  std::string text = R"(# bash completion of collcast
_collcast() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} options='' names=''
  if [ "$word" = = ]; then word=''; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi  # --name=value
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
                     verb_names(m) + R"( --help --version' -- "$word"))
    return
  fi
  case "$verb $before" in
)";
  text += for_valued(m, [](const auto& v, const auto& o) {
    std::vector<std::string> cases;
    for (const std::string& name : o.names) cases.push_back(text::shell_quoted(v.name + " " + name));
    return "    " + join(cases, "|") + ") COMPREPLY=($(compgen -W " +
           text::shell_quoted(join(o.values, " ")) + " -- \"$word\")); return ;;\n";
  });
  text += "  esac\n  case $verb in\n";
  for (const Manual::Verb& v : m.verbs)
    text += "    " + v.name + ") options=" + text::shell_quoted(option_names(v)) +
            " names=" + text::shell_quoted(join(v.values, " ")) + " ;;\n";
  return text + R"(  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word"; compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _collcast collcast
)";
}

/// The text without characters that have a meaning for _arguments and _describe.
std::string of_zsh(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += std::string_view("[]:\\").find(c) != std::string_view::npos ? " " : std::string(1, c);
  return safe;
}

std::string zsh(const Manual& m) {
  std::string text = "#compdef collcast\n_collcast() {\n  local -a verbs=(\n";
  for (const Manual::Verb& v : m.verbs)
    text += "    " + text::shell_quoted(v.name + ":" + of_zsh(v.description)) + "\n";
  text += "  )\n  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n  case $words[2] in\n";
  for (const Manual::Verb& v : m.verbs) {
    text += "    " + v.name + ") _arguments";
    for (const Manual::Option& o : v.options)
      for (const std::string& name : o.names)
        text +=
            " \\\n      " + text::shell_quoted("*" + name + "[" + of_zsh(o.description) + "]" +
                                               (o.text.empty()     ? ""
                                                : o.values.empty() ? ":" + of_zsh(o.text) + ":_files"
                                                                   : ":value:(" + join(o.values, " ") + ")"));
    text += " \\\n      " +
            text::shell_quoted(v.values.empty() ? "*:file:_files" : "*:name:(" + join(v.values, " ") + ")") +
            " ;;\n";
  }
  // As a file in $fpath, this is the body of the function at its first call.
  return text +
         "  esac\n}\nif [ \"$funcstack[1]\" = _collcast ]; then _collcast \"$@\"; else compdef _collcast "
         "collcast; fi\n";
}

std::string fish(const Manual& m) {
  std::string text = "# fish completion of collcast\n";
  for (const Manual::Verb& v : m.verbs) {
    text += "complete -c collcast -n __fish_use_subcommand -f -a " + v.name + " -d " +
            text::shell_quoted(v.description) + "\n";
    const std::string start = "complete -c collcast -n '__fish_seen_subcommand_from " + v.name + "'";
    if (!v.values.empty()) text += start + " -a " + text::shell_quoted(join(v.values, " ")) + "\n";
    for (const Manual::Option& o : v.options) {
      text += start;
      for (const std::string& name : o.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.text.empty())
        text += o.values.empty() ? " -r" : " -x -a " + text::shell_quoted(join(o.values, " "));
      text += " -d " + text::shell_quoted(o.description) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion(const Manual& m, const std::string& shell) {
  if (shell == "bash") return bash(m);
  if (shell == "zsh") return zsh(m);
  if (shell == "fish") return fish(m);
  throw InputError("there is no completion for '" + shell + "'; expected one of: bash, zsh, fish");
}

}  // namespace collcast::cli
