#!/bin/sh
# Makes data/serving/ and data/notes/mock-abba.md again from nothing (about 15 minutes,
# about 7 GB for the Python packages). Needs python3.11 with pip.
#   VENV=/folder  reuse or make the virtual environment there
#   OUT=folder    write there instead of data/
#   PORT=number   another port than 8123
#   ORDER="A B"   another order of runs (A = before, B = after)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$(dirname "$here")}
order=${ORDER:-A B B A A B B A A B B A}
scratch=$(mktemp -d)
venv=${VENV:-$scratch/venv}
port=${PORT:-8123}
mkdir -p "$out/serving/before" "$out/serving/after" "$out/notes" "$out/make"
out=$(cd "$out" && pwd)

# --no-deps: requirements.txt is complete for the client, not for vLLM as a server.
[ -x "$venv/bin/vllm" ] || {
    python3.11 -m venv "$venv"
    "$venv/bin/pip" install --quiet --no-deps -r "$here/requirements.txt"
}

# The client runs in the scratch folder, so the files hold relative names only.
cd "$scratch"
server=
trap 'test -z "$server" || kill "$server"; cd /; rm -rf "$scratch"' EXIT
"$venv/bin/python" "$here/tokenizer.py" tiny-tokenizer
export VLLM_USE_RUST_BENCH=0 VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1 VLLM_CACHE_ROOT="$scratch/cache"

n=0 before=0 after=0
for letter in $order; do
    n=$((n + 1))
    case $letter in
        A) variant=before factor=1.0 before=$((before + 1)) nth=$before ;;
        B) variant=after factor=0.96 after=$((after + 1)) nth=$after ;;
    esac
    id=$(printf %02d $n)
    # Per-request detail in the first two runs of each variant only.
    detail=
    [ $nth -gt 2 ] || detail=--save-detailed

    "$venv/bin/python" "$here/server.py" --port "$port" --seed $((2026 + n)) \
        --decode-factor $factor >server.txt &
    server=$!
    sleep 2
    "$venv/bin/vllm" bench serve --backend openai --base-url "http://127.0.0.1:$port" \
        --model tiny-model --tokenizer tiny-tokenizer \
        --dataset-name random --random-input-len 32 --random-output-len 24 --ignore-eos --seed 0 \
        --num-prompts 1000 --max-concurrency 8 --request-rate inf \
        --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 90,99 --disable-tqdm \
        --save-result $detail --result-dir . --result-filename "run-$id.json" >"console-$id.txt" 2>&1 \
        || { cat "console-$id.txt"; exit 1; }
    kill $server
    wait $server || true
    server=
    mv "run-$id.json" "$out/serving/$variant/"
    # The first two blocks of each variant also go into the note, as printed.
    if [ $nth -le 2 ]; then
        [ $nth -eq 2 ] || printf '## %s\n' $variant >"$variant.md"
        { printf '\n```\n'; sed -n '/ Serving Benchmark Result /,/^==*$/p' "console-$id.txt"; printf '```\n'; } >>"$variant.md"
    fi
    echo "run=$id variant=$variant $(cat server.txt)" | tee -a starts.txt
done
[ ! -f starts.txt ] || mv starts.txt "$out/make/"
[ ! -f before.md ] || [ ! -f after.md ] || { cat before.md; echo; cat after.md; } >"$out/notes/mock-abba.md"
