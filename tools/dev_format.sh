# The verbs of ./dev that look at C++ files one by one; ./dev reads this.

cpp_files() {
  git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp' | while read -r file; do
    if [[ -f $file ]]; then echo "$file"; fi
  done
}

changed_cpp_files() {
  local start
  start="$(git merge-base HEAD main 2>/dev/null || git rev-list --max-parents=0 HEAD | tail -1)"
  { git diff --name-only --diff-filter=d "$start" -- '*.h' '*.cpp'
    git ls-files --others --exclude-standard -- '*.h' '*.cpp'
  } | sort -u
}

## fmt: format all C++ files
verb_fmt() {
  need clang-format-19
  cpp_files | xargs -r clang-format-19 -i
}

# Files that must not compile are no subject of lint.
without_violations() { grep -v '^tests/compile_fail/' || true; }

## lint [FILE...]: clang-tidy on files that differ from main, on the given ones, or --all
verb_lint() {
  local files
  need clang-tidy-19
  configure dev
  case "${1:-}" in
    '') mapfile -t files < <(changed_cpp_files | without_violations) ;;
    --all) mapfile -t files < <(cpp_files | without_violations) ;;
    *) files=("$@") ;;
  esac
  say "lint ${#files[@]} files"
  if ((${#files[@]} == 0)); then return; fi
  printf '%s\0' "${files[@]}" |
    xargs -0 -P "$JOBS" -n 1 clang-tidy-19 -p build/dev --quiet 2>&1 |
    { grep -vE '^[0-9]+ warnings? generated' || true; } || fail "lint found problems"
}
