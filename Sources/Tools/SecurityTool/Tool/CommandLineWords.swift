/// Splits a line of the interactive mode into words: blanks separate them, quotes and backslashes keep them together.
///
/// A carriage return is a blank, since lines of a file that was written on Windows end with one.
enum CommandLineWords {
    /// The limit of macOS's tool.
    static let maximumCount = 32
    static let maximumLineBytes = 4096

    private static let blanks = Array(" \t\r".utf8)

    enum Defect: Error, Equatable {
        case unfinishedQuote
        case tooManyWords
        case invalidText
    }

    /// The words of a line; empty for a blank line.
    ///
    /// A backslash keeps the next character, except between single quotes. Nothing else of a shell exists: no
    /// variables, no patterns, no comments.
    static func split(_ line: some Sequence<UInt8>) throws(Defect) -> [String] {
        var words: [String] = []
        var word: [UInt8]?
        var quote: UInt8?
        var isEscaped = false
        for byte in line {
            if isEscaped {
                word = (word ?? []) + [byte]
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
                isEscaped = true
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
                word = word ?? []
            } else if quote == nil, blanks.contains(byte) {
                try end(&word, of: &words)
            } else {
                word = (word ?? []) + [byte]
            }
        }
        guard quote == nil, !isEscaped else { throw .unfinishedQuote }
        try end(&word, of: &words)
        return words
    }

    private static func end(_ word: inout [UInt8]?, of words: inout [String]) throws(Defect) {
        guard let bytes = word else { return }
        guard words.count < maximumCount else { throw .tooManyWords }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
        words.append(text)
        word = nil
    }
}

extension CommandLineWords.Defect {
    var words: String {
        switch self {
        case .unfinishedQuote: "a quote is not closed, or a backslash ends the line"
        case .tooManyWords: "a command has \(CommandLineWords.maximumCount) words at the most"
        case .invalidText: "a line is no UTF-8 text"
        }
    }
}
