# SPDX-License-Identifier: MIT
# Completion of perfshelf for bash. Installed as share/bash-completion/completions/perfshelf; or source it.

_perfshelf() {
    local line
    COMPREPLY=()
    # perfshelf splits the line and quotes its answer. Nothing of either is expanded or run here.
    while IFS= read -r line; do
        case $line in
        $'\tfiles') compopt -o default ;;
        $'\tfolders') compopt -o dirnames ;;
        *) COMPREPLY+=("$line") ;;
        esac
    done < <("${1/#\~\//$HOME/}" --complete-bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _perfshelf perfshelf
