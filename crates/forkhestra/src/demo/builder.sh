#!/bin/sh
# Does one task, commits it and goes. It is started again, until nothing is left to do.
set -eu
# Whoever starts the demo from a git hook means this repository, not theirs.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

task=$(sed -n 's/^\[ \] //p' TASKS.txt | head -n 1)
if [ -z "$task" ]; then
    echo "Every task is done:"
    sed 's/^/  /' tea.txt
    echo "FORKHESTRA_COMPLETE"
    exit 0
fi

echo "Iteration $FORKHESTRA_ITERATION of at most $FORKHESTRA_MAX_ITERATIONS: $task"
case $task in
*heading*)
    printf 'TEA\n\n' >> tea.txt
    echo "One task of several is not all, so this mention of FORKHESTRA_COMPLETE ends nothing."
    ;;
*kinds*)
    printf 'green\nblack\nwhite\n' >> tea.txt
    ;;
*wait*)
    # The first try of this task fails, as agents do. The loop goes on.
    if [ ! -e .git/tried ]; then
        touch .git/tried
        echo "This try fails on purpose" >&2
        exit 1
    fi
    printf '\nWait for three minutes.\n' >> tea.txt
    ;;
esac
awk -v task="[ ] $task" '$0 == task { sub(/^\[ \]/, "[x]") } { print }' TASKS.txt > TASKS.new
mv TASKS.new TASKS.txt
git add --all
git commit --quiet --no-verify -m "Do: $task"
