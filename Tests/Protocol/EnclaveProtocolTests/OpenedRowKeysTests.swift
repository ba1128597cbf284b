import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Testing

/// Row keys of one reply are in one block, and an error stands for itself alone.
@Suite struct OpenedRowKeysTests {
    private let key = SecretBytes([UInt8](repeating: 7, count: 32))
    private let other = SecretBytes([UInt8](repeating: 8, count: 32))
    private let error = KeychainError(cause: .keyDestroyed, "gone")

    @Test func eachResultIsInItsPlace() throws {
        let keys = OpenedRowKeys([.success(key), .failure(error), .success(other)])
        #expect(Array(keys) == [.success(key), .failure(error), .success(other)])
        #expect(throws: error) {
            try keys.withKey(at: 1) { (_) throws(KeychainError) in Issue.record("there is no such key") }
        }
        #expect(try keys.withKey(at: 2) { (key) throws(KeychainError) in SecretBytes(copying: key) } == other)
        #expect(OpenedRowKeys([]).isEmpty)
    }

    /// A key that is too long or too short leaves the others where they are.
    @Test func onlyTheBytesOfAKeyAreOne() {
        var builder = OpenedRowKeys.Builder(count: 2)
        for count in [32, 31, 33, 0, 32] {
            builder.append { (buffer) throws(KeychainError) in for _ in 0..<count { buffer.append(7) } }
        }
        let keys = builder.finish()
        let refused = Result<SecretBytes, KeychainError>.failure(KeychainError(.decode, ""))
        #expect(Array(keys) == [.success(key), refused, refused, refused, .success(key)])
    }
}
