import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import FileKeychains
import Glibc

/// Makes a file keychain with the password that was typed; or with the passcode, where that is to be it.
///
/// A request that comes back from its wait is told by ``isDone`` that there is nothing left to do.
final class KeychainCreationProof: PasscodeChecking {
    let path: KeychainPath
    private let keychains: FileKeychainRegistry
    private let passcode: PasscodeOfStore?
    private let lent: LentFile?
    private let whenMade: @Sendable () throws(KeychainError) -> Void
    private let hasMade = AdaptiveMutex(false)

    /// - Parameters:
    ///   - passcode: what looks at the passcode that becomes the password; nil for a password of its own.
    ///   - lent: its file, where it lies elsewhere: a person may take longer than a slot keeps it.
    ///   - whenMade: makes it known, also where whoever asked is gone by then.
    init(
        keychains: FileKeychainRegistry, path: KeychainPath, passcode: PasscodeOfStore? = nil, lent: LentFile? = nil,
        whenMade: @escaping @Sendable () throws(KeychainError) -> Void
    ) {
        self.keychains = keychains
        self.path = path
        self.passcode = passcode
        self.lent = lent
        self.whenMade = whenMade
    }

    var isDone: Bool { hasMade.withLock { $0 } }

    func standing() throws(KeychainError) -> PasscodeStanding { try passcode?.standing() ?? PasscodeStanding() }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        guard let passcode else { return try make(pipe) }
        // The custodian reads either of them to its end.
        let copy = try Self.copy(of: pipe)
        defer { withExtendedLifetime(copy) {} }
        let verdict = try passcode.check(pipe)
        guard case .right = verdict else { return verdict }
        return try make(copy.number)
    }

    private func make(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            if let lent { keychain.lend(lent) }
            _ = try keychain.create(password: pipe)
        }
        hasMade.withLock { $0 = true }
        try whenMade()
        return .right
    }

    /// Another pipe with the same inside, which passes through no memory of this process.
    private static func copy(of pipe: Int32) throws(KeychainError) -> AgentDialog.ReadingEnd {
        var ends: [Int32] = [-1, -1]
        guard chatelaine_pipe(&ends) == 0 else { throw KeychainError(system: errno, "a pipe") }
        let reading = AgentDialog.ReadingEnd(ends[0])
        let writing = Descriptor(ends[1])
        guard chatelaine_tee(pipe, writing.number, AgentWire.maximumTypedBytes) >= 0 else {
            throw KeychainError(system: errno, "copying a pipe")
        }
        return reading
    }
}
