/// What a shell needs to complete command lines of the program: a function that asks the program itself, which knows
/// its commands and the store at hand.
struct CompletionScript {
    let shell: String
    let text: String

    static let all = [bash, zsh, fish]

    private static let name = Tool.name

    // The program prints what kind of words fit, then for bash the word as it is written so far, then a word on
    // each line, behind a tab what it means. Bash gets words quoted, the others quote them.

    private static let bash = CompletionScript(
        shell: "bash",
        text: """
            # Completion of \(name) for bash; written by '\(name) completion bash'.
            _\(name)() {
                local reply kept word
                COMPREPLY=()
                mapfile -t reply < <("$1" \(CompleteCommand.name) bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
                case ${reply[0]} in
                directories)
                    compopt -o filenames
                    mapfile -t COMPREPLY < <(compgen -d -- "$2")
                    ;;
                files)
                    compopt -o filenames
                    mapfile -t COMPREPLY < <(compgen -f -- "$2")
                    ;;
                values)
                    # Bash keeps what precedes its own word, such as '--limit='.
                    kept=${reply[1]%"$2"}
                    for word in "${reply[@]:2}"; do
                        COMPREPLY+=("${word#"$kept"}")
                    done
                    compopt -o nosort 2>/dev/null
                    ;;
                esac
            }
            complete -F _\(name) \(name)

            """)

    private static let zsh = CompletionScript(
        shell: "zsh",
        text: """
            #compdef \(name)
            # Completion of \(name) for zsh; written by '\(name) completion zsh'.
            _\(name)() {
                local -a reply values texts
                local line
                reply=("${(@f)$("${(Q)words[1]}" \(CompleteCommand.name) zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
                case $reply[1] in
                directories) _files -/ ;;
                files) _files ;;
                values)
                    for line in "${(@)reply[2,-1]}"; do
                        values+=("${line%%$'\\t'*}")
                        texts+=("${line//$'\\t'/  -- }")
                    done
                    compadd -V \(name) -l -d texts -a values
                    ;;
                esac
            }
            if [[ $funcstack[1] == _\(name) ]]; then
                _\(name) "$@"
            else
                compdef _\(name) \(name)
            fi

            """)

    private static let fish = CompletionScript(
        shell: "fish",
        text: """
            # Completion of \(name) for fish; written by '\(name) completion fish'.
            function __\(name)_complete
                set -l words (commandline -opc)
                set -l word (commandline -ct)
                set -l reply ($words[1] \(CompleteCommand.name) fish -- $words[2..] "$word" 2>/dev/null)
                switch "$reply[1]"
                    case directories
                        __fish_complete_directories "$word"
                    case files
                        __fish_complete_path "$word"
                    case values
                        test (count $reply) -gt 1; and printf '%s\\n' $reply[2..]
                end
            end
            complete -c \(name) -f -k -a '(__\(name)_complete)'

            """)
}
