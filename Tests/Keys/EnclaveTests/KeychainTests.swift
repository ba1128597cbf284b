import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// The password of a file keychain opens it wherever its header is.
@Suite struct KeychainTests {
    let folder: TemporaryFolder
    let enclave: Enclave
    let store = StoreIdentifier()

    init() throws {
        folder = try TemporaryFolder()
        enclave = Enclave(stateFolder: folder.state, settings: .quick())
    }

    func rows(_ count: Int, of enclave: Enclave, in store: StoreIdentifier) throws -> [WrappedRowKey] {
        let contexts = (0..<count).map { _ in RowContext.sample(store) }
        return zip(try enclave.createRowKeys(contexts), contexts).map { $0.wrapped(in: $1) }
    }

    func bytes(_ keys: StoreKeys) -> [[UInt8]] {
        StoreKeyPurpose.allCases.map { keys[$0].withUnsafeBytes { Array($0) } }
    }

    @Test func theFileOpensAnywhere() throws {
        let header = try enclave.createKeychain(store)
        let contexts = (0..<3).map { _ in RowContext.sample(store) }
        let made = try enclave.createRowKeys(contexts)
        let wrapped = zip(made, contexts).map { $0.wrapped(in: $1) }
        let keys = try enclave.openKeychain(keysOf: store)
        let metadata = try enclave.metadataKeyForSealing(.whenUnlocked, in: store)
        #expect(metadata.id == 1 && metadata.sealsGranted == .max)
        // The custodian writes nothing to disk, so a user need not take a folder along.
        #expect(TemporaryFolder.names(in: folder.path) == [])

        let elsewhere = Enclave(stateFolder: folder.path + "/elsewhere", settings: .quick())
        let read = try KeychainHeader(decoding: header.encoded, path: "copy")
        #expect(read == header)
        #expect(failure { _ = try elsewhere.openKeychain(keysOf: store) }?.cause == .locked)
        #expect(try elsewhere.unlock(read) == KeychainReport())
        #expect(try elsewhere.openRowKeys(wrapped).map { try $0.get() } == made.map(\.key))
        #expect(bytes(try elsewhere.openKeychain(keysOf: store)) == bytes(keys))
        #expect(try elsewhere.metadataKey(1, in: store).key == metadata.key)
        // All keys differ, and the file alone gives only the index key.
        #expect(
            Set(bytes(keys) + [metadata.key.withUnsafeBytes { Array($0) }]).count == StoreKeyPurpose.allCases.count + 1)
        #expect(header.indexKey == keys[.index])
        #expect(keys.keybag.value == store.value && keys.keybagGeneration == 0 && !keys.isMarked)
    }

    /// Only some row keys are kept, which makes no difference to callers.
    @Test func rowsOpenInWhateverOrder() throws {
        _ = try enclave.createKeychain(store)
        // Two requests together have more rows than are kept.
        let batches = try (0..<2).map { _ in
            let contexts = (0..<(KeychainCustodian.maximumRowKeys - 50)).map { _ in RowContext.sample(store) }
            let made = try enclave.createRowKeys(contexts)
            return (rows: zip(made, contexts).map { $0.wrapped(in: $1) }, keys: made.map(\.key))
        }
        for (rows, keys) in batches + batches {
            #expect(try enclave.openRowKeys(rows).map { try $0.get() } == keys)
            #expect(try enclave.openRowKeys(rows.reversed()).map { try $0.get() } == keys.reversed())
        }
        // The key of one row does not open another row.
        let (one, context) = (batches[0].rows[0], batches[0].rows[1].context)
        let other = WrappedRowKey(classKeyID: one.classKeyID, wrapped: one.wrapped, context: context)
        #expect(throws: KeychainError(.decode, "")) { try enclave.openRowKeys([other])[0].get() }
    }

    /// Purposes, names and layouts never change, so an old keychain always opens.
    @Test func aKeychainOfVersion1Opens() throws {
        let former = KeychainOfVersion1.self
        let enclave = Enclave(stateFolder: folder.state)
        let header = try KeychainHeader(decoding: former.header, path: "former")
        #expect(header.encoded == former.header)
        #expect(try enclave.unlock(header, former.password).outcome == .done)
        var context = RowContext.sample(header.store)
        context.row = former.row
        let row = WrappedRowKey(classKeyID: 1, wrapped: former.wrapped, context: context)
        var keys = [try enclave.openRowKeys([row])[0].get(), try enclave.metadataKey(1, in: header.store).key]
        let stored = try enclave.openKeychain(keysOf: header.store)
        keys += StoreKeyPurpose.allCases.filter { $0.rawValue < 8 }.map { stored[$0] }
        #expect(Checksum.of(keys.flatMap { key in key.withUnsafeBytes { Array($0) } }) == former.keys)
    }

    @Test func aWrongPasswordChangesNothing() throws {
        let header = try enclave.createKeychain(store)
        try enclave.closeStore(store)
        for password in ["wrong", "", "right ", "Right"] {
            let report = try enclave.unlock(header, password, from: .program(Bytes16(repeating: UInt8(password.count))))
            #expect(report.outcome == .wrong && report.header == nil)
            #expect(try !enclave.isUnlocked(store))
        }
        #expect(try enclave.changePassword(header, "wrong", to: "new").header == nil)
        #expect(try enclave.verify(header, "wrong").outcome == .wrong)
        #expect(try enclave.verify(header, "right").outcome == .done)
        #expect(try !enclave.isUnlocked(store))
        #expect(try enclave.unlock(header).outcome == .done)
        // A wrong password does not lock an unlocked keychain.
        #expect(try enclave.unlock(header, "wrong").outcome == .wrong)
        #expect(try enclave.changePassword(header, "wrong", to: "new").outcome == .wrong)
        #expect(try enclave.isUnlocked(store))
        #expect(try enclave.unlock(header).outcome == .done)
    }

    @Test(arguments: [
        [], [0], Array("a\u{0}b".utf8), Array("a\u{0}c".utf8), [0xFF, 0xFE, 0x0A],
        [UInt8](repeating: 7, count: EnclaveWire.maximumKeychainPasswordBytes),
        [UInt8](repeating: 7, count: EnclaveWire.maximumKeychainPasswordBytes - 1),
    ])
    func anyBytesAreAPassword(password: [UInt8]) throws {
        // The real function takes the password's bytes as they are.
        let enclave = Enclave(stateFolder: folder.state)
        let header = try #require(try enclave.keychain(CreateKeychain(store), password).header)
        #expect(header.terms.parameters.isAcceptable)
        try enclave.closeStore(store)
        for other in [password + [0], Array(password.dropLast()), password.map { $0 ^ 1 }] where other != password {
            #expect(try enclave.keychain(UnlockKeychain(header, .agent, in: store), other).outcome == .wrong)
        }
        #expect(try enclave.keychain(UnlockKeychain(header, .agent, in: store), password).outcome == .done)
        #expect(try enclave.isUnlocked(store))
    }

    // MARK: Passwords that change

    @Test(arguments: [false, true]) func aNewPasswordOpensTheSameKeys(isLocked: Bool) throws {
        let header = try enclave.createKeychain(store)
        let row = try rows(1, of: enclave, in: store)
        let keys = bytes(try enclave.openKeychain(keysOf: store))
        if isLocked { try enclave.closeStore(store) }
        let changed = try enclave.changePassword(header, "right", to: "new")
        let new = try #require(changed.header)
        #expect(changed.outcome == .done && new.terms.salt != header.terms.salt && new.check != header.check)
        #expect(new.indexKey == header.indexKey)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
        try enclave.closeStore(store)
        #expect(try enclave.unlock(new, "right").outcome == .wrong)
        #expect(try enclave.unlock(new, "new").outcome == .done)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
        #expect(bytes(try enclave.openKeychain(keysOf: store)) == keys)
        // A former copy opens with the former password, and also opens the rows stored since, because a change makes no
        // new keys.
        try enclave.closeStore(store)
        #expect(try enclave.unlock(header, "new").outcome == .wrong)
        #expect(try enclave.unlock(header, "right").outcome == .done)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
    }

    @Test func aChangeMakesNothingCheaper() throws {
        let header = try enclave.createKeychain(store)
        let dear = KeychainHeader.Terms(store: store, parameters: PasswordParameters(memory: 262_144, passes: 9))
        let master = KeyDerivation.randomKey()
        let made = try KeychainPasswordKeys(SecretBytes(Array("right".utf8)), dear, .quick()).header(
            dear, wrapping: master)
        try enclave.closeStore(store)
        let new = try #require(try enclave.changePassword(made, "right", to: "new").header)
        #expect(new.terms.parameters.cost >= max(dear.parameters.cost, header.terms.parameters.cost))
    }

    /// A header of the same store with another master key is a forgery.
    @Test func noOtherKeychainTakesThePlaceOfAnUnlockedOne() throws {
        let header = try enclave.createKeychain(store)
        let forged = try Enclave(stateFolder: folder.path + "/x", settings: .quick()).createKeychain(store, "theirs")
        let row = try rows(1, of: enclave, in: store)
        #expect(failure { _ = try enclave.unlock(forged, "theirs") }?.status == .invalidKeychain)
        #expect(failure { _ = try enclave.createKeychain(store) }?.status == .param)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
        #expect(try enclave.unlock(header).outcome == .done)
    }

    // MARK: Locking

    @Test func lockingLeavesNothing() throws {
        let header = try enclave.createKeychain(store)
        let row = try rows(1, of: enclave, in: store)
        weak let keychain = enclave.stores.withLock { $0.keychains[store] }
        #expect(keychain != nil)
        for _ in 0..<2 { try enclave.closeStore(store) }
        #expect(keychain == nil)
        #expect(try !enclave.isUnlocked(store))
        #expect(failure { _ = try enclave.openRowKeys(row) }?.status == .param)
        #expect(failure { _ = try enclave.metadataKey(1, in: store) }?.status == .param)
        #expect(try enclave.unlock(header).outcome == .done)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
    }

    /// A lock also cancels an unlock that was requested before it.
    @Test func anUnlockThatIsLockedOverIsNone() throws {
        let header = try enclave.createKeychain(store)
        try enclave.closeStore(store)
        let (looking, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hash = PasswordHash.quick(before: {
            looking.signal()
            goOn.wait()
        })
        let slow = Enclave(stateFolder: folder.path + "/slow", settings: .quick(hash: hash))
        let terms = try header.with(parameters: PasswordParameters(memory: 32 * 1024, passes: 3)).terms
        let made = try KeychainPasswordKeys(SecretBytes(Array("right".utf8)), terms, .quick()).header(
            terms, wrapping: KeyDerivation.randomKey())
        for isLockedOver in [true, false] {
            let unlock = Work { try slow.unlock(made) }
            looking.wait()
            try slow.closeStore(isLockedOver ? store : StoreIdentifier())
            goOn.signal()
            if isLockedOver {
                #expect(throws: KeychainError(.interactionNotAllowed, "")) { try unlock.value() }
            } else {
                #expect(try unlock.value().outcome == .done)
            }
            #expect(try slow.isUnlocked(store) != isLockedOver)
        }
    }

    /// Whatever a keychain demands of Argon2id, and however often a program asks, passcodes, rows and locks go on.
    @Test func aPasswordHoldsNothingElseUp() throws {
        let (looking, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let quick = PasswordHash.quick()
        let hash = PasswordHash(
            derive: { password, salt, parameters throws(KeychainError) in
                if password == SecretBytes(Array("slow".utf8)) {
                    looking.signal()
                    goOn.wait()
                }
                return try quick.derive(password, salt, parameters)
            }, processorTime: { 0 })
        let enclave = Enclave(stateFolder: folder.state, settings: .quick(hash: hash))
        let (header, keybagStore) = (try enclave.createKeychain(store), StoreIdentifier())
        let row = try rows(1, of: enclave, in: store)
        _ = try enclave.openStore(keybagStore, isEmpty: true)
        let unlock = Work { try enclave.unlock(header, "slow") }
        looking.wait()
        #expect(try enclave.passcode(SetPasscode(keybagStore), "1234").outcome == .done)
        #expect(try enclave.passcode(UnlockStore(.agent, in: keybagStore), "1234").outcome == .done)
        #expect(try enclave.openRowKeys(row).map(\.status) == [.success])
        try enclave.closeStore(store)
        #expect(try !enclave.isUnlocked(store))
        goOn.signal()
        #expect(try unlock.value().outcome == .wrong)
    }

    @Test func soManyAreUnlockedAtATime() throws {
        var headers: [KeychainHeader] = []
        for _ in 0..<EnclaveWire.maximumKeychains { headers.append(try enclave.createKeychain(StoreIdentifier())) }
        let error = failure { _ = try enclave.createKeychain(store) }
        #expect(error?.status == .notAvailable && error?.reason.contains("256") == true)
        // Unlocked keychains go on, and stores with a keybag have places of their own.
        #expect(try enclave.unlock(headers[0]).outcome == .done)
        _ = try enclave.openStore(StoreIdentifier(), isEmpty: true)
        try enclave.closeStore(headers[7].store)
        _ = try enclave.createKeychain(store)
        #expect(failure { _ = try enclave.unlock(headers[7]) }?.status == .notAvailable)
        #expect(try enclave.verify(headers[7], "right").outcome == .done)
    }

    // MARK: Beside keybags

    @Test func identifiersAreOneNameSpace() throws {
        let keybagStore = StoreIdentifier()
        _ = try enclave.openStore(keybagStore, isEmpty: true)
        let header = try enclave.createKeychain(store)
        #expect(failure { _ = try enclave.openStore(store, isEmpty: true) }?.status == .param)
        #expect(failure { _ = try enclave.createKeychain(keybagStore) }?.status == .param)
        #expect(failure { _ = try enclave.openKeychain(keysOf: keybagStore) }?.status == .param)
        let forged = try header.with(store: keybagStore)
        #expect(failure { _ = try enclave.unlock(forged) }?.status == .param)
        // The refused opening left nothing behind.
        #expect(TemporaryFolder.names(in: folder.state + "/keybags").count == 1)
        try enclave.closeStore(keybagStore)
        #expect(failure { _ = try enclave.metadataKeyForSealing(.always, in: keybagStore) }?.status == .param)
        #expect(try enclave.isUnlocked(store))
    }

    @Test func constraintsAndPasscodesAreForKeybags() throws {
        let header = try enclave.createKeychain(store)
        let row = try rows(1, of: enclave, in: store)[0]
        let constrained = RowContext.sample(store, .userPresence)
        #expect(failure { _ = try enclave.createRowKeys([constrained]) }?.status == .param)
        var bound = row
        bound.context.constraints = constrained.constraints
        #expect(try enclave.openRowKeys([bound]).map(\.status) == [.param])
        let passcode = [SecretBytes(Array("1234".utf8))]
        let requests: [any EnclaveRequest] = [
            ReadPasscodeStatus(.agent, in: store), SetPasscode(store), RemovePasscode(.agent, in: store),
            UnlockStore(.agent, in: store), LockStore(store), MakeNewKeys(.agent, in: store),
            DestroyKeys([1], in: store),
            VerifyPasscode(.agent, in: store), EndorseRecords([UInt8](repeating: 1, count: 32), .agent, in: store),
            EvaluateQuestion(constrained.question(in: .sample(1)), in: store),
            EvaluateContextPolicy(.deviceOwnerAuthentication, .sample(1), in: store),
            ProvePasscode(.sample(1), .agent, in: store), ReadBiometry(store),
            MatchQuestion(constrained.question(in: .sample(1)), in: store), NoteMark(store),
            SetCredential(.sample(1), isPresent: true, in: store), AllowReuse(.sample(1), seconds: 1, in: store),
        ]
        for request in requests {
            let comes = (request as? any EnclaveSecretRequest)?.passcodes?.count == 1
            guard let error = enclave.failure(of: request, passcodes: comes ? passcode : []) else {
                Issue.record("\(request) is answered")
                continue
            }
            #expect(error.status == .param && error.reason.contains("file keychain"))
        }
        #expect(try enclave.unlock(header).outcome == .done)
    }

    @Test func rowKeysAreWrappedAnew() throws {
        _ = try enclave.createKeychain(store)
        let row = try rows(1, of: enclave, in: store)[0]
        let keys = try enclave.answer(RewrapRowKeys([row], in: store)).get()
        guard case .key(let id, let wrapped)? = keys.first else { throw Unexpected() }
        #expect(id == 1 && wrapped != row.wrapped)
        let again = WrappedRowKey(classKeyID: id, wrapped: wrapped, context: row.context)
        let opened = try enclave.openRowKeys([row, again]).map { try $0.get() }
        #expect(opened[0] == opened[1])
        let many = [RowContext](repeating: .sample(store), count: EnclaveWire.maximumBatch)
        #expect(try enclave.createRowKeys(many).count == many.count)
        #expect(failure { _ = try enclave.createRowKeys(many + many) }?.status == .param)
    }

    /// Sixty-four threads open row keys of one keychain while others are made, unlocked and locked.
    @Test func othersAreUnlockedMeanwhile() throws {
        _ = try enclave.createKeychain(store)
        let wrapped = try rows(8, of: enclave, in: store)
        let problems = Mutex<[String]>([])
        let isDone = Atomic(false)
        let enclave = enclave
        let other = Work {
            var rounds = 0
            while !isDone.load(ordering: .relaxed) || rounds < 20 {
                let header = try enclave.createKeychain(StoreIdentifier())
                try enclave.closeStore(header.store)
                _ = try enclave.unlock(header)
                try enclave.closeStore(header.store)
                rounds += 1
            }
        }
        let threads = (0..<64).map { _ in
            Work {
                for _ in 0..<20 {
                    do {
                        let opened = try enclave.openRowKeys(wrapped)
                        if !opened.allSatisfy({ $0.status == .success }) {
                            problems.withLock { $0.append("not opened") }
                        }
                    } catch { problems.withLock { $0.append("\(error)") } }
                }
            }
        }
        for thread in threads { try thread.value() }
        isDone.store(true, ordering: .relaxed)
        try other.value()
        #expect(problems.withLock { $0 } == [])
    }
}
