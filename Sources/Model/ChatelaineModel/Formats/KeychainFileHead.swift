/// The first bytes of a file keychain (`Documentation/formats/file-keychain.md`).
package enum KeychainFileHead {
    /// The first bytes of a SQLite database (sqlite.org/fileformat.html, 1.3).
    package static let database = Array("SQLite format 3\0".utf8)
    /// The first bytes of a file outside of our folder while securityd writes to it.
    package static let writing = Array("Chkw".utf8)
    /// `application_id` of a file keychain: "Chky".
    package static let applicationID: UInt32 = 0x4368_6B79
    /// Where SQLite keeps that number, with its first byte first.
    private static let place = 68..<72
    /// How many bytes tell a keychain from other files.
    package static let byteCount = place.upperBound

    /// Whether a file with these first bytes is a keychain, or was made to become one.
    ///
    /// A file is empty while its keychain is being made.
    package static func isKeychain(_ head: [UInt8]) -> Bool {
        if head.isEmpty || head.starts(with: writing) { return true }
        guard head.count >= byteCount, head.starts(with: database) else { return false }
        return head[place].reduce(0) { $0 << 8 | UInt32($1) } == applicationID
    }
}
