import Foundation

/// ArgumentParser's description of a command (`_dumpHelp`), as far as it is used here.
struct Dump: Decodable {
    /// A command and its arguments.
    struct Description: Decodable {
        var discussion: String?
        var arguments: [Argument]?

        var options: [Option] { shown.filter { $0.kind != "positional" }.map(\.option) }
        var operands: [Option] { shown.filter { $0.kind == "positional" }.map(\.option) }

        private var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
    }

    /// An option, a flag or an operand.
    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        /// The completion of an argument: one of these, or none.
        struct Completion: Decodable {
            struct Words: Decodable { var values: [String] }
            struct Files: Decodable {}
            struct Line: Decodable { var command: String }

            var list: Words?
            var file: Files?
            var shellCommand: Line?
        }

        var kind: String
        var shouldDisplay: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var allValues: [String]?
        var completionKind: Completion?

        var option: Option {
            var option = Option(
                names: (names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name },
                valueName: kind == "flag" ? nil : valueName ?? "value", help: abstract ?? "", isRepeating: isRepeating)
            if let words = completionKind?.list?.values ?? allValues { option.values = .words(words) }
            if completionKind?.file != nil { option.values = .files }
            if let line = completionKind?.shellCommand { option.values = .lines(of: line.command) }
            // The short name first, as in usage lines.
            option.names.sort { $0.count < $1.count }
            return option
        }
    }

    var serializationVersion: Int
    var command: Description

    /// Throws ``PageError`` if the form has changed.
    init(_ text: String) throws {
        do {
            self = try JSONDecoder().decode(Dump.self, from: Data(text.utf8))
        } catch {
            throw PageError("ArgumentParser describes commands in another form now: \(error)")
        }
        guard serializationVersion == 0 else {
            throw PageError("form \(serializationVersion) of commands is not known")
        }
    }
}
