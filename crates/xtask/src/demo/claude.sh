#!/bin/sh
# Stands in for Claude Code while the recording of `forkhestra demo` is made: it prints what Claude Code
# would print, at the pace of a person who reads along, and really does what it says.

pause() { sleep "$1"; }

# Standard input as the inside of a JSON string.
json() {
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk '{ printf "%s%s", between, $0; between = "\\n" }'
}

message=0
spent_in=0
spent_out=0

# assistant BLOCK TOKENS: a message with one block.
assistant() {
    message=$((message + 1))
    spent_in=$((spent_in + 1900 + 350 * message))
    spent_out=$((spent_out + $2))
    printf '{"type":"assistant","message":{"id":"msg_%s_%s_%s","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[%s],"stop_reason":null,"usage":{"input_tokens":%s,"output_tokens":%s,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}},"parent_tool_use_id":null,"session_id":"%s"}\n' \
        "$FORKHESTRA_STEP" "$FORKHESTRA_ITERATION" "$message" "$1" $((1900 + 350 * message)) "$2" "$session"
}

# say TEXT: the agent speaks.
say() {
    pause 0.35
    assistant "{\"type\":\"text\",\"text\":\"$(printf '%s' "$1" | json)\"}" 60
}

# tool NAME INPUT OUTPUT: what a tool was asked, and what it answered.
tool() {
    assistant "{\"type\":\"tool_use\",\"id\":\"toolu_$message\",\"name\":\"$1\",\"input\":{$2}}" 110
    printf '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%s","type":"tool_result","content":"%s","is_error":false}]},"parent_tool_use_id":null,"session_id":"%s"}\n' \
        $((message - 1)) "$(printf '%s' "$3" | json)" "$session"
}

# run COMMAND: with the shell, in the project.
run() {
    pause 0.25
    output=$(sh -c "$1" 2>&1)
    tool Bash "\"command\":\"$(printf '%s' "$1" | json)\"" "$output"
}

# write PATH: a whole file, from standard input.
write() {
    pause 0.25
    content=$(cat)
    printf '%s\n' "$content" > "$1"
    tool Write "\"file_path\":\"$1\",\"content\":\"$(printf '%s\n' "$content" | json)\"" "File written: $1"
}

read_file() {
    pause 0.15
    tool Read "\"file_path\":\"$1\"" "$(cat "$1")"
}

# finish TEXT: the last message, and the result.
finish() {
    say "$1"
    cost=$(awk -v in_="$spent_in" -v out="$spent_out" 'BEGIN { printf "%.6f", in_ * 3 / 1e6 + out * 15 / 1e6 }')
    printf '{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"num_turns":%s,"result":"%s","stop_reason":"end_turn","terminal_reason":"completed","session_id":"%s","total_cost_usd":%s,"usage":{"input_tokens":%s,"output_tokens":%s,"cache_read_input_tokens":0,"cache_creation_input_tokens":0},"modelUsage":{"claude-sonnet-5-5":{"inputTokens":%s,"outputTokens":%s,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":%s}},"permission_denials":[]}\n' \
        "$message" "$(printf '%s' "$1" | json)" "$session" "$cost" "$spent_in" "$spent_out" "$spent_in" "$spent_out" "$cost"
    exit 0
}

claim() {
    run "forge-tasks claim --plain | head -3"
}

plan() {
    say "I read what is wanted, and make tasks of what is missing."
    read_file forge/orch/specs/PLAN.md
    read_file forge/orch/specs/SPECS.md
    run "forge-tasks list --plain"
    run "forge-tasks create 'List the teas' -p high --ac './tea list prints all teas'"
    run "forge-tasks create 'Tell how long a tea takes' --depends-on 1 --ac 'green: 3 minutes'"
    run "forge-tasks create 'Refuse what is no tea' --depends-on 2 --ac 'mud exits with 2'"
    run "git add forge && git commit -q -m 'Plan the tea timer'"
    finish "Three tasks cover everything in the specifications.

FORKHESTRA_COMPLETE"
}

list_teas() {
    say "Reading the conventions and taking one task."
    read_file forge/orch/specs/AGENTS.md
    claim
    write tea <<'END'
#!/bin/sh
# Knows how long each tea takes.
case $1 in
list) printf '%s\n' black green white ;;
*)
    echo "usage: tea list | tea time NAME" >&2
    exit 2
    ;;
esac
END
    run "chmod +x tea && sh tests/run.sh"
    run "forge-tasks edit TASK-001 --check-ac 1 --status done --plain"
    run "git add -A && git commit -q -m 'TASK-001: List the teas'"
    finish "The teas are listed, and that test passes. I am done.

FORKHESTRA_COMPLETE"
}

tell_time() {
    say "The check says: two tasks are left. Taking the next one."
    claim
    write tea <<'END'
#!/bin/sh
# Knows how long each tea takes.
case $1 in
list) printf '%s\n' black green white ;;
time)
    case $2 in
    black) echo "black: 4 minutes" ;;
    green) echo "green: 3 minutes" ;;
    white) echo "white: 5 minutes" ;;
    esac
    ;;
*)
    echo "usage: tea list | tea time NAME" >&2
    exit 2
    ;;
esac
END
    run "sh tests/run.sh"
    run "forge-tasks edit TASK-002 --check-ac 1 --status done --plain"
    run "git add -A && git commit -q -m 'TASK-002: Tell how long a tea takes'"
    finish "TASK-002 is done. One task is left, so I leave it to the next iteration."
}

refuse() {
    say "One task is left."
    claim
    sed 's/^    esac$/    *) echo "tea: no such tea: $2" >\&2 ;;\n    esac/' tea > tea.new
    cat tea.new > tea
    rm tea.new
    pause 0.25
    tool Edit '"file_path":"tea","old_string":"    esac","new_string":"    *) echo \"tea: no such tea: $2\" >&2 ;;\n    esac"' "The file was changed."
    run "./tea time mud"
    run "forge-tasks edit TASK-003 --check-ac 1 --status done --plain"
    run "git add -A && git commit -q -m 'TASK-003: Refuse what is no tea'"
    finish "Every task is done.

FORKHESTRA_COMPLETE"
}

mend() {
    say "The check says that a test fails: mud is refused, but with the wrong exit status."
    sed 's/echo "tea: no such tea: $2" >&2 ;;/echo "tea: no such tea: $2" >\&2 \&\& exit 2 ;;/' tea > tea.new
    cat tea.new > tea
    rm tea.new
    pause 0.25
    tool Edit '"file_path":"tea","old_string":">&2 ;;","new_string":">&2 && exit 2 ;;"' "The file was changed."
    run "sh tests/run.sh"
    run "git add -A && git commit -q -m 'TASK-003: Exit with 2 for what is no tea'"
    finish "Now all tests pass, and no task is left.

FORKHESTRA_COMPLETE"
}

session=0000000${FORKHESTRA_STEP}-0000-4000-8000-00000000000${FORKHESTRA_ITERATION}
printf '{"type":"system","subtype":"init","session_id":"%s","tools":["Bash","Edit","Read","Write"],"mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"bypassPermissions"}\n' "$session"
case $FORKHESTRA_AGENT-$FORKHESTRA_ITERATION in
planner-1) plan ;;
builder-1) list_teas ;;
builder-2) tell_time ;;
builder-3) refuse ;;
builder-4) mend ;;
esac
