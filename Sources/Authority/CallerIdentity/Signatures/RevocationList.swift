import ChatelaineModel
import TrustProtocol

/// Keys, certificates and programs that root has revoked.
///
/// Format: `Documentation/formats/signature-files.md`. A line that cannot be parsed may name the very thing to revoke.
/// The whole list is then unusable, and no signature counts.
package struct RevocationList: Equatable, Sendable {
    /// In bytes: some ten thousand lines.
    static let maximumBytes = 1 << 20

    /// SHA-256 of public keys: of signers, of anchors, and of intermediate certificates.
    private(set) var keys: Set<Bytes32> = []
    /// SHA-256 of certificates, as DER.
    ///
    /// The owner of a certificate can often encode it in a second way, with another digest.
    private(set) var certificates: Set<Bytes32> = []
    /// SHA-256 of executables.
    private(set) var programs: Set<Bytes32> = []

    struct Unreadable: Error, Equatable {
        /// The number of the first line that cannot be parsed, from 1.
        let line: Int
    }

    init() {}

    init(_ text: [UInt8]) throws(Unreadable) {
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let kind = words.first, kind.first != UInt8(ascii: "#") else { continue }
            guard words.count == 2, let digest = Bytes32(hexadecimal: words[1]) else {
                throw Unreadable(line: index + 1)
            }
            if kind.elementsEqual("key".utf8) {
                keys.insert(digest)
            } else if kind.elementsEqual("certificate".utf8) {
                certificates.insert(digest)
            } else if kind.elementsEqual("program".utf8) {
                programs.insert(digest)
            } else {
                throw Unreadable(line: index + 1)
            }
        }
    }

    /// Why a signature is revoked, or nil if it is not.
    func reason(_ claims: SignedClaims, of digest: ExecutableDigest) -> String? {
        if programs.contains(digest.value) { return "program \(digest)" }
        if let key = claims.keys.first(where: keys.contains) { return "key \(key)" }
        return claims.certificates.first(where: certificates.contains).map { "certificate \($0)" }
    }
}
