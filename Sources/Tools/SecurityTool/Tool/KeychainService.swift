import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineTrustSettings

/// The operations of the Keychain for commands; ``KeychainClient`` implements them, and tests use a substitute.
package protocol KeychainService: FileKeychainService, TrustSettingsService {
    var deployment: Deployment { get throws(KeychainError) }
    func listAll(_ query: ItemQuery, passcode: SecretBytes) throws(KeychainError) -> [FoundItem]
    func add(_ item: NewItem) throws(KeychainError) -> FoundItem
    func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError)
    func delete(_ query: ItemQuery) throws(KeychainError)
    /// The content of a file of keys and certificates.
    ///
    /// - Parameter question: the dialog that asks for its passphrase; nil for none.
    func read(_ file: ExternalFile, asking question: OperationPrompt?) throws(KeychainError) -> ExternalContent
    /// Makes a file of keys and certificates.
    func write(_ order: ExternalOrder, asking question: OperationPrompt?) throws(KeychainError) -> SecretBytes
    /// The content of a CMS message.
    func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent
    /// Makes a CMS message; without a signature, returns the bytes to sign.
    func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes
    /// Uses a private key of the data protection keychain; returns the result.
    func useKey(_ use: KeyUsage) throws(KeychainError) -> SecretBytes
    func status() throws(KeychainError) -> DaemonReport
    func applications(
        _ command: ApplicationCommand, passcode: SecretBytes?
    ) throws(KeychainError) -> [ApplicationDecision]
    func teams(_ command: TeamCommand, passcode: SecretBytes?) throws(KeychainError) -> [TeamDescription]
    func application(at path: String) throws(KeychainError) -> ApplicationDescription
    func adopt(_ request: AdoptItems, passcode: SecretBytes?) throws(KeychainError) -> AdoptionReport
    func snapshots(_ command: SnapshotCommand, passcode: SecretBytes?) throws(KeychainError) -> [SnapshotRecord]
    /// - Parameter keychain: the path of a file keychain; nil for the data protection keychain.
    func check(position: UInt64, keychain: String?) throws(KeychainError) -> CheckStep
    func losses(_ command: LossCommand) throws(KeychainError) -> LossSummary
    /// The ways to show presence; takes seconds if a reader does not answer.
    func authentication() throws(KeychainError) -> AuthenticationReport
    func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport
    func settings(_ command: SettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> DeviceSettings
    /// Runs a command, with a passcode for each of its parts.
    func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport
}

extension KeychainService {
    /// Runs a command that takes no passcode.
    func applications(_ command: ApplicationCommand) throws(KeychainError) -> [ApplicationDecision] {
        try applications(command, passcode: nil)
    }

    func teams(_ command: TeamCommand) throws(KeychainError) -> [TeamDescription] { try teams(command, passcode: nil) }

    func snapshots(_ command: SnapshotCommand) throws(KeychainError) -> [SnapshotRecord] {
        try snapshots(command, passcode: nil)
    }
}

extension KeychainClient: KeychainService {}
