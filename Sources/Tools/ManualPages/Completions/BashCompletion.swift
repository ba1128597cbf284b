/// The completion for bash; of the package bash-completion it needs only the folder that loads it.
struct BashCompletion {
    let command: Command

    init(_ command: Command) { self.command = command }

    var text: String {
        ShellText.header + """
            # bash completion for security(1)

            _security() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local at=security words='' files='' index
                COMPREPLY=()
                # bash takes “--name=value” for three words.
                if [[ $current == '=' ]]; then
                    current=''
                elif [[ $previous == '=' ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$at ${COMP_WORDS[index]}" in
            \(steps)
                    *) break ;;
                    esac
                done
                case "$at $previous" in
            \(values)
                *)
                    if [[ $current == -* ]]; then
                        case $at in
            \(options)
                        esac
                    else
                        case $at in
            \(operands)
                        esac
                    fi
                    ;;
                esac
                if [[ $files ]]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                else
                    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
                    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
                fi
            }
            complete -F _security security

            """
    }

    private var steps: String {
        VerbPrefixes.steps(command).map { step in
            "        \(patterns(step.spellings))) at=\(ShellText.quoted(step.path)) ;;"
        }.joined(separator: "\n")
    }

    /// The values of each option that has one.
    private var values: String {
        command.all.flatMap { command in
            command.options.filter { $0.valueName != nil }.map { option in
                "    \(patterns(option.names.map { "\(command.words) \($0)" }))) \(offer(option.values)) ;;"
            }
        }.joined(separator: "\n")
    }

    private var options: String {
        command.all.filter { !$0.options.isEmpty }.map { command in
            let names = command.options.flatMap(\.names).joined(separator: " ")
            return "            \(patterns([command.words]))) words=\(ShellText.quoted(names)) ;;"
        }.joined(separator: "\n")
    }

    private var operands: String {
        command.all.compactMap { command in
            let offers =
                command.verbs.isEmpty
                ? command.operands.first.map { offer($0.values) }
                : "words=\(ShellText.quoted(command.verbs.map(\.name).joined(separator: " ")))"
            guard let offers, offers != ":" else { return nil }
            return "            \(patterns([command.words]))) \(offers) ;;"
        }.joined(separator: "\n")
    }

    private func patterns(_ words: [String]) -> String { words.map(ShellText.quoted).joined(separator: " | ") }

    private func offer(_ values: Option.Values) -> String {
        switch values {
        case .anything: ":"
        case .words(let words): "words=\(ShellText.quoted(words.joined(separator: " ")))"
        case .files: "files=yes"
        case .lines(let command): "words=$(\(command))"
        }
    }
}
