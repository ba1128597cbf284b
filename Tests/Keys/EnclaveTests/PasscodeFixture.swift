import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization
import TestSupport

@testable import Enclave

/// A clock that a test sets.
///
/// Another boot identifier stands for another start of the machine.
final class FakeBootClock: Sendable {
    static let minute: UInt64 = 60_000

    private final class Time: Sendable {
        let value: Atomic<UInt64>
        init(_ start: UInt64) { value = Atomic(start) }
    }

    private let time: Time
    let clock: BootClock

    init(boot: UInt8 = 1, at start: UInt64 = 1_000_000) {
        let time = Time(start)
        clock = BootClock(bootID: Bytes16(repeating: boot)) { time.value.load(ordering: .relaxed) }
        self.time = time
    }

    func advance(by milliseconds: UInt64) { time.value.wrappingAdd(milliseconds, ordering: .relaxed) }
}

extension PasswordHash {
    /// A quick hash, which protects nothing.
    ///
    /// It counts its calls, except those for calibration.
    static func quick(_ counter: Counter? = nil, before: @escaping @Sendable () -> Void = {}) -> PasswordHash {
        PasswordHash(
            derive: { passcode, salt, parameters throws(KeychainError) in
                if parameters != .least {
                    _ = counter?.next()
                    before()
                }
                let cost = [parameters.memory / 1024, parameters.passes, parameters.lanes]
                let content = salt + cost.map { UInt8(truncatingIfNeeded: $0) }
                return SecretBytes(content.withUnsafeBytes { KeyedDigest(passcode).digest($0) })
            }, processorTime: { 0 })
    }
}

extension EnclaveSettings {
    /// Settings with a quick hash, and with a clock that stands still unless a test sets it.
    static func quick(_ clock: FakeBootClock = FakeBootClock(), hash: PasswordHash = .quick()) -> EnclaveSettings {
        var settings = EnclaveSettings()
        settings.passwordHash = hash
        settings.clock = clock.clock
        return settings
    }
}

extension Enclave {
    /// Makes a request with passcodes and returns its report, or throws the failure in the reply.
    func passcode(_ request: some EnclavePasscodeRequest, _ passcodes: String...) throws -> PasscodeReport {
        try answer(request, passcodes: passcodes.map { SecretBytes(Array($0.utf8)) }).get()
    }

    func status(of store: StoreIdentifier, for origin: PasscodeOrigin = .agent) throws -> PasscodeReport {
        try answer(ReadPasscodeStatus(origin, in: store)).get()
    }

    func lock(_ store: StoreIdentifier) throws {
        _ = try answer(LockStore(store)).get()
    }

    func isEndorsed(
        _ digest: [UInt8], _ endorsement: Endorsement, haveTrust: Bool = false, in store: StoreIdentifier
    ) throws -> Bool {
        try answer(CheckEndorsement(endorsement, of: digest, haveTrust: haveTrust, in: store)).get().isEndorsed
    }

    func destroyKeys(_ ids: [UInt32], in store: StoreIdentifier) throws {
        _ = try answer(DestroyKeys(ids, in: store)).get()
    }
}
