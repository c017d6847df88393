# Tests of ./tea. Prints a line for each; the exit status is 0 if all of them pass.
cd "$(dirname "$0")/.." || exit 1
number=0
failed=0

# expect NAME STATUS OUTPUT COMMAND…: standard output and standard error together.
expect() {
    name=$1 status=$2 output=$3
    shift 3
    number=$((number + 1))
    got=$("$@" 2>&1)
    code=$?
    if [ "$code" != "$status" ]; then
        why="the exit status is $code, not $status"
    elif [ "$got" != "$output" ]; then
        why="it prints \"$got\""
    else
        echo "ok $number - $name"
        return
    fi
    failed=$((failed + 1))
    echo "not ok $number - $name: $why"
}

expect "the teas are listed" 0 "black
green
white" ./tea list
expect "green tea takes 3 minutes" 0 "green: 3 minutes" ./tea time green
expect "white tea takes 5 minutes" 0 "white: 5 minutes" ./tea time white
expect "mud is no tea" 2 "tea: no such tea: mud" ./tea time mud
expect "nothing to do is wrong use" 2 "usage: tea list | tea time NAME" ./tea

echo "$((number - failed)) of $number tests passed"
[ "$failed" -eq 0 ]
