# SPDX-License-Identifier: MIT
# Completion of perfshelf for bash. Installed as share/bash-completion/completions/perfshelf; or source it.

_perfshelf() {
    local cur cword words word rest
    # Words such as series:nightly and KEY=VALUE stay whole.
    if ! _get_comp_words_by_ref -n =: cur words cword 2>/dev/null; then
        cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    fi
    COMPREPLY=()
    while IFS=$'\t' read -r word rest; do
        case $word in
        :files) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur") ;;
        :folders) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur") ;;
        *) COMPREPLY+=("$(printf %q "$word")") ;;
        esac
    done < <("${words[0]}" --complete "${words[@]:1:cword}" 2>/dev/null)
    declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$cur"
}
complete -F _perfshelf perfshelf
