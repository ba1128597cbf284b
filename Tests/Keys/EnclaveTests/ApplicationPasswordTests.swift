import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// Rows whose secret is also encrypted under a password of the program open only with it.
@Suite struct ApplicationPasswordTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let one = ContextReference.sample(1)
    private let two = ContextReference.sample(2)

    init() throws { folder = try TemporaryFolder() }

    private func start(_ settings: EnclaveSettings = .quick()) throws -> Enclave {
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: true)
        return enclave
    }

    private var row: RowContext { .sample(store, .always, applicationPassword: true) }

    @Test func theRightOneOpens() throws {
        let enclave = try start()
        #expect(failure { _ = try enclave.create(row, for: nil) }?.cause == .needsPerson)
        #expect(failure { _ = try enclave.create(row, for: one.encrypting) }?.cause == .needsPerson)
        #expect(try enclave.evaluate(row.question(in: one, .encrypt), in: store) == .needs([.applicationPassword]))
        try enclave.setPassword("open sesame", of: one, in: store)
        #expect(try enclave.evaluate(row.question(in: one, .encrypt), in: store) == .satisfied)
        let (key, wrapped) = try enclave.create(row, for: one.encrypting)
        #expect(try enclave.open(wrapped, for: one.decrypting) == key)
        // A missing or forgotten password needs a person. A wrong one is refused.
        #expect(failure { _ = try enclave.open(wrapped, for: two.decrypting) }?.cause == .needsPerson)
        for wrong in ["open sesam", "Open sesame", "open sesame ", "x"] {
            try enclave.setPassword(wrong, of: two, in: store)
            let refusal = failure { _ = try enclave.open(wrapped, for: two.decrypting) }
            #expect(refusal?.status == .authFailed && refusal?.cause == .unavailable)
        }
        try enclave.setPassword("open sesame", of: two, in: store)
        #expect(try enclave.open(wrapped, for: two.decrypting) == key)
        try enclave.setPassword(nil, of: two, in: store)
        #expect(failure { _ = try enclave.open(wrapped, for: two.decrypting) }?.cause == .needsPerson)
        // The number of a context of another caller.
        #expect(
            failure { _ = try enclave.open(wrapped, for: ContextReference.sample(1, of: 9).decrypting) }?.cause
                == .needsPerson)
    }

    /// A password that a person typed and that opens nothing is forgotten, so that the person is asked again.
    @Test func aTypedOneHasToOpenSomething() throws {
        let enclave = try start()
        try enclave.setPassword("first", of: one, in: store)
        let (key, first) = try enclave.create(row, for: one.encrypting)
        try enclave.setPassword("second", of: one, in: store)
        let (_, second) = try enclave.create(row, for: one.encrypting)
        try enclave.setPassword("mistyped", isTyped: true, of: two, in: store)
        #expect(failure { _ = try enclave.open(first, for: two.decrypting) }?.status == .authFailed)
        #expect(try enclave.evaluate(first.context.question(in: two), in: store) == .needs([.applicationPassword]))
        #expect(failure { _ = try enclave.open(first, for: two.decrypting) }?.cause == .needsPerson)
        // One that has opened a row stays, whatever else it does not open.
        try enclave.setPassword("first", isTyped: true, of: two, in: store)
        #expect(try enclave.open(first, for: two.decrypting) == key)
        for _ in 0..<2 { #expect(failure { _ = try enclave.open(second, for: two.decrypting) }?.status == .authFailed) }
        #expect(try enclave.open(first, for: two.decrypting) == key)
        // So does one under which a row was stored.
        try enclave.setPassword("third", isTyped: true, of: two, in: store)
        let (other, third) = try enclave.create(row, for: two.encrypting)
        #expect(failure { _ = try enclave.open(first, for: two.decrypting) }?.status == .authFailed)
        #expect(try enclave.open(third, for: two.decrypting) == other)
        // One that the program gave is the program's to take away.
        try enclave.setPassword("wrong", of: two, in: store)
        for _ in 0..<2 { #expect(failure { _ = try enclave.open(first, for: two.decrypting) }?.status == .authFailed) }
    }

    @Test func contextsHaveTheirOwn() throws {
        let enclave = try start()
        try enclave.setPassword("first", of: one, in: store)
        try enclave.setPassword("second", of: two, in: store)
        let (first, second) = (
            try enclave.create(row, for: one.encrypting), try enclave.create(row, for: two.encrypting)
        )
        #expect(try enclave.open(first.row, for: one.decrypting) == first.key)
        #expect(try enclave.open(second.row, for: two.decrypting) == second.key)
        #expect(failure { _ = try enclave.open(first.row, for: two.decrypting) }?.status == .authFailed)
        #expect(failure { _ = try enclave.open(second.row, for: one.decrypting) }?.status == .authFailed)
        for end in [EndContext(1), LockStore(store), CloseStore(store)] as [any EnclaveRequest<Done>] {
            try enclave.setPassword("first", of: one, in: store)
            #expect(try enclave.open(first.row, for: one.decrypting) == first.key)
            _ = try enclave.checked(end)
            if end is CloseStore { _ = try enclave.openStore(store, isEmpty: false) }
            #expect(failure { _ = try enclave.open(first.row, for: one.decrypting) }?.cause == .needsPerson)
        }
    }

    /// Passcode and password are both needed, and the error says which is missing.
    @Test func itComesBesidesThePerson() throws {
        let enclave = try start()
        _ = try enclave.passcode(SetPasscode(store), "four words")
        let row = RowContext.sample(store, .userPresence, applicationPassword: true)
        try enclave.setPassword("first", of: one, in: store)
        let (key, wrapped) = try enclave.create(row, for: one.encrypting)
        #expect(failure { _ = try enclave.open(wrapped, for: one.decrypting) }?.cause == .needsPerson)
        #expect(try enclave.evaluate(row.question(in: two), in: store) == .needs([.passcode, .applicationPassword]))
        #expect(
            try enclave.passcode(ProveQuestion(row.question(in: one), .agent, in: store), "four words").outcome == .done
        )
        #expect(try enclave.open(wrapped, for: one.decrypting) == key)
        #expect(
            try enclave.passcode(ProveQuestion(row.question(in: two), .agent, in: store), "four words").outcome == .done
        )
        #expect(try enclave.evaluate(row.question(in: two), in: store) == .needs([.applicationPassword]))
        // A change of passcode discards the proof, but not the password.
        _ = try enclave.passcode(ChangePasscode(.agent, in: store), "four words", "five words")
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .needs([.passcode]))
    }

    /// A row is wrapped anew without the password, and cannot be moved to another place.
    @Test func wrappingAnewKeepsIt() throws {
        let enclave = try start()
        try enclave.setPassword("first", of: one, in: store)
        let (key, former) = try enclave.create(row, for: one.encrypting)
        _ = try enclave.passcode(SetPasscode(store), "four words")
        _ = try enclave.checked(EndContext(1))
        let later = try enclave.rewrap(former)
        #expect(later.classKeyID != former.classKeyID)
        #expect(failure { _ = try enclave.open(later, for: one.decrypting) }?.cause == .needsPerson)
        try enclave.setPassword("wrong", of: one, in: store)
        #expect(failure { _ = try enclave.open(later, for: one.decrypting) }?.status == .authFailed)
        try enclave.setPassword("first", of: one, in: store)
        #expect(try enclave.open(later, for: one.decrypting) == key)
    }

    /// A derivation is expensive, so its key is kept with the context.
    @Test func derivationsAreKeptWithTheContext() throws {
        let counter = Counter()
        let enclave = try start(.quick(hash: .quick(counter)))
        try enclave.setPassword("first", of: one, in: store)
        let rows = try (0..<20).map { _ in try enclave.create(row, for: one.encrypting) }
        #expect(counter.value == 1)
        for (key, wrapped) in rows { #expect(try enclave.open(wrapped, for: one.decrypting) == key) }
        #expect(counter.value == 1)
        try enclave.setPassword("first", of: two, in: store)
        for (key, wrapped) in rows { #expect(try enclave.open(wrapped, for: two.decrypting) == key) }
        #expect(counter.value == 2)
        // A context with another password has no keys of the former one.
        try enclave.setPassword("second", of: one, in: store)
        #expect(failure { _ = try enclave.open(rows[0].row, for: one.decrypting) }?.status == .authFailed)
        #expect(counter.value == 3)
        // Only the most recent keys of rows from many contexts are kept.
        for number in 0..<UInt64(ApplicationPassword.maximumKeys + 2) {
            try enclave.setPassword("first", of: .sample(100 + number), in: store)
            let (_, wrapped) = try enclave.create(row, for: ContextReference.sample(100 + number).encrypting)
            #expect(throws: Never.self) { try enclave.open(wrapped, for: two.decrypting) }
        }
        let before = counter.value
        #expect(throws: Never.self) { try enclave.open(rows[0].row, for: two.decrypting) }
        #expect(counter.value == before + 1)
    }

    @Test func theWrappingIsBounded() throws {
        let (key, sample) = (KeyDerivation.randomKey(), row)
        let stretched = StretchedPassword(
            salt: .random(), parameters: .least, root: KeyDerivation.randomKey())
        let encoded = try PasswordWrapping(key, under: stretched, of: sample).encoded
        func decoded(_ bytes: [UInt8]) throws -> PasswordWrapping { try PasswordWrapping(decoding: SecretBytes(bytes)) }
        let bytes = encoded.withUnsafeBytes { [UInt8]($0) }
        #expect(failure { _ = try decoded(bytes).open(with: stretched, of: row) }?.status == .authFailed)
        #expect(try decoded(bytes).open(with: stretched, of: sample) == key)
        for length in bytes.indices { #expect(failure { _ = try decoded(Array(bytes[..<length])) }?.status == .decode) }
        #expect(failure { _ = try decoded(bytes + [0]) }?.status == .decode)
        for parameters in [
            PasswordHash.Parameters(memory: 1024, passes: 2), .init(memory: 1 << 20, passes: 2),
            .init(memory: 19456, passes: 1),
            .init(memory: 19456, passes: 17), .init(memory: 19456, passes: 2, lanes: 5),
        ] {
            let key = StretchedPassword(salt: stretched.salt, parameters: parameters, root: stretched.root)
            let bytes = try PasswordWrapping(KeyDerivation.randomKey(), under: key, of: row).encoded
            #expect(failure { _ = try PasswordWrapping(decoding: bytes) }?.status == .decode)
        }
        // The memory for one derivation is also limited when the parameters are made.
        #expect(try PasswordHash.quick().calibrated(upTo: 64 * 1024).memory == 64 * 1024)
        #expect(try PasswordHash.quick().calibrated(upTo: 64 * 1024).isAcceptable)
    }
}
