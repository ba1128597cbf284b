import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// Headers that were changed.
extension KeychainTests {
    /// The checksum detects every bit changed by accident, and a higher version has its own error.
    @Test func everyBitOfAHeaderCounts() throws {
        let encoded = try enclave.createKeychain(store).encoded
        try enclave.closeStore(store)
        for place in encoded.indices {
            for bit in 0..<8 {
                var damaged = encoded
                damaged[place] ^= 1 << bit
                let error = failure { _ = try KeychainHeader(decoding: damaged, path: "x") }
                #expect(error?.status == (error?.cause == .newerFormat ? .wrongSecVersion : .invalidKeychain))
            }
            #expect(failure { _ = try KeychainHeader(decoding: Array(encoded.prefix(place)), path: "x") } != nil)
        }
        #expect(failure { _ = try KeychainHeader(decoding: encoded + [0], path: "x") }?.status == .invalidKeychain)
    }

    /// Whatever field somebody changes, the right password does not open the keychain, and nothing is unlocked.
    @Test func whoChangesAHeaderOpensNothing() throws {
        let header = try enclave.createKeychain(store)
        let other = try enclave.createKeychain(StoreIdentifier(), "right")
        try enclave.closeStore(store)
        let made = header.terms.parameters
        let parameters = [
            PasswordParameters(memory: made.memory - 1024, passes: made.passes, lanes: made.lanes),
            PasswordParameters(memory: made.memory, passes: made.passes - 1, lanes: made.lanes),
            PasswordParameters(memory: made.memory, passes: made.passes, lanes: made.lanes + 1),
        ]
        // The password then derives another key.
        let wrong =
            try parameters.map { try header.with(parameters: $0) } + [
                try header.with(salt: .random()), try header.with(check: other.check),
                try other.with(store: store),
            ]
        for (number, header) in wrong.enumerated() {
            let origin = PasscodeOrigin.program(Bytes16(repeating: UInt8(number)))
            #expect(try enclave.unlock(header, from: origin).outcome == .wrong)
        }
        // The password derives the right key, which does not open the keys bound to the changed field.
        for place in 0..<60 {
            var wrappedKey = header.wrappedKey
            wrappedKey[place] ^= 1
            let changed = try header.with(wrappedKey: wrappedKey)
            #expect(failure { _ = try enclave.unlock(changed) }?.status == .invalidKeychain)
        }
        for changed in [try header.with(indexSalt: .random()), try header.with(wrappedKey: other.wrappedKey)] {
            #expect(failure { _ = try enclave.unlock(changed) }?.status == .invalidKeychain)
            #expect(failure { _ = try enclave.changePassword(changed, "right", to: "x") }?.status == .invalidKeychain)
        }
        #expect(try !enclave.isUnlocked(store))
        #expect(try enclave.unlock(header).outcome == .done)
    }

    @Test func aHeaderBelongsToItsStore() throws {
        let header = try enclave.createKeychain(store)
        let error = failure { _ = try enclave.unlock(header, in: StoreIdentifier()) }
        #expect(error?.status == .invalidKeychain)
        // Rows are bound to the store as well.
        let other = StoreIdentifier()
        _ = try enclave.createKeychain(other)
        let row = try rows(1, of: enclave, in: store)[0]
        #expect(try enclave.openRowKeys([row], in: other).map(\.status) == [.param])
        var moved = row
        moved.context.store = other
        #expect(try enclave.openRowKeys([moved]).map(\.status) == [.decode])
        var renamed = row
        renamed.context.row = ItemIdentifier()
        var unknown = row
        unknown.classKeyID = 2
        #expect(try enclave.openRowKeys([renamed, unknown, row]).map(\.status) == [.decode, .decode, .success])
    }

    /// A file that asks for more than the accepted limits is invalid before anything is derived.
    @Test func parametersAreCapped() throws {
        let terms = try enclave.createKeychain(store).terms
        let most = PasswordParameters.most
        func accepts(_ parameters: PasswordParameters) -> Bool {
            let terms = KeychainHeader.Terms(store: terms.store, parameters: parameters)
            let header = KeychainHeader(
                terms, check: [UInt8](repeating: 0, count: 32), wrappedKey: [UInt8](repeating: 0, count: 60))
            let error = failure { _ = try KeychainHeader(decoding: header.encoded, path: "x") }
            #expect(error == nil || error?.status == .invalidKeychain)
            return error == nil
        }
        #expect(accepts(.least) && accepts(most))
        #expect(most.memory == 256 * 1024 && most.passes == 16 && most.lanes == 4)
        for change in [\PasswordParameters.memory, \.passes, \.lanes] {
            var (more, less) = (most, PasswordParameters.least)
            more[keyPath: change] += 1
            less[keyPath: change] -= 1
            #expect(!accepts(more) && !accepts(less))
            more[keyPath: change] = .max
            #expect(!accepts(more))
        }
    }
}
