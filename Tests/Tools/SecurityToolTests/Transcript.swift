import Foundation

/// Command lines with their expected answers.
///
/// A line that starts with `$ ` is a command. Below it stand the standard output, the standard error with `! ` before
/// each line, and `? N` if the exit status is not 0. Blank lines after that mean nothing, and neither do lines that
/// start with `# ` before the first command. `[..]` stands for any text within a line.
struct Transcript {
    struct Answer: Equatable {
        var lines: [String]

        init(output: String, errors: String, exitStatus: Int32) {
            lines =
                Self.split(output) + Self.split(errors).map { "! " + $0 }
                + (exitStatus == 0 ? [] : ["? \(exitStatus)"])
        }

        init(lines: [String]) { self.lines = lines }

        private static func split(_ text: String) -> [String] {
            guard !text.isEmpty else { return [] }
            var lines = text.components(separatedBy: "\n")
            // A last line without its newline is marked.
            if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "⏎̸" }
            return lines
        }

        func matches(_ other: Answer) -> Bool {
            lines.count == other.lines.count && zip(lines, other.lines).allSatisfy { Self.matches($0, pattern: $1) }
        }

        private static func matches(_ line: String, pattern: String) -> Bool {
            let parts = pattern.components(separatedBy: "[..]")
            guard parts.count > 1 else { return line == pattern }
            guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]) else { return false }
            var rest = line.dropFirst(parts[0].count)
            for part in parts.dropFirst().dropLast() where !part.isEmpty {
                guard let range = rest.range(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return rest.count >= parts[parts.count - 1].count
        }
    }

    var head: [String] = []
    var steps: [(command: String, expected: Answer)] = []

    init(_ text: String) {
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("$ ") {
                steps.append((String(line.dropFirst(2)), Answer(lines: [])))
            } else if steps.isEmpty {
                head.append(line)
            } else {
                steps[steps.count - 1].expected.lines.append(line)
            }
        }
        for index in steps.indices {
            while steps[index].expected.lines.last == "" { steps[index].expected.lines.removeLast() }
        }
    }

    /// The transcript with the given answers.
    func text(with answers: [Answer]) -> String {
        head.joined(separator: "\n") + (head.isEmpty ? "" : "\n")
            + zip(steps, answers).map { step, answer in
                (["$ " + step.command] + answer.lines).joined(separator: "\n") + "\n"
            }.joined(separator: "\n")
    }
}
