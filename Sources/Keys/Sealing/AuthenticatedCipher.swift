internal import CCryptoBoringSSL
import ChatelaineMemory
import ChatelaineModel

/// AES-256-GCM (NIST SP 800-38D) that works in secret memory: the prepared key and every content lie there.
///
/// swift-crypto's own interface returns a content as `Data`, and prepares the key anew for each call. Both then lie in
/// memory that is not locked. It also costs several times as much as the cipher itself. So this calls BoringSSL, which
/// swift-crypto brings along (decision 20).
struct AuthenticatedCipher: Sendable {
    static let keyByteCount = 32
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// The context of BoringSSL (`EVP_AEAD_CTX`), which it reads only.
    ///
    /// `EVP_AEAD_CTX_cleanup` is not called, since AES-GCM allocates nothing besides it.
    private var context: SecretBytes

    /// Prepares a key; nil if BoringSSL refuses, as it does unless there are ``keyByteCount`` bytes.
    init?(key: UnsafeRawBufferPointer) {
        var isReady = false
        context = SecretBytes(count: MemoryLayout<EVP_AEAD_CTX>.size) { isReady = Self.prepare(key, in: $0) }
        guard isReady else { return nil }
    }

    /// Prepares another key, in the memory of this one unless a copy of this cipher uses it.
    ///
    /// - Returns: false if BoringSSL refuses the key; the cipher must not be used then.
    mutating func change(to key: UnsafeRawBufferPointer) -> Bool {
        var isReady = false
        SecretBytes.rewrite(&context) { isReady = Self.prepare(key, in: $0) }
        return isReady
    }

    private static func prepare(_ key: UnsafeRawBufferPointer, in memory: UnsafeMutableRawBufferPointer) -> Bool {
        // SAFETY: the memory has the size of a context, and blocks of secret memory are aligned for any type. BoringSSL
        // writes all that it will read of it.
        let isReady =
            CCryptoBoringSSL_EVP_AEAD_CTX_init(
                memory.baseAddress?.assumingMemoryBound(to: EVP_AEAD_CTX.self),
                CCryptoBoringSSL_EVP_aead_aes_256_gcm(), key.bytes, key.count, tagByteCount, nil) == 1
        if !isReady { forgetError() }
        return isReady
    }

    /// The bytes of nonce, ciphertext and tag; nil if BoringSSL refuses.
    func seal(_ content: UnsafeRawBufferPointer, authenticating associated: UnsafeRawBufferPointer) -> [UInt8]? {
        let nonce = Self.randomNonce()
        let byteCount = Self.nonceByteCount + content.count + Self.tagByteCount
        var isSealed = false
        let sealed = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            withUnsafeBytes(of: nonce) {
                memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<Self.nonceByteCount]))
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[Self.nonceByteCount...])
            var written = 0
            // SAFETY: every pointer has the number of bytes that is beside it. BoringSSL writes the room alone.
            isSealed = context.withUnsafeBytes { context in
                CCryptoBoringSSL_EVP_AEAD_CTX_seal(
                    context.baseAddress?.assumingMemoryBound(to: EVP_AEAD_CTX.self),
                    room.bytes, &written, room.count,
                    UnsafeRawBufferPointer(memory).bytes, Self.nonceByteCount, content.bytes, content.count,
                    associated.bytes, associated.count) == 1
            }
            count = isSealed ? Self.nonceByteCount + written : 0
        }
        guard isSealed else {
            Self.forgetError()
            return nil
        }
        return sealed
    }

    /// Appends the content of a seal to `content`; returns false if this key did not make the seal with the same
    /// associated data.
    ///
    /// - Parameter sealed: nonce, ciphertext and tag.
    func open(
        _ sealed: UnsafeRawBufferPointer, authenticating associated: UnsafeRawBufferPointer,
        into content: inout SecretBuffer
    ) -> Bool {
        let byteCount = sealed.count - Self.nonceByteCount - Self.tagByteCount
        guard byteCount >= 0 else { return false }
        let ciphertext = UnsafeRawBufferPointer(rebasing: sealed[Self.nonceByteCount...])
        var isOpened = false
        _ = content.append(capacity: byteCount) { memory in
            var written = 0
            // SAFETY: every pointer has the number of bytes that is beside it, and BoringSSL writes `memory` alone. It
            // leaves zeros of a seal that does not open.
            isOpened = context.withUnsafeBytes { context in
                CCryptoBoringSSL_EVP_AEAD_CTX_open(
                    context.baseAddress?.assumingMemoryBound(to: EVP_AEAD_CTX.self),
                    memory.bytes, &written, memory.count, sealed.bytes, Self.nonceByteCount,
                    ciphertext.bytes, ciphertext.count, associated.bytes, associated.count) == 1
            }
            return isOpened ? written : 0
        }
        if !isOpened { Self.forgetError() }
        return isOpened
    }

    /// Removes the reason of a failure, which BoringSSL keeps for the thread.
    ///
    /// Otherwise swift-crypto would take it for the reason of its own next failure.
    private static func forgetError() { CCryptoBoringSSL_ERR_clear_error() }

    /// Random bytes of the kernel, of which a nonce takes the first.
    private static func randomNonce() -> Bytes16 { .random() }
}

extension UnsafeRawBufferPointer {
    /// The address in the type that BoringSSL takes.
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
