# SPDX-License-Identifier: MIT
# Completion of perfshelf for fish. Installed as share/fish/vendor_completions.d/perfshelf.fish.

function __perfshelf_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l last $words[-1]
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $last
            case :folders
                __fish_complete_directories $last
            case '*'
                echo $line
        end
    end
end
complete -c perfshelf -f -a '(__perfshelf_complete)'
