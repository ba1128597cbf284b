import ChatelaineMemory
import ChatelaineModel

/// The row keys that the custodian opened, one result for each key that was asked for, in the same order.
///
/// All keys are in one block of secret memory. In a listing, a block for each key would cost more than its use.
package struct OpenedRowKeys: Sendable {
    /// The keys one after the other, with zeros where there is an error.
    private let keys: SecretBytes
    private let errors: [Int: KeychainError]
    package let count: Int

    /// Collects keys, one after the other.
    package struct Builder: ~Copyable {
        private var keys: SecretBuffer
        private var errors: [Int: KeychainError] = [:]
        private var count = 0

        package init(count: Int) { keys = SecretBuffer(capacity: count * EnclaveWire.keyByteCount) }

        /// Appends the key that `write` appends to the buffer, or the error that it throws.
        ///
        /// `errSecDecode` unless it appends exactly the bytes of a key.
        package mutating func append(_ write: (inout SecretBuffer) throws(KeychainError) -> Void) {
            let start = keys.count
            do throws(KeychainError) {
                try write(&keys)
                let written = keys.count - start
                guard written == EnclaveWire.keyByteCount else {
                    throw KeychainError(
                        .decode, "a row key has \(written) bytes instead of \(EnclaveWire.keyByteCount)")
                }
            } catch {
                keys.removeLast(keys.count - start)
                for _ in 0..<EnclaveWire.keyByteCount { keys.append(0) }
                errors[count] = error
            }
            count += 1
        }

        package consuming func finish() -> OpenedRowKeys {
            let (errors, count) = (errors, count)
            return OpenedRowKeys(keys: keys.finish(), errors: errors, count: count)
        }
    }

    private init(keys: SecretBytes, errors: [Int: KeychainError], count: Int) {
        self.keys = keys
        self.errors = errors
        self.count = count
    }

    package init(_ results: some Collection<Result<SecretBytes, KeychainError>>) {
        var builder = Builder(count: results.count)
        for result in results {
            builder.append { (buffer) throws(KeychainError) in
                let key = try result.get()
                key.withUnsafeBytes { buffer.append($0) }
            }
        }
        self = builder.finish()
    }

    /// Lends a key.
    ///
    /// - Throws: the reason why there is none, and what `body` throws.
    package func withKey<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        if !errors.isEmpty, let error = errors[index] { throw error }
        let result: Swift.Result<Result, KeychainError> = keys.withUnsafeBytes { bytes in
            let start = index * EnclaveWire.keyByteCount
            let key = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + EnclaveWire.keyByteCount)])
            return Swift.Result { () throws(KeychainError) in try body(key) }
        }
        return try result.get()
    }
}

/// Each result by itself, with a copy of the key.
extension OpenedRowKeys: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(index: Int) -> Result<SecretBytes, KeychainError> {
        Result { () throws(KeychainError) in
            try withKey(at: index) { (key) throws(KeychainError) in SecretBytes(copying: key) }
        }
    }
}

extension OpenedRowKeys: CBORValue {
    private enum Field: UInt64, FailureFields {
        case key = 0
        case status = 1
        case reason = 2
        case cause = 3
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArrayCount(limit: EnclaveWire.maximumBatch)
        var builder = Builder(count: count)
        for _ in 0..<count {
            var map = try CBORMap(reader)
            if try map.has(Field.key) {
                let key = try map.reader.readBytes()
                guard key.count == EnclaveWire.keyByteCount else { throw .outOfRange }
                builder.append { $0.append(key) }
            } else {
                let error = try KeychainError(Field.self, fields: &map)
                builder.append { (_) throws(KeychainError) in throw error }
            }
            reader = try map.end()
        }
        self = builder.finish()
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: count)
        for index in 0..<count {
            writer.writeMap { map in
                do throws(KeychainError) {
                    try withKey(at: index) { (key) throws(KeychainError) in
                        map.begin(Field.key)
                        map.write(key)
                    }
                } catch {
                    error.encodeFields(Field.self, to: &map)
                }
            }
        }
    }
}

extension OpenedRowKeys: EnclaveReply {
    package static let kind = EnclaveReplyKind.rowKeys

    package func encodeFields(to writer: inout CBORWriter) { writer.write(EnclaveReplyField.values, self) }

    package init(fields: inout CBORMap) throws(CBORError) { self = try fields.read(EnclaveReplyField.values) }
}
