import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Files of keys and certificates that others made, and such files for others.
///
/// What they are is found out here; PKCS#12, PKCS#8, PKCS#7 and the keys of OpenSSL are libcrypto's to read and write, PEM and OpenSSH's
/// files ours. Only ever in formatd: it is a stranger's bytes that are read.
package enum KeyFormats {
    /// Loads the ciphers, those of old files included. To be called first, and before the process shuts itself in.
    package static func start() throws(KeychainError) {
        guard key_formats_start() != 0 else {
            throw KeychainError(.allocate, "OpenSSL's libcrypto cannot be started")
        }
    }
}

extension FormatFailure {
    /// What a call of the C seam answers, but for success.
    init(code: Int32) { self = FormatFailure(rawValue: UInt8(clamping: code)) ?? .damaged }

    static func check(_ code: Int32) throws(FormatFailure) {
        guard Int(code) == KEY_FORMATS_OK else { throw FormatFailure(code: code) }
    }
}

extension KeyKind {
    var number: Int32 { Int32(rawValue) }
}

extension UnsafeRawBufferPointer {
    /// As C takes them. An address even where there is nothing, since none at all means that nothing was given.
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
    /// Nothing where there is none.
    func lent<Result>(_ body: (key_formats_bytes) throws(FormatFailure) -> Result) throws(FormatFailure) -> Result {
        guard let bytes = self else { return try body(key_formats_bytes()) }
        return try bytes.lent(body)
    }
}
