#!/bin/sh
# Turns the plan into tasks, one a line, and says that its work is done.
set -eu
# Whoever starts the demo from a git hook means this repository, not theirs.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

echo "Reading forge/orch/specs/PLAN.md"
sed -n 's/^- /[ ] /p' forge/orch/specs/PLAN.md > TASKS.txt
echo "Wrote $(wc -l < TASKS.txt | tr -d ' ') tasks to TASKS.txt"
git add TASKS.txt
git commit --quiet --no-verify -m "Plan the work"
echo "FORKHESTRA_COMPLETE"
