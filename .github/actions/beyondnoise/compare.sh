#!/usr/bin/env bash
# Compares, writes the job summary and the outputs; the exit status of beyondnoise is an output.
#
# EXECUTABLE, BASELINE, CANDIDATE, CONFIG, GATE, REQUIRE, ARGS: see action.yml
set -euo pipefail

with_name() { case $2 in *=*) echo "$2" ;; *) echo "$1=$2" ;; esac; }
from=$(with_name baseline "$BASELINE")
to=$(with_name candidate "$CANDIDATE")

options=(--base="${from%%=*}")
[[ -n ${CONFIG:-} ]] && options+=(--config="$CONFIG")
# Split at white space and nothing else: no glob, no variable, no quote.
read -r -d '' -a more <<<"${ARGS:-}" || true
options+=(${more[@]+"${more[@]}"})
judge=()
[[ $GATE == true ]] && judge=(--gate ${REQUIRE:+"--require=$REQUIRE"})

folder=$(mktemp -d "${RUNNER_TEMP//\\//}/beyondnoise.XXXXXX")
report=$folder/report.md json=$folder/report.json log=$folder/messages.txt

status=0
"$EXECUTABLE" compare "${options[@]}" ${judge[@]+"${judge[@]}"} --output "$json" --output "$report" \
  -- "$from" "$to" 2>"$log" || status=$?

# Names in the data reach the log: a line of theirs must not be read as a command of the runner.
pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$pause"
cat "$log"
[[ -s $report ]] && cat "$report"
printf '\n::%s::\n' "$pause"

echo "exit-code=$status" >>"$GITHUB_OUTPUT"
if [[ -s $report ]]; then
  cat "$report" >>"$GITHUB_STEP_SUMMARY"
  {
    echo "report=$report"
    echo "json=$json"
    jq -r '"headline=" + ([.comparisons[].headline] | unique | join(","))' "$json"
    jq -r '[.comparisons[].gate]
      | "gate=" + if index("fail") then "fail" elif index("none") or length == 0 then "none" else "pass" end' "$json"
    jq -r '"decision=" + .decision' "$json"
  } | tr -d '\r' >>"$GITHUB_OUTPUT"
else
  # The message as an indented block: no text in it can end the block.
  { echo "### beyondnoise: no report (exit status $status)" && echo && sed 's/^/    /' "$log"; } >>"$GITHUB_STEP_SUMMARY"
  echo "::error title=beyondnoise::no report, exit status $status; the message stands above"
fi
