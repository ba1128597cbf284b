import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `SecKeyCreateFromData`, the older constructor.
///
/// It makes AES keys from their bytes, and other keys from their external representation. It also takes private
/// elliptic curve keys in DER.
extension KeyCalls {
    /// The first byte of SEC 1's DER, with which no point of a curve begins.
    private static let sequence: UInt8 = 0x30

    /// - Throws: `errSecParam` for another kind, and for bytes that are no key of the kind. `errSecUnimplemented` for
    ///   an asymmetric key that is to be an item.
    package static func make(
        of data: QueryValue, _ pairs: [QueryDictionary.Pair]
    ) throws(KeychainError) -> SecKey {
        guard let type = pairs.last(where: { $0.key == "type" })?.value,
            let kind = KeyKind(appleType: try KeyParameters.number(type, "kSecAttrKeyType"))
        else { return try readSymmetric(data, pairs) }
        let isPermanent = pairs.last { $0.key == "perm" }?.value
        if try KeyParameters.flag(isPermanent, "kSecAttrIsPermanent") == true {
            throw KeychainError(.unimplemented, "a key that is read is in memory: SecItemAdd makes an item of it")
        }
        guard kind == .ec, case .secret(let bytes) = data, bytes.withUnsafeBytes({ $0.first }) == sequence else {
            return try read(data, pairs)
        }
        let parameters = try KeyParameters(pairs)
        guard parameters.isPrivate == true, parameters.detachedItem == nil else {
            throw KeychainError(.param, "the bytes are those of a private key, and the parameters do not say so")
        }
        let key = try readSEC1(bytes)
        let bits = try key.publicHalf().bits
        guard key.kind == kind, key.isPrivate, parameters.bits ?? bits == bits else {
            throw KeychainError(.param, "the key is another one than the parameters say")
        }
        return try SecKey(try key.publicHalf(), isExportable: parameters.isExtractable)
    }

    /// Reads the key in the process that parses untrusted files.
    private static func readSEC1(_ bytes: SecretBytes) throws(KeychainError) -> SecKey {
        let content: ExternalContent
        do throws(KeychainError) {
            content = try KeychainClient.shared.read(ExternalFile(bytes, format: .openSSL, kind: .privateKey))
        } catch {
            switch error.status {
            case .decode, .unknownFormat, .unsupportedFormat, .passphraseRequired:
                throw KeychainError(.param, "the bytes are no private key of a curve: \(error.reason)")
            default: throw error
            }
        }
        guard content.items.count == 1, case .key(let key)? = try content.items.first?.thing() else {
            throw KeychainError(.param, "the bytes are no private key, or more than that")
        }
        return key
    }
}
