import CChatelaine
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Glibc
import Sealing
import Synchronization
import TestSupport
@testable import ChatelaineSystem
@testable import SystemCalls
import Testing

@testable import SecurityServer

/// The connection goes on after its real enclaved is killed while several stores are open.
@Suite struct EnclaveConnectionTests {
    private let folder: TemporaryFolder
    private let launcher: CustodianProcesses
    private let connection: EnclaveConnection
    private let keys: EnclaveKeySource
    private let stores = [StoreIdentifier(), StoreIdentifier()]

    init() throws {
        folder = try TemporaryFolder()
        launcher = CustodianProcesses(stateFolder: folder.path + "/enclave")
        connection = EnclaveConnection(launcher: launcher, log: Log(file: folder.path + "/log"))
        keys = EnclaveKeySource(enclave: connection)
    }

    private func context(_ store: StoreIdentifier) -> RowContext {
        RowContext(
            store: store, row: ItemIdentifier(), version: 1, itemClass: .genericPassword, accessibility: .whenUnlocked,
            isSynchronizable: false, isTombstone: false, groupDigest: Bytes16(repeating: 3))
    }

    private func rowKey(in store: StoreIdentifier) throws -> WrappedRowKey {
        let context = context(store)
        let key = try #require(try keys.createRowKeys([context], for: nil, in: store).first)
        return WrappedRowKey(classKeyID: key.classKeyID, wrapped: key.wrapped, context: context)
    }

    private func opens(_ key: WrappedRowKey) throws -> Bool {
        guard case .success? = try keys.openRowKeys([key], for: nil, in: key.context.store).first else { return false }
        return true
    }

    private func killCustodian() { #expect(kill(connection.pid, SIGKILL) == 0) }

    @Test func everyStoreThatWasOpenIsOpenedAgain() throws {
        for store in stores { _ = try keys.openStore(store, isEmpty: true) }
        let wrapped = try stores.map { try rowKey(in: $0) }
        for round in 1...3 {
            killCustodian()
            for key in wrapped { #expect(try opens(key)) }
            // The first request starts the custodian, and no other one has to.
            #expect(launcher.starts.load(ordering: .relaxed) == round + 1)
        }
        // Each request concerns the store that it names, on whatever channel it goes.
        #expect(throws: KeychainError(.param, "")) {
            try keys.createRowKeys([context(stores[0])], for: nil, in: stores[1])
        }
        let (source, tally) = (keys, Tally())
        let threads = (0..<8).map { number in
            Work {
                for _ in 0..<50 {
                    let key = wrapped[number % 2]
                    if case .success? = try source.openRowKeys([key], for: nil, in: key.context.store).first {
                        tally.count.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        for thread in threads { try thread.value() }
        #expect(tally.count.load(ordering: .relaxed) == 400)
    }

    /// A custodian without room for a further channel goes on with those that it has, and loses no key.
    @Test func aRefusedChannelEndsNothing() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let wrapped = try rowKey(in: stores[0])
        let pid = connection.pid
        var taken: [EnclaveConnection.Taken] = []
        let error = #expect(throws: KeychainError.self) {
            for _ in 0...ChannelServer.maximumChannels { taken.append(try connection.takeAlone(for: nil)) }
        }
        #expect(error?.status == .notAvailable)
        #expect(connection.pid == pid && launcher.starts.load(ordering: .relaxed) == 1)
        // Requests share the one ordinary channel.
        let (source, tally) = (keys, Tally())
        let threads = (0..<4).map { _ in
            Work {
                for _ in 0..<20 {
                    if case .success? = try source.openRowKeys([wrapped], for: nil, in: wrapped.context.store).first {
                        tally.count.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        for thread in threads { try thread.value() }
        #expect(tally.count.load(ordering: .relaxed) == 80)
        taken = []
    }

    /// Waits until the custodian has read the first byte and waits for the rest.
    /// The custodian would close the channel, and who loses a channel loses all keys.
    @Test func aRequestThatIsTooLongEndsNothing() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let good = try rowKey(in: stores[0])
        let pid = connection.pid
        let long = WrappedRowKey(
            classKeyID: good.classKeyID, wrapped: [UInt8](repeating: 0, count: EnclaveWire.maximumFrameBytes),
            context: good.context)
        let request = OpenRowKeys([long], for: nil, in: stores[0])
        // Each call gives its channel back.
        for _ in 0..<2 * EnclaveConnection.maximumChannels {
            #expect(throws: KeychainError(.dataTooLarge, "")) { try connection.call(request) }
            #expect(throws: KeychainError(.dataTooLarge, "")) { try connection.callAside(request) }
        }
        #expect(try opens(good) && connection.pid == pid)
        #expect(launcher.starts.load(ordering: .relaxed) == 1)
    }

    private func awaitReader(of pipe: TestPipe) throws {
        try until("the custodian reads") { pipe.isEmpty }
    }

    /// If the custodian ends with a passcode, nobody knows whether the try was counted, so the request is not repeated.
    @Test func aPasscodeIsPutOnce() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let pipe = try TestPipe([1], isEnded: false)
        defer { withExtendedLifetime(pipe) {} }
        let (connection, store, reading) = (connection, stores[0], pipe.reading)
        let unlock = Work { _ = try connection.call(UnlockStore(.agent, in: store), passcodes: [reading]) }
        try awaitReader(of: pipe)
        killCustodian()
        #expect(throws: KeychainError(.notAvailable, "")) { try unlock.value() }
        #expect(launcher.starts.load(ordering: .relaxed) == 1)
        // The next request goes to the next custodian, which has opened the store. The store has no passcode, and the
        // error says so.
        #expect(throws: KeychainError(.param, "")) {
            let file = chatelaine_sealed_memfd_holding("test", "1234", 4)
            defer { close(file) }
            _ = try connection.call(UnlockStore(.agent, in: store), passcodes: [file])
        }
        #expect(launcher.starts.load(ordering: .relaxed) == 2)
    }

    /// What holds a lock while a passcode is checked must not wait for a place with it.
    @Test func whoHasAPlaceWaitsForNone() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let (connection, store) = (connection, stores[0])
        let pipes = try (0..<EnclaveWire.maximumPasscodesOfPrograms).map { _ in try TestPipe([1], isEnded: false) }
        defer { withExtendedLifetime(pipes) {} }
        let own = PasscodeOrigin.program(Bytes16(repeating: 200))
        try connection.withPlace(for: GivenPasscode(origin: own, store: store)) { (passcode) throws(KeychainError) in
            let unlocks = pipes.enumerated().map { number, pipe in
                let (origin, reading) = (PasscodeOrigin.program(Bytes16(repeating: UInt8(number))), pipe.reading)
                return Work { _ = try connection.call(UnlockStore(origin, in: store), passcodes: [reading]) }
            }
            let file = chatelaine_sealed_memfd_holding("test", "1234", 4)
            defer { close(file) }
            // All other places are taken, and one program waits. The store has no passcode, and the error says so.
            #expect(throws: Never.self) { try until { connection.passcodes.waiting == 1 } }
            #expect(throws: KeychainError(.param, "")) {
                try connection.call(
                    UnlockStore(own, in: store), passcodes: [file], hasPlace: passcode.hasPlace)
            }
            #expect(connection.passcodes.waiting == 1 && unlocks.allSatisfy { !$0.isDone })
        }
    }

    /// A program that keeps the custodian waiting for its passcodes holds up neither another program, nor the person at
    /// a dialog, nor requests about rows.
    @Test func passcodesOfOneProgramHoldUpNobody() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let wrapped = try rowKey(in: stores[0])
        let (connection, store) = (connection, stores[0])
        let slow = PasscodeOrigin.program(Bytes16(repeating: 1))
        let pipes = try (0..<EnclaveWire.maximumPasscodes).map { _ in try TestPipe([1], isEnded: false) }
        defer { withExtendedLifetime(pipes) {} }
        let unlocks = pipes.map(\.reading).map { reading in
            Work { _ = try connection.call(UnlockStore(slow, in: store), passcodes: [reading]) }
        }
        try until { pipes.count(where: \.isEmpty) >= EnclaveWire.maximumPasscodesOfPrograms - 1 }
        // The store has no passcode, and the error of a request that was looked at says so.
        for origin in [PasscodeOrigin.program(Bytes16(repeating: 2)), .agent] {
            let pipe = try TestPipe(Array("1234".utf8))
            #expect(throws: KeychainError(.param, "")) {
                try connection.call(UnlockStore(origin, in: store), passcodes: [pipe.reading])
            }
        }
        let password = try TestPipe(Array("open sesame".utf8))
        try connection.setCredential(
            ContextReference(number: 1, principal: Bytes16(repeating: 1)), from: password.reading, in: store)
        for _ in 0..<100 { #expect(try opens(wrapped)) }
        for pipe in pipes { pipe.end() }
        for unlock in unlocks { #expect(throws: KeychainError(.param, "")) { try unlock.value() } }
    }

    /// A reader that does not answer holds up half of the channels at the most, whatever is asked for.
    @Test func whatMayAskTheReaderTakesHalfOfTheChannels() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let wrapped = try rowKey(in: stores[0])
        let (connection, keys, store) = (connection, keys, stores[0])
        let policy = ContextReference(number: 1, principal: Bytes16(repeating: 1))
        var row = context(store)
        row.constraints = AccessConstraints()
        row.constraints?.otherwise = .userPresence
        let gate = Gate()
        gate.shut()
        let holding = Atomic(0)
        let held = (0..<4).map { _ in
            Work {
                try connection.evaluations.hold(for: nil) { () throws(KeychainError) in
                    holding.add(1, ordering: .relaxed)
                    gate.pass()
                }
            }
        }
        try until { holding.load(ordering: .relaxed) == held.count }
        let waiting = [
            Work { _ = try connection.evaluate(.deviceOwnerAuthentication, policy, in: store) },
            Work { [row] in _ = try keys.createRowKeys([row], for: nil, in: store) },
        ]
        try until { connection.evaluations.waiting == waiting.count }
        for _ in 0..<100 { #expect(try opens(wrapped)) }
        gate.open()
        for work in held + waiting { _ = try? work.value() }
        #expect(connection.evaluations.waiting == 0)
    }

    /// While a delay lasts, a passcode is not even sent to the custodian, and takes nobody's place.
    @Test func aKnownDelayIsAnsweredAtOnce() throws {
        _ = try keys.openStore(stores[0], isEmpty: true)
        let program = PasscodeOrigin.program(Bytes16(repeating: 1))
        func call(_ request: some EnclavePasscodeRequest, _ text: String) throws -> PasscodeReport {
            let pipe = try TestPipe(Array(text.utf8))
            defer { withExtendedLifetime(pipe) {} }
            return try connection.call(request, passcodes: [pipe.reading])
        }
        #expect(try call(SetPasscode(stores[0]), "passcode").outcome == .done)
        for _ in 0..<EnclaveWire.triesBeforeDelay {
            #expect(try call(VerifyPasscode(program, in: stores[0]), "wrong").outcome == .wrong)
        }
        let unread = try TestPipe(Array("passcode".utf8))
        let report = try connection.call(VerifyPasscode(program, in: stores[0]), passcodes: [unread.reading])
        #expect(report.outcome == .delayed && report.delay > 0 && report.failures == EnclaveWire.triesBeforeDelay)
        #expect(!unread.isEmpty)
        #expect(try call(VerifyPasscode(.agent, in: stores[0]), "passcode").outcome == .done)
    }

    @Test func aStoreThatDoesNotOpenAgainFailsAlone() throws {
        for store in stores { _ = try keys.openStore(store, isEmpty: true) }
        let wrapped = try stores.map { try rowKey(in: $0) }
        let keybags = folder.path + "/enclave/keybags"
        let name = try #require(
            TemporaryFolder.names(in: keybags).first {
                $0.filter { $0 != "-" }.hasPrefix(Self.hexadecimal(stores[1]))
            })
        #expect(rename("\(keybags)/\(name)", "\(folder.path)/away") == 0)
        killCustodian()
        #expect(try opens(wrapped[0]))
        #expect(throws: KeychainError(.notAvailable, "")) { try opens(wrapped[1]) }
        #expect(try opens(wrapped[0]))
        // Each request tries to open the store again, and no custodian is ended for it.
        #expect(rename("\(folder.path)/away", "\(keybags)/\(name)") == 0)
        #expect(try opens(wrapped[1]))
        #expect(launcher.starts.load(ordering: .relaxed) == 2)
    }

    @Test func aClosedStoreStaysClosed() throws {
        for store in stores { _ = try keys.openStore(store, isEmpty: true) }
        let wrapped = try stores.map { try rowKey(in: $0) }
        keys.closeStore(stores[1])
        #expect(throws: KeychainError(.param, "")) { try opens(wrapped[1]) }
        killCustodian()
        #expect(throws: KeychainError(.param, "")) { try opens(wrapped[1]) }
        #expect(try opens(wrapped[0]))
        _ = try keys.openStore(stores[1], isEmpty: false)
        #expect(try opens(wrapped[1]))
    }

    @Test func openStoresAreBounded() throws {
        for _ in 0..<EnclaveWire.maximumStores { _ = try keys.openStore(StoreIdentifier(), isEmpty: true) }
        #expect(throws: KeychainError(.notAvailable, "")) { try keys.openStore(stores[0], isEmpty: true) }
        killCustodian()
        // The next custodian opens the same stores again, and has no more room than the former.
        #expect(throws: KeychainError(.notAvailable, "")) { try keys.openStore(stores[0], isEmpty: true) }
    }

    private final class Tally: Sendable {
        let count = Atomic(0)
    }

    private static func hexadecimal(_ store: StoreIdentifier) -> String {
        store.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
