#!/usr/bin/env bash
# Posts the report to the pull request, or updates the comment that an earlier run posted.
#
# REPORT  path of the report; its last line is the marker by which its comment is found again
# TOKEN   may read and write the comments of GITHUB_REPOSITORY
#
# A comment that cannot be written is a warning, not a failure: the verdict and the job summary stand.
# The token of a pull request from a fork, for one, cannot write.
set -euo pipefail

marker='<!-- beyondnoise -->'
number=$(jq -r '.pull_request.number // .issue.number // empty' "$GITHUB_EVENT_PATH" | tr -d '\r')
if [[ ! $number =~ ^[0-9]+$ ]]; then
  echo "No pull request in this event: nothing to comment on."
  exit
fi

folder=$(mktemp -d "${RUNNER_TEMP//\\//}/beyondnoise-comment.XXXXXX")
trap 'rm -rf "$folder"' EXIT
answer=$folder/answer.json
# The token goes through standard input, where no list of processes shows it.
api() {
  printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
    curl --config - --silent --show-error --fail --output "$answer" \
      --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' "$@"
}
give_up() {
  echo "::warning title=beyondnoise::the report could not be $1 the pull request (a token that may not write?); it is in the job summary"
  exit
}

comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
id=""
page=1
while [[ -z $id ]]; do
  api "$comments/$number/comments?per_page=100&page=$page" || give_up "looked for in"
  # By a bot or a member, with the marker as its last line: neither a quotation nor a stranger's paste.
  id=$(jq -r --arg marker "$marker" '[.[]
    | select(.user.type == "Bot" or (.author_association | IN("OWNER", "MEMBER", "COLLABORATOR")))
    | select(.body | sub("\\s+$"; "") | split("\n") | last == $marker) | .id] | first // empty' "$answer" | tr -d '\r')
  [[ $(jq length "$answer" | tr -d '\r') -eq 100 ]] || break
  page=$((page + 1))
done

jq -n --rawfile body "$REPORT" '{$body}' >"$folder/body.json"
if [[ -n $id ]]; then
  api --request PATCH --data-binary "@$folder/body.json" "$comments/comments/$id" || give_up "updated in"
else
  api --request POST --data-binary "@$folder/body.json" "$comments/$number/comments" || give_up "posted to"
fi
jq -r '.html_url // "commented"' "$answer"
