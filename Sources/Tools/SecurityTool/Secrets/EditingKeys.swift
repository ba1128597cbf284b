import Glibc

/// The keys that edit a line, from a terminal's settings (termios(3)).
struct EditingKeys {
    enum Meaning {
        case end
        case endOfInput
        case erase
        case eraseWord
        case eraseLine
        /// The next byte is taken as it is.
        case literal
        case nothing
    }

    private static let backspace: UInt8 = 0x08
    private static let delete: UInt8 = 0x7F
    /// `_POSIX_VDISABLE`: the setting has no key.
    private static let none: UInt8 = 0

    private let keys: [(byte: UInt8, meaning: Meaning)]

    init(_ settings: termios) {
        let codes = withUnsafeBytes(of: settings.c_cc) { Array($0) }
        let keys: [(Int32, Meaning)] = [
            (VEOF, .endOfInput), (VERASE, .erase), (VWERASE, .eraseWord), (VKILL, .eraseLine), (VLNEXT, .literal),
            (VREPRINT, .nothing), (VEOL, .end), (VEOL2, .end),
        ]
        self.keys =
            [(UInt8(ascii: "\n"), .end), (UInt8(ascii: "\r"), .end)]
            + keys.map { (codes[Int($0)], $1) }.filter { $0.0 != Self.none }
            // Terminals send either of these, often not the one in their settings.
            + [(Self.backspace, .erase), (Self.delete, .erase)]
    }

    /// The meaning of a key; nil for a byte that belongs to the text.
    func meaning(of byte: UInt8) -> Meaning? { keys.first { $0.byte == byte }?.meaning }
}
