import Crypto

/// AES-GCM over contents of the usual sizes: the attributes of a row, a password, a key.
struct FloorCrypto {
    private let key = SymmetricKey(size: .bits256)
    private let attributes = [UInt8](repeating: 7, count: 180)
    private let secret = [UInt8](repeating: 7, count: 24)
    private let small = [UInt8](repeating: 7, count: 32)
    private let context = [UInt8](repeating: 9, count: 96)
    private let sealedAttributes: AES.GCM.SealedBox
    private let sealedSecret: AES.GCM.SealedBox
    private let sealedKey: AES.GCM.SealedBox

    init() throws {
        sealedAttributes = try AES.GCM.seal(attributes, using: key, authenticating: context)
        sealedSecret = try AES.GCM.seal(secret, using: key, authenticating: context)
        sealedKey = try AES.GCM.seal(small, using: key, authenticating: context)
    }

    func openAttributes() throws { _ = try AES.GCM.open(sealedAttributes, using: key, authenticating: context) }
    func openSecret() throws { _ = try AES.GCM.open(sealedSecret, using: key, authenticating: context) }
    func openKey() throws { _ = try AES.GCM.open(sealedKey, using: key, authenticating: context) }
    func sealAttributes() throws { _ = try AES.GCM.seal(attributes, using: key, authenticating: context) }
    func sealSecret() throws { _ = try AES.GCM.seal(secret, using: key, authenticating: context) }
    func sealKey() throws { _ = try AES.GCM.seal(small, using: key, authenticating: context) }
}
