import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// An instance of each request, at least.
extension RequestTests {
    static var query: ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("a")
        query.accessGroup = "g"
        return query
    }

    static var item: NewItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.account] = .text("a")
        item.secret = SecretBytes([1, 2])
        item.accessGroup = "g"
        return item
    }

    private static let team: TeamIdentifier = {
        guard let team = TeamIdentifier("ABCDE12345") else { preconditionFailure("no team") }
        return team
    }()

    static let reference = KeychainItemReference(
        keychain: StoreIdentifier(),
        item: PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier())
    )

    static let scope = KeychainScope(paths: ["/k/a-db", "/k/b-db"], items: [reference])

    static var requests: [any RequestMessage] {
        var change = ItemChange()
        change.secret = SecretBytes([3])
        var guardedItem = item
        guardedItem.access = .default(descriptor: "a", trusted: [])
        var inAnyCase = query
        inAnyCase.ignoresCase = true
        var privateKey = NewItem(itemClass: .key)
        privateKey.keyKind = .ec
        privateKey.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        var usage = KeyUsage(ItemIdentifier(), .agree(algorithm: "a", with: [4], size: 32, info: [1]))
        usage.authenticationUI = .fail
        usage.prompt = OperationPrompt("sign")
        var detached = DetachedKeyUsage([3, 4], usage.task)
        (detached.authenticationUI, detached.prompt) = (.fail, usage.prompt)
        var chain = TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.basic)])
        (chain.stored, chain.options) = ([[1], [2, 3]], .implicitAnchors)
        return [
            MakeKey(NewKeyPair(kind: .aes, bits: 256, privateKey: privateKey)),
            MakeKey(NewKeyPair(kind: .rsa, bits: 2048, privateKey: privateKey, publicKey: item)),
            UseKey(usage), UseKey(KeyUsage(ItemIdentifier(), .sign(algorithm: "a", [1, 2]))),
            UseKey(KeyUsage(ItemIdentifier(), .decrypt(algorithm: "b", []))),
            UseKey(KeyUsage(ItemIdentifier(), .export)), UseKey(KeyUsage(ItemIdentifier(), .unwrap([3]))),
            AddItem(privateKey), UseKey(KeyUsage(ItemIdentifier(), .wrap(SecretBytes([1])))),
            MakeKeychainKey(NewKeyPair(kind: .ec, bits: 256, privateKey: privateKey), in: nil),
            MakeKeychainKey(
                NewKeyPair(kind: .ec, bits: 256, privateKey: privateKey, publicKey: guardedItem), in: "/k/a-db"),
            UseKeychainKey(usage, in: scope),
            MakeDetachedKey(privateKey), ReadDetachedKey([1, 2]), UseDetachedKey(detached),
            UseDetachedKey(DetachedKeyUsage([], .sign(algorithm: "a", [1, 2]))),
            FindItems(query), FindItems(inAnyCase), AddItem(item), UpdateItems(query, change), DeleteItems(query),
            ListAllItems(query),
            ReadStatus(),
            PasscodeProtected(ApplicationCommand.list, hasPasscode: false),
            PasscodeProtected(ApplicationCommand.accept(path: "/a"), hasPasscode: true),
            PasscodeProtected(ApplicationCommand.develop(path: "/b"), hasPasscode: true),
            PasscodeProtected(ApplicationCommand.forget(path: ""), hasPasscode: false),
            PasscodeProtected(TeamCommand.list, hasPasscode: false),
            PasscodeProtected(TeamCommand.add(certificate: [1, 2], team: nil), hasPasscode: true),
            PasscodeProtected(TeamCommand.add(certificate: [3], team: team), hasPasscode: false),
            PasscodeProtected(TeamCommand.remove(team), hasPasscode: true), ShowApplication(path: "/a"),
            ReadEntitlements(),
            PasscodeProtected(AdoptItems(path: "/a", isReturn: false), hasPasscode: false),
            PasscodeProtected(AdoptItems(path: "/a", isReturn: true), hasPasscode: true),
            PasscodeProtected(SnapshotCommand.list(), hasPasscode: false),
            PasscodeProtected(SnapshotCommand.take(), hasPasscode: false),
            PasscodeProtected(SnapshotCommand.restore(name: "a"), hasPasscode: true),
            PasscodeProtected(SnapshotCommand.delete(name: "b"), hasPasscode: false),
            PasscodeProtected(SnapshotCommand.deleteAll(kept: 2), hasPasscode: true),
            PasscodeProtected(SnapshotCommand.list(keychain: "/k/a-db"), hasPasscode: false),
            PasscodeProtected(SnapshotCommand.take(keychain: "/k/a-db"), hasPasscode: false),
            PasscodeProtected(SnapshotCommand.delete(name: "b", keychain: "/k/a-db"), hasPasscode: true),
            PasscodeProtected(SnapshotCommand.deleteAll(kept: 0, keychain: "/k/a-db"), hasPasscode: true),
            CheckStore(position: 0), CheckStore(position: 1 << 40), CheckStore(position: 7, keychain: "/k/a-db"),
            LossCommand.show(), LossCommand.acknowledge(), LossCommand.show(keychain: "/k/a-db"),
            LossCommand.acknowledge(keychain: ""),
            SubscribeToChanges(), SubscribeToKeychainEvents(), DeviceCommand.state, DeviceCommand.lock,
            PasscodeProtected(SettingsCommand.show, hasPasscode: false),
            PasscodeProtected(SettingsCommand.setIdleTimeout(0), hasPasscode: true),
            PasscodeProtected(SettingsCommand.setIdleTimeout(.max), hasPasscode: false),
            BeginAuthentication(), BeginAuthentication(reuse: 300), ReadAuthentication(),
            SetApplicationPassword(isPresent: true),
            SetApplicationPassword(isPresent: false),
            EvaluatePolicy(.deviceOwnerAuthentication, AuthenticationQuestion(reason: OperationPrompt("pay"))),
            EvaluatePolicy(
                .deviceOwnerAuthenticationWithBiometrics,
                AuthenticationQuestion(
                    reason: OperationPrompt(""), allowsInteraction: false, cancelTitle: OperationPrompt("No"),
                    fallbackTitle: OperationPrompt(""))),
            EvaluateAccessControl(
                AccessConstraints(), for: .useKeyKeyExchange, AuthenticationQuestion(reason: OperationPrompt("x"))),
            KeychainPasswordCommand.create(path: "/k/a-db"), KeychainPasswordCommand.unlock(path: "/k/b-db"),
            KeychainPasswordCommand.change(path: ""), KeychainCommand.lock(path: "/k/a-db"), KeychainCommand.lockAll,
            KeychainCommand.delete(path: "/k/ä-db"), ReadKeychainState(path: "/k/a-db"),
            FindKeychainItems(query, in: KeychainScope()), FindKeychainItems(query, in: scope),
            AddKeychainItem(guardedItem, to: nil), AddKeychainItem(item, to: "/k/a-db"),
            UpdateKeychainItems(query, change, in: scope),
            DeleteKeychainItems(query, in: scope, asksPerson: true),
            DeleteKeychainItems(query, in: scope, asksPerson: false), ReadItemAccess(reference, in: "/k/a-db", .fail),
            SetItemAccess(.open, of: reference, in: "/k/a-db"),
            SetItemAccessWithPassword([ItemAccess(.open, of: reference)], in: "/k/a-db"),
            ReadKeychainSettings(path: "/k/a-db"), ReadKeychainSettings(path: "/k/a-db", .fail),
            SetKeychainSettings(path: "/k/a-db", to: KeychainSettings(), .fail),
            ResetKeychains(), KeychainQuestion.create(path: "/k/a-db"), KeychainQuestion.unlock(path: "/k/ä-db"),
            LendKeychain(path: "/tmp/build/ci.keychain-db"),
            ReadTrustedApplication(path: nil), ReadTrustedApplication(path: "/usr/bin/true"),
            EvaluateTrust(TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.ssl, isClient: true, name: "a")])),
            EvaluateTrust(chain), ReadSystemRoots(),
            PasscodeProtected(TrustSettingsCommand.list(.user), hasPasscode: false),
            PasscodeProtected(
                TrustSettingsCommand.set(
                    certificate: [1], [TrustConstraint(), TrustConstraint(.deny, allowedError: -1)]),
                hasPasscode: true),
            PasscodeProtected(TrustSettingsCommand.remove(certificate: [2]), hasPasscode: false),
            PasscodeProtected(TrustSettingsCommand.removeAll, hasPasscode: false),
            PasscodeProtected(
                TrustSettingsCommand.replace([
                    TrustSetting(
                        certificate: [0x30, 0], subject: [], summary: "", constraints: [TrustConstraint(.deny)],
                        modified: 7)
                ]), hasPasscode: true),
            ReadCertificates([]), ReadCertificates([[0x30, 0], []]),
            ReadExternalFile(ExternalFile(SecretBytes([1]), format: .pkcs12, passphrase: SecretBytes([]))),
            WriteExternalFile(ExternalOrder([ExternalItem(.publicKey(.ec, [4]))], format: .openSSL, isArmoured: true)),
            ReadExternalFile(ExternalFile(SecretBytes([1])), asking: OperationPrompt("Backup: its passphrase")),
            WriteExternalFile(
                ExternalOrder([ExternalItem(.publicKey(.ec, [4]))], format: .pkcs12), asking: OperationPrompt("")),
            ReadCMSMessage(CMSMessage(SecretBytes([1]), content: SecretBytes([]), certificates: [[0x30, 0]])),
            WriteCMSMessage(CMSOrder(SecretBytes([1]), .envelop([[0x30, 0]]))),
        ] + preferences + PasscodeCommand.allCases
    }

    /// The requests for keychain preferences.
    private static var preferences: [any RequestMessage] {
        KeychainPreference.allCases.flatMap { preference -> [any RequestMessage] in
            PreferenceDomain.allCases.flatMap { domain -> [any RequestMessage] in
                [
                    ReadKeychainPreference(preference, of: domain),
                    SetKeychainPreference(preference, of: domain, to: []),
                    SetKeychainPreference(preference, of: domain, to: ["/k/a-db", "ä", "/k/a-db"]),
                ]
            }
        }
    }
}
