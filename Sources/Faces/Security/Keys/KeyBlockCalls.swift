import ChatelaineMemory
import ChatelaineModel

/// The older `SecKey` calls, for Swift and for C alike.
///
/// They take a padding in place of an algorithm, and write their result to the caller's memory.
package enum KeyBlockCalls {
    /// `SecKeyRawSign`.
    package static func sign(
        _ key: SecKey, _ padding: SecPadding, _ data: UnsafeRawBufferPointer, into place: Place
    ) throws(KeychainError) {
        try place.fill(with: try KeyCalls.sign(key, .text(try signatureName(key, padding)), .data([UInt8](data))))
    }

    /// `SecKeyRawVerify`.
    package static func verify(
        _ key: SecKey, _ padding: SecPadding, _ data: UnsafeRawBufferPointer, _ signature: UnsafeRawBufferPointer
    ) throws(KeychainError) {
        let name = try signatureName(key, padding)
        try KeyCalls.verify(key, .text(name), .data([UInt8](data)), .data([UInt8](signature)))
    }

    /// `SecKeyEncrypt`.
    package static func encrypt(
        _ key: SecKey, _ padding: SecPadding, _ data: UnsafeRawBufferPointer, into place: Place
    ) throws(KeychainError) {
        try place.fill(with: try KeyCalls.encrypt(key, .text(try encryptionName(padding)), .data([UInt8](data))))
    }

    /// `SecKeyDecrypt`.
    package static func decrypt(
        _ key: SecKey, _ padding: SecPadding, _ data: UnsafeRawBufferPointer, into place: Place
    ) throws(KeychainError) {
        try place.fill(with: try KeyCalls.decrypt(key, .text(try encryptionName(padding)), .data([UInt8](data))))
    }

    // MARK: Algorithms

    /// Names of digests by their padding; MD2 and MD5 are missing since both are broken.
    private static let digests: [SecPadding: String] = [
        .PKCS1SHA1: "SHA1", .PKCS1SHA224: "SHA224", .PKCS1SHA256: "SHA256", .PKCS1SHA384: "SHA384",
        .PKCS1SHA512: "SHA512",
    ]

    /// - Throws: `errSecParam` for paddings that do not apply to signatures of this kind of key.
    private static func signatureName(_ key: SecKey, _ padding: SecPadding) throws(KeychainError) -> String {
        switch (key.isOfRSA, padding) {
        case (true, []): return "algid:sign:RSA:raw"
        case (true, .PKCS1): return "algid:sign:RSA:digest-PKCS1v15"
        case (true, _):
            guard let digest = digests[padding] else { throw noPadding(padding) }
            return "algid:sign:RSA:digest-PKCS1v15:\(digest)"
        case (false, .sigRaw): return "algid:sign:ECDSA:digest-RFC4754"
        case (false, []), (false, .PKCS1): return "algid:sign:ECDSA:digest-X962"
        case (false, _):
            // The named digest is ignored: a curve signs as much as it has room for.
            guard digests[padding] != nil else { throw noPadding(padding) }
            return "algid:sign:ECDSA:digest-X962"
        }
    }

    private static func encryptionName(_ padding: SecPadding) throws(KeychainError) -> String {
        switch padding {
        case []: return "algid:encrypt:RSA:raw"
        case .PKCS1: return "algid:encrypt:RSA:PKCS1"
        case .OAEP: return "algid:encrypt:RSA:OAEP:SHA1"
        default: throw noPadding(padding)
        }
    }

    private static func noPadding(_ padding: SecPadding) -> KeychainError {
        KeychainError(.param, "this call has no padding of the number \(padding.rawValue) with such a key")
    }

    // MARK: Where results go

    /// The caller's memory for a result, and the caller's variable for the length.
    package struct Place {
        private let bytes: UnsafeMutableRawPointer
        private let count: UnsafeMutablePointer<Int>

        /// - Parameter count: holds the size of the memory; receives the length of the result.
        package init(_ bytes: UnsafeMutableRawPointer, _ count: UnsafeMutablePointer<Int>) {
            self.bytes = bytes
            self.count = count
        }

        /// - Throws: `errSecParam` where there is too little room; nothing is written then.
        func fill(with result: ResultTree) throws(KeychainError) {
            switch result {
            case .data(let data):
                try data.withUnsafeBytes { data in Result { () throws(KeychainError) in try fill(with: data) } }.get()
            case .secret(let secret):
                try secret.withUnsafeBytes { data in Result { () throws(KeychainError) in try fill(with: data) } }.get()
            default: throw KeychainError(.internalComponent, "what a key has made is no data")
            }
        }

        private func fill(with data: UnsafeRawBufferPointer) throws(KeychainError) {
            guard data.count <= count.pointee else {
                throw KeychainError(
                    .param, "the result has \(data.count) bytes, and there is room for \(count.pointee)")
            }
            // SAFETY: the caller says that there are as many bytes.
            UnsafeMutableRawBufferPointer(start: bytes, count: data.count).copyMemory(from: data)
            count.pointee = data.count
        }
    }
}

extension SecPadding: Hashable {}
