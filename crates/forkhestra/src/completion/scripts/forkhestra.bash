# Completes forkhestra, forge-tasks and ralph-runner in bash.
#   source <(forkhestra completions bash)

_forkhestra_complete() {
    local program=forkhestra
    [[ $1 == */forkhestra ]] && program=$1

    # Bash takes words apart at `=` and `:`, which are parts of our words. What has no blank before it
    # belongs to the word before.
    local -a words=()
    local rest=$COMP_LINE index word blank piece current
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        blank=${rest%%[^[:space:]]*}
        rest=${rest#"$blank"}
        rest=${rest#"$word"}
        piece=$word
        # Of the last one only what is before the cursor counts, without its quotes.
        if ((index == COMP_CWORD)) && [[ ! $word =~ ^[=:]+$ ]]; then
            piece=$2
        fi
        if ((index > 0)) && [[ -z $blank && -n $word ]]; then
            words[${#words[@]} - 1]+=$piece
        else
            words+=("$piece")
        fi
    done
    current=${words[${#words[@]} - 1]}

    # Bash replaces only what it takes for the last word.
    local prefix=$current
    [[ $piece == "$2" ]] && prefix=${current%"$piece"}

    local line
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$prefix"}")
    done < <("$program" complete-line -- "${words[@]}" 2>/dev/null)

    # A directory, and what needs a value, goes on.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:@] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o nosort -F _forkhestra_complete forkhestra forge-tasks ralph-runner 2>/dev/null ||
    complete -F _forkhestra_complete forkhestra forge-tasks ralph-runner
