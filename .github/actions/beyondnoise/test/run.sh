#!/usr/bin/env bash
# Tries the scripts of the action against a stand-in for GitHub: test/run.sh EXECUTABLE, from the top level.
set -euo pipefail

executable=$(realpath "$1")
action=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
mkdir "$work/site" "$work/temp"
server=""
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

export RUNNER_TEMP=$work/temp RUNNER_OS=Linux RUNNER_ARCH=X64
export GITHUB_OUTPUT=$work/output GITHUB_STEP_SUMMARY=$work/summary GITHUB_EVENT_PATH=$work/event.json
export GITHUB_REPOSITORY=owner/project
echo '{"pull_request": {"number": 7}}' >"$GITHUB_EVENT_PATH"

# 100 comments come first, so that a second page is needed; one quotes a report, one is a stranger's paste.
jq -n '[range(98) | {id: ., user: {type: "User"}, author_association: "MEMBER", body: "talk"}]
  + [{id: 98, user: {type: "User"}, author_association: "MEMBER", body: "> <!-- beyondnoise -->\nsee above"},
     {id: 99, user: {type: "User"}, author_association: "NONE", body: "all well\n<!-- beyondnoise -->"}]' \
  >"$work/site/comments.json"
python3 "$action/test/api.py" "$work/site" >"$work/port" &
server=$!
for _ in {1..100}; do
  [[ -s $work/port ]] && break
  sleep 0.1
done
GITHUB_SERVER_URL=http://127.0.0.1:$(<"$work/port")
export GITHUB_SERVER_URL GITHUB_API_URL=$GITHUB_SERVER_URL/api

failures=0
check() { # WHAT EXPECTED FOUND
  if [[ $2 == "$3" ]]; then echo "ok: $1"; else
    echo "FAILED: $1: expected '$2', found '$3'"
    failures=$((failures + 1))
  fi
}
output() { sed -n "s/^$1=//p" "$GITHUB_OUTPUT"; }
comments() { jq -r "$1" "$work/site/comments.json"; }
compare() { # BASELINE CANDIDATE GATE [ARGS [CONFIG [REQUIRE]]]
  : >"$GITHUB_OUTPUT"
  : >"$GITHUB_STEP_SUMMARY"
  EXECUTABLE=$executable BASELINE=$1 CANDIDATE=$2 GATE=$3 ARGS=${4:-} CONFIG=${5:-} \
    REQUIRE=${6:-} bash "$action/compare.sh" >"$work/log"
}
comment() { REPORT=$(output report) TOKEN=$1 bash "$action/comment.sh"; }

before=data/serving/before after=data/serving/after

compare "$before" "$after" true
check "an improvement passes" "improved pass 0" "$(output headline) $(output gate) $(output exit-code)"
check "the summary is the report" "$(<"$(output report)")" "$(<"$GITHUB_STEP_SUMMARY")"
check "the JSON is there" "beyondnoise/1" "$(jq -r .schema "$(output json)")"
check "the first report is posted" posted "$(comment may-write)"
check "one comment more" 101 "$(comments length)"
check "the comment is the report" "$(<"$(output report)")" "$(comments '.[100].body')"

compare "main=$after" "pr=$before" true
check "a regression fails" "regressed fail 1" "$(output headline) $(output gate) $(output exit-code)"
check "the second report updates the first" updated "$(comment may-write)"
check "no comment more" 101 "$(comments length)"
check "it is the new report" "$(<"$(output report)")" "$(comments '.[100].body')"
check "other comments stay" "all well" "$(comments '.[99].body' | head -n 1)"
check "a token that may not write is a warning" 1 "$(comment may-read | grep -c '^::warning')"

compare "$after" "$before" false
check "without gate a regression is told" "regressed fail 0" "$(output headline) $(output gate) $(output exit-code)"

compare "$before" "$after" true "" "" improved
check "an improvement is promoted" "promote 0" "$(output decision) $(output exit-code)"
compare "$before" "$before" true "" "" improved
check "a copy is not promoted" "2 " "$(output exit-code) $(output decision)"
compare "$after" "$before" true "" "" improved
check "a regression is rejected" "reject 1" "$(output decision) $(output exit-code)"

compare "$before/run-01.json" "$after/run-02.json" true
check "one run each" "no_verdict none 3" "$(output headline) $(output gate) $(output exit-code)"
compare "$before" "$after" true "--confidence 99% --metric mean_ttft_ms"
check "further arguments" "0.99 1" "$(jq -r '"\(.settings.confidence) \(.comparisons[0].metrics | length)"' "$(output json)")"
echo '[verdict]' >"$work/policy.toml"
compare "$before" "$after" true "" "$work/policy.toml"
check "a wrong policy file is an error" 2 "$(output exit-code)"

compare "$before" "no-such-folder" true
check "unreadable input" "2 " "$(output exit-code) $(output report)"
check "the summary has the message" 1 "$(grep -c '^    .*no-such-folder' "$GITHUB_STEP_SUMMARY")"

# Nothing of an input or a label is read as shell, as a glob, as an option or as a command of the runner.
touch "$work/a"
compare "\$(touch $work/run)\`touch $work/run\`=$before" "; touch $work/run=$after" true "--metric \$(touch\${IFS}$work/run)"
check "a label is not shell" 2 "$(output exit-code)"
compare "-o=$before" "::add-mask::x=$after" true
check "a label is not an option" improved "$(output headline)"
check "nothing was run" "" "$(find "$work" -name 'run*')"
pause=$(sed -n 's/^::stop-commands:://p' "$work/log")
check "the report stands between the marks" "" "$(sed "/^::stop-commands::$pause$/,/^::$pause::$/d" "$work/log" | grep improved || true)"

echo '{"ref": "refs/heads/main"}' >"$GITHUB_EVENT_PATH"
check "a push has no comment" 101 "$(comment may-write >/dev/null && comments length)"

# A release whose executable is a script, used by its tag, by the newest and with a wrong checksum.
archive=beyondnoise-x86_64-unknown-linux-gnu.tar.gz
printf '#!/bin/sh\necho beyondnoise 9.9.9\n' >"$work/beyondnoise"
chmod +x "$work/beyondnoise"
tar -C "$work" -czf "$work/site/$archive" beyondnoise
(cd "$work/site" && sha256sum "$archive" >SHA256SUMS)
install() { # REF VERSION
  : >"$GITHUB_OUTPUT"
  ACTION_PATH=/x/_actions/owner/beyondnoise/$1/.github/actions/beyondnoise VERSION=$2 EXECUTABLE='' bash "$action/install.sh"
}
check "by its tag" "beyondnoise 9.9.9" "$(install v9.9.9 '')"
check "the executable is told" "beyondnoise 9.9.9" "$("$(output executable)")"
check "by the newest" "beyondnoise 9.9.9" "$(install main '')"
check "by the version" "beyondnoise 9.9.9" "$(install main v9.9.9)"
check "another version is an error" 1 "$(install main 1.0.0 2>/dev/null | grep -c '^::error')"
# Without a release the source of the action is built, by a cargo that only writes down how it was called.
source=$work/_actions/owner/beyondnoise/main
mkdir -p "$source/.github/actions/beyondnoise" "$work/bin"
touch "$source/Cargo.toml"
printf '#!/bin/sh\necho "$@" >"%s/cargo"\nmkdir -p "%s/temp/beyondnoise-build/release"\ncp "%s/beyondnoise" "%s/temp/beyondnoise-build/release/"\n' \
  "$work" "$work" "$work" "$work" >"$work/bin/cargo"
chmod +x "$work/bin/cargo"
built() { # ARCHITECTURE VERSION
  : >"$GITHUB_OUTPUT"
  PATH="$work/bin:$PATH" RUNNER_ARCH=$1 ACTION_PATH=$source/.github/actions/beyondnoise VERSION=$2 EXECUTABLE='' bash "$action/install.sh"
}
check "built where there is no release" "beyondnoise 9.9.9" "$(built RISCV '' | tail -n 1)"
check "built by cargo, from its lock file" 1 "$(grep -c -- "--locked.*_actions/owner/beyondnoise/main" "$work/cargo")"
check "built where the archive is missing" "beyondnoise 9.9.9" "$(built ARM64 '' 2>/dev/null | tail -n 1)"
check "a version that is asked for is not built" 1 "$(built ARM64 1.0.0 2>/dev/null | grep -c '^::error')"
echo "0000  $archive" >"$work/site/SHA256SUMS"
check "a wrong checksum is an error" 1 "$(install main '' | grep -c '^::error.*checksum')"

[[ $failures -eq 0 ]] || { echo "$failures failed" && exit 1; }
