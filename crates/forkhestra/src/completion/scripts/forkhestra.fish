# Completes forkhestra, forge-tasks and ralph-runner in fish.
#   forkhestra completions fish | source

function __forkhestra_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    # A word that is still open begins with its quote.
    set -l current (commandline --current-token --cut-at-cursor | string replace --regex '^["\']' '')
    set -l program forkhestra
    if string match --quiet '*/forkhestra' -- $words[1]
        set program $words[1]
    end
    $program complete-line -- $words "$current" 2>/dev/null
end

for program in forkhestra forge-tasks ralph-runner
    complete --command $program --no-files --keep-order --arguments '(__forkhestra_complete)'
end
