/// The completion for zsh, autoloaded by its name.
struct ZshCompletion {
    let command: Command

    init(_ command: Command) { self.command = command }

    var text: String {
        "#compdef security\n" + ShellText.header + """

            local at=security
            local -a verbs
            integer index=2
            while (( index < CURRENT )); do
                case "$at $words[index]" in
            \(steps)
                (*) break ;;
                esac
                (( index++ ))
            done
            # What follows the verbs is a command line of its own.
            words=("$at" "${(@)words[index,-1]}")
            (( CURRENT -= index - 2 ))

            case $at in
            \(commands)
            esac

            """
    }

    private var steps: String {
        VerbPrefixes.steps(command).map { step in
            "    (\(step.spellings.map(ShellText.quoted).joined(separator: " | "))) at=\(ShellText.quoted(step.path)) ;;"
        }.joined(separator: "\n")
    }

    private var commands: String {
        command.all.filter { !$0.options.isEmpty || !$0.verbs.isEmpty }.map { command in
            var lines = ["(\(ShellText.quoted(command.words)))"]
            if !command.verbs.isEmpty {
                lines.append("    if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* ]]; then")
                lines.append("        verbs=(")
                lines += command.verbs.map { verb in
                    "            " + ShellText.quoted("\(verb.name):\(ShellText.summary(verb.summary))")
                }
                lines += ["        )", "        _describe -t commands verb verbs", "        return", "    fi"]
            }
            let specifications = command.options.flatMap(specifications) + command.operands.map(operand)
            if !specifications.isEmpty {
                lines.append("    _arguments -s \\")
                lines.append(specifications.map { "        \($0)" }.joined(separator: " \\\n"))
            }
            return (lines + ["    ;;"]).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// A specification for each name of an option, which excludes the other names.
    private func specifications(_ option: Option) -> [String] {
        option.names.map { name in
            let exclusion = option.isRepeating ? "*" : "(\(option.names.joined(separator: " ")))"
            let mark = option.valueName == nil ? "" : name.hasPrefix("--") ? "=" : "+"
            let value = option.valueName.map { ":\(escaped($0)):\(action(option.values))" } ?? ""
            return ShellText.quoted("\(exclusion)\(name)\(mark)[\(escaped(ShellText.summary(option.help)))]\(value)")
        }
    }

    private func operand(_ operand: Option) -> String {
        let position = operand.isRepeating ? "*" : "1"
        return ShellText.quoted("\(position):\(escaped(operand.valueName ?? "value")):\(action(operand.values))")
    }

    private func action(_ values: Option.Values) -> String {
        switch values {
        case .anything: " "
        case .words(let words) where words.allSatisfy { $0.hasSuffix("=") }:
            // These words are incomplete, so no blank follows them.
            "{compadd -S \"\" -- \(words.joined(separator: " "))}"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .lines(let command): "{compadd -- ${(f)\"$(\(command))\"}}"
        }
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing(":", with: "\\:").replacing("[", with: "\\[").replacing(
            "]", with: "\\]")
    }
}
