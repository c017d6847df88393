#compdef forkhestra forge-tasks ralph-runner
# Completes forkhestra, forge-tasks and ralph-runner in zsh.
#   source <(forkhestra completions zsh)
# or, in a directory of $fpath, as a file called _forkhestra.

_forkhestra() {
    local program=forkhestra line value
    [[ ${words[1]} == */forkhestra ]] && program=${~words[1]}

    local -a open closed
    for line in "${(@f)$($program complete-line -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        [[ -z $line ]] && continue
        value=${line%%$'\t'*}
        line=${${value//\\/\\\\}//:/\\:}${${line#"$value"}/$'\t'/:}
        # A directory, and what needs a value, goes on.
        if [[ $value == *[=/:@] ]]; then open+=("$line"); else closed+=("$line"); fi
    done
    (( $#closed )) && _describe -V 'completion' closed
    (( $#open )) && _describe -V 'completion' open -S ''
    (( $#closed + $#open ))
}

if [[ $funcstack[1] == _forkhestra ]]; then
    _forkhestra "$@"
else
    if (( ! $+functions[compdef] )); then
        autoload -Uz compinit && compinit
    fi
    compdef _forkhestra forkhestra forge-tasks ralph-runner
fi
