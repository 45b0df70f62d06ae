# SPDX-License-Identifier: MIT
# Completion of perfshelf for fish. Installed as share/fish/vendor_completions.d/perfshelf.fish.

function __perfshelf_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # The quote that is open in the word, and backslashes, are not part of it.
    set -l word (string replace -ra '\\\\(.)|["\']' '$1' -- $last)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in ($program --complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case \tfiles
                __perfshelf_paths __fish_complete_path "$word"
            case \tfolders
                __perfshelf_paths __fish_complete_directories "$word"
            case '*'
                # fish quotes what it inserts.
                printf '%s\n' $line
        end
    end
end

# Paths, also behind --data=
function __perfshelf_paths
    set -l option (string match -r -- '^--[a-z-]+=' $argv[2]; or echo)
    printf '%s\n' $option($argv[1] (string replace -r -- '^--[a-z-]+=' '' $argv[2]))
end

complete -c perfshelf -f -a '(__perfshelf_complete)'
