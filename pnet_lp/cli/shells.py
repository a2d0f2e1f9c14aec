"""What bash, zsh and fish run to complete the words of ``pnet-lp``.

Expressions have ``:``, ``=`` and ``,`` in them.  Click's own scripts break them there or put a blank after them, so
these take their place.
"""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)


class _Whole(ShellComplete):
    """What the shells have in common: of ``--option=value`` the value is completed, and the shell gets both."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return what stands in place of the whole word."""
        option, equals, _ = incomplete.partition("=")
        before = f"{option}=" if equals and option.startswith("-") else ""
        return [
            CompletionItem(before + item.value, item.type, item.help)
            for item in super().get_completions(args, incomplete)
        ]


@add_completion_class
class Bash(_Whole, BashComplete):
    """Bash, whose readline breaks words at ``:`` and ``=`` and replaces only what comes after the last of them."""

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' line type value
    for line in $(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
            %(complete_var)s=bash_complete "$1"); do
        IFS=',' read -r type value <<< "$line"
        case $type in
            plain) COMPREPLY+=("$value"); [[ $value == *[:=] ]] && compopt -o nospace ;;
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor's, and that word up to the cursor."""
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)[1:]
        self.word = "" if not words or line[-1].isspace() else words.pop()
        return words, self.word

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return what stands in place of the readline's part of the word."""
        breaks = os.environ["COMP_WORDBREAKS"]
        cut = max(self.word.rfind(mark) + 1 if mark in breaks else 0 for mark in ":=")
        return f"{item.type},{item.value[cut:]}"


@add_completion_class
class Zsh(_Whole, ZshComplete):
    """Zsh, which puts a blank after what it completes."""

    source_template = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a whole described open response
    local type key descr
    (( ! $+commands[%(prog_name)s] )) && return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        %(complete_var)s=zsh_complete %(prog_name)s)}")
    for type key descr in ${response}; do
        if [[ $type == file ]]; then
            _path_files -f
        elif [[ $type == dir ]]; then
            _path_files -/
        elif [[ $key == *[:=] ]]; then
            open+=("${key//\\\\:/:}")
        elif [[ $descr == _ ]]; then
            whole+=("$key")
        else
            described+=("$key:$descr")
        fi
    done
    (( $#open )) && compadd -U -S '' -V unsorted -a open
    (( $#described )) && _describe -V unsorted described -U
    (( $#whole )) && compadd -U -V unsorted -a whole
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


@add_completion_class
class Fish(_Whole, FishComplete):
    """Fish, which puts no blank after ``:`` and ``=``."""

    source_template = """\
function %(complete_func)s
    set -lx COMP_WORDS (commandline -cp)
    set -lx COMP_CWORD (commandline -t)
    for line in (env %(complete_var)s=fish_complete %(prog_name)s)
        set -l item (string split --max 1 , -- $line)
        switch $item[1]
            case file
                __fish_complete_path $item[2]
            case dir
                __fish_complete_directories $item[2]
            case plain
                echo $item[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""
