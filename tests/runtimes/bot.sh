#!/bin/bash
# Answers with the first legal pit, by way of a pipe between two programs.
while read -r line; do
  case $line in
    *'"type":"quit"'*) exit 0 ;;
    *'"type":"game-over"'*) ;;
    *'"type":"turn"'*)
      legal=${line#*'"legal":['}
      echo "{\"type\":\"move\",\"pit\":$(echo "$legal" | cut -c1 | cat)}"
      ;;
    *) echo '{"type":"ready"}' ;;
  esac
done
