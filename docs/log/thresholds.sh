#!/usr/bin/env bash
# Prints a Markdown table of the named constants of type f64: tolerances, limits, factors.
#
#   docs/log/thresholds.sh             all of the framework, of contact and of multibody
#   docs/log/thresholds.sh src/solve   those below one folder
#
# Columns: name, value, file, first sentence of the comment above it. Tests and the coefficients of methods are left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
folders=("$@")
[ "${#folders[@]}" -gt 0 ] || folders=(src problems/contact/src problems/multibody/src)

echo '| name | value | file | what it is |'
echo '|---|---|---|---|'
find "${folders[@]}" -name '*.rs' -not -path '*/tests/*' -not -name 'tests.rs' -not -path '*/tableau/*' | LC_ALL=C sort |
  while read -r file; do
    awk -v file="$file" '
      # Unit tests stand at the end of a file.
      /^#\[cfg\(test\)\]/ { exit }
      /^[[:space:]]*\/\/\/?[^\/!]/ || /^[[:space:]]*\/\/\/?$/ {
        line = $0
        sub(/^[[:space:]]*\/\/\/? ?/, "", line)
        comment = comment == "" ? line : comment " " line
        next
      }
      /^[[:space:]]*#\[/ { next }
      /^[[:space:]]*(pub(\([^)]*\))? )?const [A-Z][A-Z0-9_]*: f64 = / {
        name = $0; sub(/^.*const /, "", name); sub(/: f64.*$/, "", name)
        value = $0; sub(/^.*: f64 = /, "", value); sub(/;.*$/, "", value)
        # The first sentence: up to a full stop or colon before a space.
        what = comment
        if (match(what, /[^.][.:] /)) what = substr(what, 1, RSTART + 1)
        sub(/[.:]$/, "", what)
        gsub(/\|/, "\\|", what)
        if (what == "" && above == FNR - 1) what = "see the line above"
        above = FNR
        printf "| `%s` | %s | `%s:%d` | %s |\n", name, value, file, FNR, what
      }
      { comment = "" }
    ' "$file"
  done
