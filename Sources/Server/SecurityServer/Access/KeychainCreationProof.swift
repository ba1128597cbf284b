import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import FileKeychains
import Glibc

/// Makes a file keychain with the typed password, or with the passcode where that becomes the password.
///
/// After the wait ``isDone`` tells the request that there is nothing left to do.
final class KeychainCreationProof: PasscodeChecking {
    let path: KeychainPath
    private let keychains: FileKeychainRegistry
    private let passcode: PasscodeOfStore?
    private let lent: LentFile?
    private let whenMade: @Sendable () throws(KeychainError) -> Void
    private let hasMade = AdaptiveMutex(false)

    /// Makes a proof for one new keychain.
    ///
    /// - Parameters:
    ///   - passcode: checks the passcode that becomes the password; nil for a separate password.
    ///   - lent: the file of a keychain that is kept elsewhere. A person may take longer than a slot keeps the file.
    ///   - whenMade: announces the keychain, also where the caller is gone by then.
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
        // Both the check and the creation read their pipe to its end.
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

    /// A second pipe with the same content, copied without passing through the memory of this process.
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
