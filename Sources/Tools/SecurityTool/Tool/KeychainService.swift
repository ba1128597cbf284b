import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineTrustSettings

/// What commands ask of the Keychain; ``KeychainClient`` in the program, a stand-in where tests want a certain answer.
package protocol KeychainService: FileKeychainService, TrustSettingsService {
    var deployment: Deployment { get throws(KeychainError) }
    func listAll(_ query: ItemQuery, passcode: SecretBytes) throws(KeychainError) -> [FoundItem]
    func add(_ item: NewItem) throws(KeychainError) -> FoundItem
    func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError)
    func delete(_ query: ItemQuery) throws(KeychainError)
    /// What is in a file of keys and certificates.
    ///
    /// - Parameter question: of a dialog that asks for its passphrase; nil for none.
    func read(_ file: ExternalFile, asking question: OperationPrompt?) throws(KeychainError) -> ExternalContent
    /// A file with these things in it.
    func write(_ order: ExternalOrder, asking question: OperationPrompt?) throws(KeychainError) -> SecretBytes
    /// What is in a message of CMS.
    func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent
    /// A message of CMS; without a signature, what has to be signed for it.
    func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes
    /// Has something done with a private key of the data protection keychain; what came of it.
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
    /// By what a person could show that they are there; takes seconds where a reader does not answer.
    func authentication() throws(KeychainError) -> AuthenticationReport
    func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport
    func settings(_ command: SettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> DeviceSettings
    /// With a passcode for each part of the command.
    func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport
}

extension KeychainService {
    /// Those commands that take no passcode.
    func applications(_ command: ApplicationCommand) throws(KeychainError) -> [ApplicationDecision] {
        try applications(command, passcode: nil)
    }

    func teams(_ command: TeamCommand) throws(KeychainError) -> [TeamDescription] { try teams(command, passcode: nil) }

    func snapshots(_ command: SnapshotCommand) throws(KeychainError) -> [SnapshotRecord] {
        try snapshots(command, passcode: nil)
    }
}

extension KeychainClient: KeychainService {}
