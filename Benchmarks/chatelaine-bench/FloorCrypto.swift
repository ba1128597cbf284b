import Crypto

/// AES-GCM over contents of the usual sizes: the attributes of a row, a password, a key.
///
/// Sealed data and the key of a row are bytes, as a file or a socket delivers them.
struct FloorCrypto {
    private let key = SymmetricKey(size: .bits256)
    private let rowKey = [UInt8](repeating: 5, count: 32)
    private let attributes = [UInt8](repeating: 7, count: 180)
    private let secret = [UInt8](repeating: 7, count: 24)
    private let small = [UInt8](repeating: 7, count: 32)
    private let context = [UInt8](repeating: 9, count: 96)
    private let sealedAttributes: [UInt8]
    private let sealedSecret: [UInt8]
    private let sealedKey: [UInt8]

    init() throws {
        sealedAttributes = try Self.seal(attributes, key, context)
        sealedSecret = try Self.seal(secret, SymmetricKey(data: rowKey), context)
        sealedKey = try Self.seal(small, key, context)
    }

    private static func seal(_ content: [UInt8], _ key: SymmetricKey, _ context: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(content, using: key, authenticating: context)
        return Array(box.nonce) + box.ciphertext + box.tag
    }

    func openAttributes() throws { try open(sealedAttributes, key) }
    func openSecret() throws { try open(sealedSecret, SymmetricKey(data: rowKey)) }
    func openKey() throws { try open(sealedKey, key) }
    func sealAttributes() throws { _ = try AES.GCM.seal(attributes, using: key, authenticating: context) }
    func sealSecret() throws {
        _ = try AES.GCM.seal(secret, using: SymmetricKey(data: rowKey), authenticating: context)
    }
    func sealKey() throws { _ = try AES.GCM.seal(small, using: key, authenticating: context) }

    private func open(_ sealed: [UInt8], _ key: SymmetricKey) throws {
        _ = try AES.GCM.open(try AES.GCM.SealedBox(combined: sealed), using: key, authenticating: context)
    }
}
