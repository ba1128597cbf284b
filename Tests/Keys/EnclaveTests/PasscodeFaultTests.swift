import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sealing
import SystemCalls
import TestSupport
import Testing

@testable import Enclave

/// Every file system call fails once, in every way and at every place, while a passcode is set, changed or removed.
///
/// Afterwards the old or the new keybag is there, whole, and everything that was sealed opens.
@Suite struct PasscodeFaultTests {
    private static let mostCalls = 200
    /// `FaultTests` has the other faults, which lead to no other half-done change.
    private static let faults: [FaultyFiles.Fault] = [.instead(ENOSPC), .afterwards(EIO), .killed]
    private static let store = StoreIdentifier()

    enum Operation: CaseIterable, CustomTestStringConvertible {
        case set, change, newKeys, remove, unlock, destroy

        var testDescription: String { "\(self)" }

        func perform(_ enclave: Enclave) throws -> PasscodeOutcome {
            let store = PasscodeFaultTests.store
            switch self {
            case .set: return try enclave.passcode(SetPasscode(store), "old one").outcome
            case .change: return try enclave.passcode(ChangePasscode(.agent, in: store), "old one", "new one").outcome
            case .newKeys: return try enclave.passcode(MakeNewKeys(.agent, in: store), "old one").outcome
            case .remove: return try enclave.passcode(RemovePasscode(.agent, in: store), "old one").outcome
            case .unlock: return try enclave.passcode(UnlockStore(.agent, in: store), "old one").outcome
            case .destroy:
                try enclave.destroyKeys(try enclave.status(of: store).supersededKeys, in: store)
                return .done
            }
        }
    }

    private static func enclave(_ folder: TemporaryFolder, _ files: FileCalls = .system) -> Enclave {
        Enclave(stateFolder: folder.state, settings: .quick(), files: files)
    }

    /// A keybag before the operation, and rows of every class that it has.
    private struct Home {
        private var files: [String: [UInt8]] = [:]
        private(set) var rows: [WrappedRowKey] = []

        init(for operation: Operation) throws {
            let folder = try TemporaryFolder()
            do {
                let enclave = PasscodeFaultTests.enclave(folder)
                _ = try enclave.openStore(store, isEmpty: true)
                if operation != .set { _ = try enclave.passcode(SetPasscode(store), "old one") }
                let classes = Accessibility.allCases.filter {
                    operation != .set || $0 != .whenPasscodeSetThisDeviceOnly
                }
                let contexts = classes.map { RowContext.sample(store, $0) }
                rows = zip(try enclave.createRowKeys(contexts), contexts).map { $0.wrapped(in: $1) }
            }
            let keybags = TemporaryFolder.names(in: folder.state + "/keybags").map { "keybags/\($0)" }
            for name in ["uid.key"] + keybags { files[name] = TemporaryFolder.read(folder.state + "/" + name) }
        }

        /// A copy of the home in a folder of its own.
        func copy() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            mkdir(folder.state, 0o700)
            mkdir(folder.state + "/keybags", 0o700)
            for (name, content) in files { TemporaryFolder.write(folder.state + "/" + name, content) }
            return folder
        }
    }

    @Test(arguments: Operation.allCases, faults)
    func theOldOrTheNewStands(operation: Operation, fault: FaultyFiles.Fault) throws {
        let home = try Home(for: operation)
        for call in 1...Self.mostCalls {
            let folder = try home.copy()
            let faulty = FaultyFiles(fault, atCall: call)
            var isDone = false
            do {
                let enclave = Self.enclave(folder, faulty.calls)
                let error = failure {
                    _ = try enclave.openStore(Self.store, isEmpty: false)
                    isDone = try operation.perform(enclave) == .done
                }
                if let error { #expect(error.cause == (fault == .instead(ENOSPC) ? .full : .disk)) }
            }
            try Self.check(folder, after: operation, isDone: isDone, home.rows)
            if !faulty.hasStruck { return #expect(isDone) }
        }
        Issue.record("the operation never ended without the fault")
    }

    private static func check(
        _ folder: TemporaryFolder, after operation: Operation, isDone: Bool, _ rows: [WrappedRowKey]
    ) throws {
        let enclave = enclave(folder)
        _ = try enclave.openStore(store, isEmpty: false)
        var status = try enclave.status(of: store)
        #expect(status.failures <= 1 && status.delay == 0, "a failure of the disk is no wrong passcode")
        var opening: String?
        if status.hasPasscode {
            for passcode in ["old one", "new one"] where opening == nil {
                if try enclave.passcode(UnlockStore(.agent, in: store), passcode).outcome == .done {
                    opening = passcode
                }
            }
            status = try enclave.status(of: store)
        }
        switch operation {
        case .set: #expect(opening == "old one" || (!status.hasPasscode && !isDone))
        case .change: #expect(opening == "new one" || (opening == "old one" && !isDone))
        case .remove: #expect(!status.hasPasscode || (opening == "old one" && !isDone))
        case .newKeys, .unlock, .destroy: #expect(opening == "old one")
        }
        if operation == .newKeys, isDone { #expect(status.supersededKeys.count == 18) }
        if operation == .destroy, isDone { #expect(status.supersededKeys.isEmpty) }
        let results = try enclave.openRowKeys(rows)
        for (row, result) in zip(rows, results) {
            let isDestroyed = row.context.accessibility == .whenPasscodeSetThisDeviceOnly && !status.hasPasscode
            #expect(result.status == (isDestroyed ? .itemNotFound : .success))
        }
    }
}
