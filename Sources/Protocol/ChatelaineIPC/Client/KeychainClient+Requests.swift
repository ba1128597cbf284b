import ChatelaineMemory
import ChatelaineModel

/// Whatever sends requests: the client, or a session for which the daemon remembers something.
package protocol KeychainCalling: Sendable {
    /// Sends one request and returns the values after the header of its reply.
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

    /// Has a private key made and stored, and returns its item.
    package func makeKey(_ pair: NewKeyPair) throws(KeychainError) -> FoundItem { try call(MakeKey(pair)) }

    /// Has a private key used, and returns the result.
    package func useKey(_ use: KeyUsage) throws(KeychainError) -> SecretBytes { try call(UseKey(use)).bytes }

    /// Has a private key made that is not stored: this program keeps it.
    package func makeDetachedKey(_ item: NewItem) throws(KeychainError) -> DetachedKeyReply {
        try call(MakeDetachedKey(item))
    }

    /// The public half of a key that this program keeps.
    package func readDetachedKey(_ bytes: [UInt8]) throws(KeychainError) -> DetachedKeyReply {
        try call(ReadDetachedKey(bytes))
    }

    /// Has a key used that this program keeps, and returns the result.
    package func useDetachedKey(_ use: DetachedKeyUsage) throws(KeychainError) -> SecretBytes {
        try call(UseDetachedKey(use)).bytes
    }
}

/// Requests that only the client sends.
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

    /// Makes or lists decisions about programs, and returns the records that the decision concerns.
    ///
    /// - Parameter passcode: needed for a decision where the user has a passcode.
    package func applications(
        _ command: ApplicationCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [ApplicationDecision] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Makes or lists decisions about teams, and returns the teams that the decision concerns.
    package func teams(_ command: TeamCommand, passcode: SecretBytes? = nil) throws(KeychainError) -> [TeamDescription]
    {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Moves the items of a program to the group of its identifier, or back.
    package func adopt(_ request: AdoptItems, passcode: SecretBytes? = nil) throws(KeychainError) -> AdoptionReport {
        try present(PasscodeProtected(request, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Who the program at a path is, and why.
    package func application(at path: String) throws(KeychainError) -> ApplicationDescription {
        try call(ShowApplication(path: path))
    }

    /// What this program's signature says about it.
    package func entitlements() throws(KeychainError) -> OwnEntitlements { try call(ReadEntitlements()) }

    /// How access objects list the program at a path; nil for this program.
    package func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication {
        try call(ReadTrustedApplication(path: path))
    }

    // MARK: Files of keys and certificates

    /// What a file of keys and certificates contains.
    ///
    /// - Parameter question: the text for the person who is asked for the passphrase; nil where nobody is to be asked.
    package func read(
        _ file: ExternalFile, asking question: OperationPrompt? = nil
    ) throws(KeychainError) -> ExternalContent { try call(ReadExternalFile(file, asking: question)) }

    /// The bytes of a file that contains these keys and certificates.
    package func write(
        _ order: ExternalOrder, asking question: OperationPrompt? = nil
    ) throws(KeychainError) -> SecretBytes { try call(WriteExternalFile(order, asking: question)).bytes }

    /// What a CMS message contains.
    package func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent { try call(ReadCMSMessage(message)) }

    /// The bytes of a CMS message; for an order without a signature, the bytes to be signed.
    package func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes {
        try call(WriteCMSMessage(order)).bytes
    }

    // MARK: Store

    /// Lists, takes, restores or deletes snapshots, and returns those that the command concerns.
    ///
    /// - Parameter passcode: needed to restore or delete where the user has a passcode.
    package func snapshots(
        _ command: SnapshotCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [SnapshotRecord] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    /// Verifies the next part of the store, or of a file keychain.
    ///
    /// A check begins at position 0, and goes on where the step before says.
    package func check(position: UInt64, keychain: String? = nil) throws(KeychainError) -> CheckStep {
        try call(CheckStore(position: position, keychain: keychain))
    }

    /// Reads or acknowledges what is missing from the store, or from a file keychain; returns the state before.
    package func losses(_ command: LossCommand) throws(KeychainError) -> LossSummary { try call(command) }

    // MARK: Device

    /// The ways in which a person could show their presence; takes seconds where a reader does not answer.
    package func authentication() throws(KeychainError) -> AuthenticationReport { try call(ReadAuthentication()) }

    /// Reads the state of passcode and keys, or locks the keys; returns the resulting state.
    package func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport { try call(command) }

    /// Carries out a command that needs passcodes, one for each part of the command.
    package func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport {
        try present(command, passcodes)
    }

    /// Reads or changes the user's settings, and returns the resulting ones.
    ///
    /// - Parameter passcode: needed for a change where the user has a passcode.
    package func settings(
        _ command: SettingsCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> DeviceSettings {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    // MARK: Certificates

    /// What the certificates (DER) contain, in their order.
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

    /// Reads or changes the user's trust settings, and returns all settings that result.
    package func trustSettings(
        _ command: TrustSettingsCommand, passcode: SecretBytes? = nil
    ) throws(KeychainError) -> [TrustSetting] {
        try present(PasscodeProtected(command, hasPasscode: passcode != nil), passcode.map { [$0] } ?? [])
    }

    // MARK: Keychains

    /// Carries out a command that needs the passwords of a file keychain, one for each part of the command.
    package func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport {
        if case .create(let path) = command, try isElsewhere(path) {
            return try create(elsewhere: path) { () throws(KeychainError) in try present(command, passwords) }
        }
        return try present(command, passwords)
    }

    /// Replaces the login keychain by an empty one; returns the path of the former one, where there was one.
    package func resetKeychains(password: SecretBytes) throws(KeychainError) -> String? {
        try present(ResetKeychains(), [password]).paths.first
    }

    /// The state of a file keychain.
    package func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState {
        try call(ReadKeychainState(path: path.text))
    }
}
