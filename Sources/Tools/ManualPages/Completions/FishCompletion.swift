/// The completion for fish.
struct FishCompletion {
    let command: Command

    init(_ command: Command) { self.command = command }

    var text: String {
        ShellText.header + """

            # Whether the command line has come to these verbs, however they are shortened.
            function __security_at
                set -l at security
                for word in (commandline -opc)[2..]
                    switch "$at $word"
            \(steps)
                        case '*'
                            break
                    end
                end
                test "$at" = "$argv"
            end

            complete -c security -f
            \(commands)

            """
    }

    private var steps: String {
        VerbPrefixes.steps(command).map { step in
            "            case \(step.spellings.map(ShellText.fishQuoted).joined(separator: " "))\n"
                + "                set at \(ShellText.fishQuoted(step.path))"
        }.joined(separator: "\n")
    }

    private var commands: String {
        command.all.flatMap { command in
            let start = "complete -c security -n \(ShellText.fishQuoted("__security_at " + command.words))"
            let verbs = command.verbs.map { verb in
                "\(start) -a \(verb.name) -d \(ShellText.fishQuoted(ShellText.summary(verb.summary)))"
            }
            let options = command.options.map { option in
                let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
                let value = option.valueName == nil ? "" : offer(option.values, isOption: true)
                let help = ShellText.fishQuoted(ShellText.summary(option.help))
                return "\(start) \(names.joined(separator: " "))\(value) -d \(help)"
            }
            let operands = command.operands.filter { $0.values != .anything }.map { operand in
                start + offer(operand.values, isOption: false)
            }
            return verbs + options + operands
        }.joined(separator: "\n")
    }

    private func offer(_ values: Option.Values, isOption: Bool) -> String {
        switch values {
        case .anything: " -x"
        case .words(let words): " \(isOption ? "-x " : "")-a \(ShellText.fishQuoted(words.joined(separator: " ")))"
        case .files: isOption ? " -r -F" : " -F"
        case .lines(let command): " \(isOption ? "-x " : "")-a \(ShellText.fishQuoted("(\(command))"))"
        }
    }
}
