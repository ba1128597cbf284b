import ChatelaineMemory
import ChatelaineModel

/// Whoever puts requests: the client, or a session that the daemon remembers something of.
package protocol KeychainCalling: Sendable {
    /// Puts one request and gives back what follows the header of its reply.
    func call<Message: RequestMessage>(_ request: Message) throws(KeychainError) -> Message.Reply
}

/// Requests about items, under the names by which programs know them.
extension KeychainCalling {
    /// The items that a query describes; at least one, or `errSecItemNotFound`.
    package func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        let items = try call(FindItems(query))
        guard !items.isEmpty else { throw KeychainError(.itemNotFound, "no item matches") }
        return items
    }

    /// Stores an item and gives it back with what `item.returns` asks for.
    package func add(_ item: NewItem) throws(KeychainError) -> FoundItem { try call(AddItem(item)) }

    /// Changes every item that a query describes.
    package func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError) {
        _ = try call(UpdateItems(query, change))
    }

    /// Deletes every item that a query describes.
    package func delete(_ query: ItemQuery) throws(KeychainError) { _ = try call(DeleteItems(query)) }

    /// Has a private key made and stored, and gives back its item.
    package func makeKey(_ pair: NewKeyPair) throws(KeychainError) -> FoundItem { try call(MakeKey(pair)) }

    /// Has something done with a private key; what came of it.
    package func useKey(_ use: KeyUsage) throws(KeychainError) -> SecretBytes { try call(UseKey(use)).bytes }

    /// Has a private key made that this program keeps.
    package func makeDetachedKey(_ item: NewItem) throws(KeychainError) -> DetachedKeyReply {
        try call(MakeDetachedKey(item))
    }

    /// The public half of such a key.
    package func readDetachedKey(_ bytes: [UInt8]) throws(KeychainError) -> DetachedKeyReply {
        try call(ReadDetachedKey(bytes))
    }

    /// Has something done with such a key; what came of it.
    package func useDetachedKey(_ use: DetachedKeyUsage) throws(KeychainError) -> SecretBytes {
        try call(UseDetachedKey(use)).bytes
    }
}

/// All others.
extension KeychainClient {
    // MARK: Items

    /// The items of all access groups that a query describes, without their secrets.
    package func listAll(_ query: ItemQuery, passcode: SecretBytes) throws(KeychainError) -> [FoundItem] {
        try present(ListAllItems(query), [passcode])
    }

    // MARK: Status

    /// What the daemon says about itself and about this program.
    package func status() throws(KeychainError) -> DaemonReport { try call(ReadStatus()) }

    // MARK: Applications

    /// Decides about programs, and gives back the records that the decision concerns.
    ///
    /// - Parameter passcode: what a decision takes where there is one.
    package func applications(
        _ command: ApplicationCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [ApplicationDecision] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Decides about teams, and gives back those that the decision concerns.
    package func teams(_ command: TeamCommand, passcode: SecretBytes? = nil) throws(KeychainError) -> [TeamDescription]
    {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Moves the items of a program to its identifier, or back.
    package func adopt(_ request: AdoptItems, passcode: SecretBytes? = nil) throws(KeychainError) -> AdoptionReport {
        try present(PasscodeProtected(request, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Who the program at a path is.
    package func application(at path: String) throws(KeychainError) -> ApplicationDescription {
        try call(ShowApplication(path: path))
    }

    /// What the signature of this program says of it.
    package func entitlements() throws(KeychainError) -> OwnEntitlements { try call(ReadEntitlements()) }

    /// How access objects list the program at a path, or this one.
    package func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication {
        try call(ReadTrustedApplication(path: path))
    }

    // MARK: Files of keys and certificates

    /// What is in a file.
    ///
    /// - Parameter question: what a person is told who is asked for the passphrase; nil where nobody is to be.
    package func read(
        _ file: ExternalFile, asking question: OperationPrompt? = nil
    ) throws(KeychainError) -> ExternalContent { try call(ReadExternalFile(file, asking: question)) }

    /// A file with these things in it.
    package func write(
        _ order: ExternalOrder, asking question: OperationPrompt? = nil
    ) throws(KeychainError) -> SecretBytes { try call(WriteExternalFile(order, asking: question)).bytes }

    /// What is in a message of CMS.
    package func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent { try call(ReadCMSMessage(message)) }

    /// A message of CMS; without a signature, what has to be signed for it.
    package func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes {
        try call(WriteCMSMessage(order)).bytes
    }

    // MARK: Store

    /// Looks at, takes, restores or deletes snapshots, and gives back those that the command concerns.
    ///
    /// - Parameter passcode: what restoring and deleting take where there is one.
    package func snapshots(
        _ command: SnapshotCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [SnapshotRecord] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Verifies the next part of the store, or of a file keychain; begins at position 0, and goes on where the step before says.
    package func check(position: UInt64, keychain: String? = nil) throws(KeychainError) -> CheckStep {
        try call(CheckStore(position: position, keychain: keychain))
    }

    /// What is missing from the store, or from a file keychain, or takes note of it; gives back what it was before.
    package func losses(_ command: LossCommand) throws(KeychainError) -> LossSummary { try call(command) }

    // MARK: Device

    /// By what a person could show that they are there; takes seconds where a reader does not answer.
    package func authentication() throws(KeychainError) -> AuthenticationReport { try call(ReadAuthentication()) }

    /// How it stands with passcode and keys, or locks them; gives back what it is then.
    package func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport { try call(command) }

    /// Does what a passcode is for, with one for each part of the command.
    package func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport {
        try present(command, passcodes)
    }

    /// Shows or changes what the user has set, and gives back what it is then.
    ///
    /// - Parameter passcode: what a change takes where there is one.
    package func settings(
        _ command: SettingsCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> DeviceSettings {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    // MARK: Certificates

    /// What is in certificates (DER), in their order.
    package func read(certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] {
        let readings = try call(ReadCertificates(certificates))
        guard readings.count == certificates.count else {
            throw KeychainError(.internalComponent, "securityd answers about other certificates than were asked about")
        }
        return readings
    }

    // MARK: Trust

    /// Whether a chain of certificates is to be trusted.
    package func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict {
        try call(EvaluateTrust(question))
    }

    /// The certificates that the distribution trusts.
    package func systemRoots() throws(KeychainError) -> [[UInt8]] { try call(ReadSystemRoots()).certificates }

    /// Decides what a person trusts, and gives back all settings that there are then.
    package func trustSettings(
        _ command: TrustSettingsCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [TrustSetting] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    // MARK: Keychains

    /// Does what the password of a file keychain is for, with one for each part of the command.
    package func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport {
        if case .create(let path) = command, try isElsewhere(path) {
            return try create(elsewhere: path) { () throws(KeychainError) in try present(command, passwords) }
        }
        return try present(command, passwords)
    }

    /// Begins anew with an empty login keychain; the path of the former one, where there was one.
    package func resetKeychains(password: SecretBytes) throws(KeychainError) -> String? {
        try present(ResetKeychains(), [password]).paths.first
    }

    /// How it stands with a file keychain.
    package func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState {
        try call(ReadKeychainState(path: path.text))
    }
}
