#!/usr/bin/env bash
# Downloads a release of beyondnoise, checks it against its checksum and says where the executable is. Where no version is asked
# for and there is no release for this system, it is built from the source that the action came with.
#
# EXECUTABLE   if not empty, this one is used and nothing is downloaded
# VERSION      such as 0.1.0; without it that of the tag by which the action is used, or else the newest
# ACTION_PATH  .../_actions/OWNER/REPOSITORY/REF/.github/actions/beyondnoise on a runner
set -euo pipefail

fail() {
  echo "::error title=beyondnoise::$1"
  exit 2
}

if [[ -n ${EXECUTABLE:-} ]]; then
  "$EXECUTABLE" --version || fail "the executable given does not run"
  echo "executable=$EXECUTABLE" >>"$GITHUB_OUTPUT"
  exit
fi

# The variables that should name repository and tag of an action are empty in composite actions; the path has both.
path=${ACTION_PATH//\\//}
if [[ $path =~ /_actions/([^/]+/[^/]+)/([^/]+)/\.github/actions/beyondnoise$ ]]; then
  repository=${BASH_REMATCH[1]} ref=${BASH_REMATCH[2]}
else
  repository=$GITHUB_REPOSITORY ref="" # used by its path, inside its own repository
fi
number=${VERSION#v}
if [[ -z $number && $ref =~ ^v([0-9]+\.[0-9]+\.[0-9]+.*)$ ]]; then number=${BASH_REMATCH[1]}; fi
[[ $number =~ ^[0-9A-Za-z.+-]*$ ]] || fail "the version is not of the form 0.1.0"

build() { # WHY
  local source=$path/../../..
  if [[ -n $number || ! -f $source/Cargo.toml ]] || ! type -P cargo >/dev/null; then
    fail "$1: build one with cargo and give its path as 'executable'"
  fi
  echo "$1: building it"
  cargo build --release --locked --no-default-features --manifest-path "$source/Cargo.toml" --target-dir "$RUNNER_TEMP/beyondnoise-build" >&2 ||
    fail "$1, and it cannot be built here"
  executable=$RUNNER_TEMP/beyondnoise-build/release/beyondnoise
  [[ $RUNNER_OS == Windows ]] && executable=$executable.exe
  "$executable" --version
  echo "executable=$executable" >>"$GITHUB_OUTPUT"
  exit
}

case "$RUNNER_OS/$RUNNER_ARCH" in
  Linux/X64) target=x86_64-unknown-linux-gnu ;;
  Linux/ARM64) target=aarch64-unknown-linux-gnu ;;
  macOS/X64) target=x86_64-apple-darwin ;;
  macOS/ARM64) target=aarch64-apple-darwin ;;
  Windows/X64) target=x86_64-pc-windows-msvc ;;
  *) build "no release for $RUNNER_OS on $RUNNER_ARCH" ;;
esac

releases="$GITHUB_SERVER_URL/$repository/releases"
if [[ -n $number ]]; then from="$releases/download/v$number"; else from="$releases/latest/download"; fi
folder=$(mktemp -d "${RUNNER_TEMP//\\//}/beyondnoise-install.XXXXXX")
cd "$folder"
archive=beyondnoise-$target.tar.gz
for file in "$archive" SHA256SUMS; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$from/$file" ||
    build "cannot download $from/$file"
done
# macOS has shasum, the others sha256sum.
sum=$( (sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive") | cut -d ' ' -f 1)
grep -qx "$sum [ *]$archive" SHA256SUMS || fail "$archive does not have the checksum in SHA256SUMS"
tar -xzf "$archive"

executable=$folder/beyondnoise
[[ $RUNNER_OS == Windows ]] && executable=$executable.exe
"$executable" --version
echo "executable=$executable" >>"$GITHUB_OUTPUT"
