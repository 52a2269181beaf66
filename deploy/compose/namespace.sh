#!/bin/sh
# Makes the namespace and the search attributes of runs, where they are not there yet.
set -eu

if ! temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$NAMESPACE" --retention 720h
fi
until temporal operator search-attribute list --namespace "$NAMESPACE" >/dev/null 2>&1; do sleep 1; done
known=$(temporal operator search-attribute list --namespace "$NAMESPACE")
while read -r name type; do
  echo "$known" | grep -qw "$name" \
    || temporal operator search-attribute create --namespace "$NAMESPACE" --name "$name" --type "$type"
done <<ATTRIBUTES
TactusProcedure Keyword
TactusStatus Keyword
TactusLabels KeywordList
TactusForkedFrom Keyword
ATTRIBUTES
