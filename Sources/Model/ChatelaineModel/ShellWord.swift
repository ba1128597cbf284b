/// Quotes words of commands that a message tells people to type.
package enum ShellWord {
    /// A text as one word of a shell's command line, in quotation marks only if it needs them.
    package static func quoted(_ text: String) -> String {
        let plain = "/._-+,:=@".utf8
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: plain.contains(byte)
            }
        }
        guard !isPlain || text.isEmpty else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
