import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Reads files of keys and certificates from other programs, and writes such files.
///
/// This module detects the format. libcrypto reads and writes PKCS#12, PKCS#8, PKCS#7 and OpenSSL's keys; this module
/// itself handles PEM and OpenSSH's files. It runs only in formatd, because the bytes come from strangers.
package enum KeyFormats {
    /// Loads the ciphers, including those of old files.
    ///
    /// Call it first, before the process enters its sandbox.
    package static func start() throws(KeychainError) {
        guard key_formats_start() != 0 else {
            throw KeychainError(.allocate, "OpenSSL's libcrypto cannot be started")
        }
    }
}

extension FormatFailure {
    /// The failure for an error code of the C module.
    init(code: Int32) { self = FormatFailure(rawValue: UInt8(clamping: code)) ?? .damaged }

    static func check(_ code: Int32) throws(FormatFailure) {
        guard Int(code) == KEY_FORMATS_OK else { throw FormatFailure(code: code) }
    }
}

extension KeyKind {
    var number: Int32 { Int32(rawValue) }
}

extension UnsafeRawBufferPointer {
    /// Lends the bytes to a C function.
    ///
    /// Empty bytes have an address too, since NULL means that nothing was given.
    func lent<Result>(_ body: (key_formats_bytes) throws(FormatFailure) -> Result) throws(FormatFailure) -> Result {
        if let start = bindMemory(to: UInt8.self).baseAddress {
            return try body(key_formats_bytes(bytes: start, count: count))
        }
        return try Array<UInt8>([0]).lent(count: 0, body)
    }
}

extension [UInt8] {
    fileprivate func lent<Result>(
        count: Int, _ body: (key_formats_bytes) throws(FormatFailure) -> Result
    ) throws(FormatFailure) -> Result {
        try withUnsafeBufferPointer { bytes in
            // Typed throws do not pass through every closure of the standard library.
            Swift.Result { () throws(FormatFailure) in
                try body(key_formats_bytes(bytes: bytes.baseAddress, count: count))
            }
        }.get()
    }
}

extension SecretBytes {
    func lent<Result>(_ body: (key_formats_bytes) throws(FormatFailure) -> Result) throws(FormatFailure) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(FormatFailure) in try bytes.lent(body) }
        }.get()
    }
}

extension SecretBytes? {
    /// Lends the bytes, or NULL if there are none.
    func lent<Result>(_ body: (key_formats_bytes) throws(FormatFailure) -> Result) throws(FormatFailure) -> Result {
        guard let bytes = self else { return try body(key_formats_bytes()) }
        return try bytes.lent(body)
    }
}
