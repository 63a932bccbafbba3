# Usage: complete.sh SHARE TOOL WORD...: what bash would complete the last word to.
source "$1/bash-completion/completions/$2"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_${1//-/_}"
echo "${COMPREPLY[@]}"
