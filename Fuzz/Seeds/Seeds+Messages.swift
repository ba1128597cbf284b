import AgentProtocol
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FetchProtocol
import FormatProtocol
import TrustProtocol

extension Seeds {
    static let externalItems: [ExternalItem] = {
        var certificate = ExternalItem(.certificate(der: [0x30, 0], key: [4]), label: "one", keyID: [1])
        certificate.issuer = 0
        return [
            certificate, ExternalItem(.privateKey(.ec, SecretBytes([4, 1]))),
            ExternalItem(.sessionKey(SecretBytes([7]))),
        ]
    }()
    static let cmsMessage = CMSMessage(
        SecretBytes([0x30, 0]), content: SecretBytes([1]), certificates: [[0x30, 0]],
        key: CMSKey(of: 1, SecretBytes([2])))
    static let cmsOrder = CMSOrder(
        SecretBytes([1]),
        .sign(
            {
                var signing = CMSSigning([0x30, 0], .sha256)
                (signing.others, signing.signingTime, signing.signature) = ([[0x30, 0]], 7, [1])
                return signing
            }()))
    static let cmsContent = {
        var content = CMSContent(.signed)
        (content.content, content.certificates) = (SecretBytes([1]), [[0x30, 0]])
        content.signers = [CMSSigner(.good, certificate: [0x30, 0], digest: .sha256, signingTime: 7)]
        content.recipients = [CMSRecipient(1, certificate: 0, .agreement, digest: .sha1, encrypted: [1])]
        return content
    }()
    static let externalFile = ExternalFile(
        SecretBytes([0x30, 0]), format: .pkcs12, kind: .aggregate, passphrase: SecretBytes([5]))
    static let externalOrder = ExternalOrder(
        externalItems, format: .pkcs12, isArmoured: true, passphrase: SecretBytes([5]))

    static let constraints = try? AccessConstraints([.devicePasscode, .biometryCurrentSet, .or])

    static let query: ItemQuery = {
        var query = ItemQuery(itemClass: .internetPassword)
        query.attributes = attributes
        query.accessGroup = "group"
        query.synchronizable = .any
        query.accessibility = .afterFirstUnlock
        query.identifier = identifier
        query.host = "example.org"
        query.limit = .count(7)
        query.returns = [.data, .reference]
        query.authenticationUI = .skip
        query.leavesTombstone = false
        if let constraints { query.constraints = .exactly(constraints) }
        return query
    }()

    static let listing: ItemQuery = {
        var query = ItemQuery(itemClass: .genericPassword)
        query.items = [identifier, ItemIdentifier(Bytes16(repeating: 9))]
        query.constraints = .unconstrained
        return query
    }()

    static let inAnyCase: ItemQuery = {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("A")
        query.ignoresCase = true
        return query
    }()

    static let newItem: NewItem = {
        var item = NewItem(itemClass: .internetPassword)
        item.attributes = attributes
        item.accessGroup = "group"
        item.isSynchronizable = true
        item.accessibility = .afterFirstUnlock
        item.secret = SecretBytes([1, 2, 3])
        item.returns = [.data, .reference]
        item.authenticationUI = .fail
        item.constraints = constraints
        return item
    }()

    static let change: ItemChange = {
        var change = ItemChange()
        change.attributes = attributes
        change.accessGroup = "other"
        change.isSynchronizable = true
        change.accessibility = .always
        change.secret = SecretBytes([9])
        change.constraints = constraints
        return change
    }()

    static let foundItem = FoundItem(
        identifier: identifier, itemClass: .internetPassword, accessibility: .whenUnlocked, isSynchronizable: false,
        attributes: EncodedAttributes(attributes), secret: SecretBytes([4, 5]), constraints: constraints)

    /// The first byte of each is its kind (``MessageTarget``).
    static var messages: [Seed] {
        var seeds = requests
        seeds += enclaveMessages
        seeds += keyMessages
        seeds += [
            seed("reply", 1) {
                ReplyHeader().encode(to: &$0)
                foundItem.encode(to: &$0)
                foundItem.encode(to: &$0)
            },
            seed("format-read", 36) { FormatRequest.read(externalFile).encode(to: &$0) },
            seed("format-write", 36) { FormatRequest.write(externalOrder).encode(to: &$0) },
            seed("format-content", 37) {
                FormatReply.content(ExternalContent(format: .pkcs12, kind: .aggregate, items: externalItems)).encode(
                    to: &$0)
            },
            seed("format-message", 36) { FormatRequest.readMessage(cmsMessage).encode(to: &$0) },
            seed("format-message-order", 36) { FormatRequest.writeMessage(cmsOrder).encode(to: &$0) },
            seed("format-message-content", 37) { FormatReply.message(cmsContent).encode(to: &$0) },
            seed("format-file", 37) { FormatReply.file(SecretBytes([1])).encode(to: &$0) },
            seed("format-failure", 37) { FormatReply.failure(.damaged).encode(to: &$0) },
            seed("fetch-list", 38) { FetchRequest(url: "http://a/b")?.encode(to: &$0) },
            seed("fetch-response", 38) {
                FetchRequest(url: "http://a/", body: [0x30, 0], seconds: 3, ports: [80, 8080])?.encode(to: &$0)
            },
            seed("fetch-content", 39) { FetchReply.content([0x30, 0]).encode(to: &$0) },
            seed("fetch-failure", 39) { FetchReply.failure(.timedOut).encode(to: &$0) },
            seed("refusal", 1) { ReplyHeader(status: .param, reason: "no").encode(to: &$0) },
            seed("refusal-file", 1) {
                ReplyHeader(status: .notAvailable, reason: "no", neededFile: "/tmp/a").encode(to: &$0)
            },
            seed("refusal-authentication", 1) {
                var header = ReplyHeader(status: .userCanceled, reason: "no")
                header.authentication = .cancelledByPerson
                header.encode(to: &$0)
            },
            seed("hello", 4) { Handshake.encodeHello(to: &$0) },
            seed("nonce", 4) { Handshake.encodeNonce(identifier.bytes, to: &$0) },
            seed("challenge", 4) {
                let folder = FileIdentity(device: 66_306, inode: 1_310_723)
                Handshake.encode(.init(nonce: identifier.bytes, dataFolder: folder), to: &$0)
            },
            seed("application", 5) {
                ApplicationDecision(path: "/usr/bin/true", state: .pinned, digest: [1, 2], date: 7.5).encode(to: &$0)
            },
            seed("application-change", 5) {
                var decision = ApplicationDecision(path: "/usr/bin/true", state: .accepted, digest: [1, 2], date: 7.5)
                decision.former = [3, 4]
                decision.encode(to: &$0)
            },
            seed("snapshot", 6) {
                SnapshotRecord(
                    name: "20260102T030405Z-1", sequence: 9, date: 1e9, reason: .daily, items: 3, bytes: 4096,
                    replaced: "old"
                ).encode(to: &$0)
            },
            seed("check", 7) { check.encode(to: &$0) }, seed("check-end", 7) { CheckStep().encode(to: &$0) },
            seed("report", 8) { report.encode(to: &$0) },
            seed("losses", 11) { losses.encode(to: &$0) },
            seed("change", 12) { ChangeNotification(number: 300, keychain: .default).encode(to: &$0) },
            seed("keychain-event", 9) {
                let item = PersistentReference(itemClass: .genericPassword, identifier: identifier)
                let reference = KeychainItemReference(keychain: StoreIdentifier(Bytes16(repeating: 0x18)), item: item)
                KeychainEvent(.itemAdded, keychain: "/k/a.keychain-db", item: reference, pid: 300).encode(to: &$0)
            },
            seed("device", 13) { device.encode(to: &$0) },
            seed("matcher-order", 18) { MatcherOrder(.match, 300).encode(to: &$0) },
            seed("matcher-report", 19) {
                MatcherReport(.matched, 300, FingerEnrolment(device: "reader", fingers: ["left-thumb"])).encode(to: &$0)
            },
            seed("dialog", 16) { dialog.encode(to: &$0) },
            seed("dialog-change", 16) { changeDialog.encode(to: &$0) },
            seed("dialog-access", 16) { accessDialog.encode(to: &$0) },
            seed("dialog-reply", 17) { DialogReply.typed.encodeFrame(to: &$0) },
            seed("passcode-part", 14) { PasscodePart.new.encodeFrame(to: &$0) },
            seed("settings", 15) { settings.encode(to: &$0) },
            seed("application-description", 22) { program?.encode(to: &$0) },
            seed("team", 23) { team?.encode(to: &$0) },
            seed("keychain-password-report", 24) { passwordReport.encode(to: &$0) },
            seed("keychain-state-report", 25) { keychainState.encode(to: &$0) },
            seed("keychain-settings-reply", 32) { KeychainSettings().encode(to: &$0) },
            seed("keychain-places", 30) { KeychainPlaces(["/k/a-db", "/k/b-db"]).encode(to: &$0) },
            seed("keychain-item", 31) {
                KeychainItem(foundItem, of: keychainItem.keychain, at: "/k/a-db", isVerified: true).encode(to: &$0)
            },
            seed("attributes", 10) { attributes.encode(to: &$0) },
        ]
        return seeds + trust
    }

    static var requests: [Seed] {
        let number = RequestIdentifier(identifier.value)
        let requests: [(String, any RequestMessage)] = [
            ("find", FindItems(query)), ("add", AddItem(newItem, identifier: number)),
            ("update", UpdateItems(query, change, identifier: number)), ("find-listed", FindItems(listing)),
            ("find-in-any-case", FindItems(inAnyCase)),
            ("delete", DeleteItems(ItemQuery(itemClass: .key), identifier: number)), ("status", ReadStatus()),
            ("list-all", ListAllItems(listing)), ("app-list", ApplicationCommand.list),
            ("app-accept", ApplicationCommand.accept(path: "/usr/bin/true")),
            ("app-develop", ApplicationCommand.develop(path: "/home/me")),
            ("app-forget", ApplicationCommand.forget(path: "/")),
            ("app-forget-passcode", PasscodeProtected(ApplicationCommand.forget(path: "/"), hasPasscode: true)),
            ("app-show", ShowApplication(path: "/usr/bin/true")),
            ("app-adopt", AdoptItems(path: "/usr/bin/true", isReturn: false)), ("team-list", TeamCommand.list),
            ("entitlements-read", ReadEntitlements()),
            ("team-add", TeamCommand.add(certificate: [0x30, 0x03, 1, 1, 0], team: TeamIdentifier("ABCDE12345"))),
            ("snapshot-list", SnapshotCommand.list()),
            ("snapshot-take", SnapshotCommand.take()),
            ("snapshot-restore", SnapshotCommand.restore(name: "20260102T030405Z-1")),
            ("snapshot-delete", SnapshotCommand.delete(name: "x")),
            ("snapshot-keep", SnapshotCommand.deleteAll(kept: 3)),
            (
                "snapshot-restore-keychain",
                SnapshotCommand.restore(name: "20260102T030405Z-1", keychain: "/home/anna/ci.keychain-db")
            ),
            ("snapshot-of-keychain", SnapshotCommand.take(keychain: "/home/anna/ci.keychain-db")),
            ("verify", CheckStore(position: 77)),
            ("verify-keychain", CheckStore(position: 77, keychain: "/home/anna/ci.keychain-db")),
            ("show-losses", LossCommand.show()), ("acknowledge-losses", LossCommand.acknowledge()),
            ("keychain-losses", LossCommand.show(keychain: "/home/anna/ci.keychain-db")),
            ("subscribe", SubscribeToChanges()), ("subscribe-to-keychain-events", SubscribeToKeychainEvents()),
            ("device-state", DeviceCommand.state),
            ("device-lock", DeviceCommand.lock), ("device-unlock", PasscodeCommand.unlock),
            ("device-login", PasscodeCommand.logIn),
            ("device-change", PasscodeCommand.change), ("settings-show", SettingsCommand.show),
            ("settings-idle", SettingsCommand.setIdleTimeout(900)),
            ("begin-authentication", BeginAuthentication(reuse: 10)), ("authentication-report", ReadAuthentication()),
            ("application-password", SetApplicationPassword(isPresent: true)),
            ("keychain-create", KeychainPasswordCommand.create(path: "/home/me/keychains/a.keychain-db")),
            ("keychain-unlock", KeychainPasswordCommand.unlock(path: "/k/a-db")),
            ("keychain-change", KeychainPasswordCommand.change(path: "/k/a-db")),
            ("keychain-lock", KeychainCommand.lock(path: "/k/a-db")), ("keychain-lock-all", KeychainCommand.lockAll),
            ("keychain-delete", KeychainCommand.delete(path: "/k/a-db")),
            ("keychain-state", ReadKeychainState(path: "/k/a-db")),
            ("keychain-settings", ReadKeychainSettings(path: "/k/a-db")),
            ("keychain-settings-set", SetKeychainSettings(path: "/k/a-db", to: KeychainSettings())),
            ("keychains-reset", ResetKeychains()),
            ("keychain-ask-new", KeychainQuestion.create(path: "/k/a-db")),
            ("keychain-ask-unlock", KeychainQuestion.unlock(path: "/k/a-db")),
            ("keychain-preference", ReadKeychainPreference(.defaultKeychain, of: .user)),
            (
                "keychain-preference-set",
                SetKeychainPreference(.searched, of: .user, to: ["/k/a-db", "login.keychain"])
            ),
            ("keychain-file", LendKeychain(path: "/tmp/build/ci.keychain-db")),
            ("trusted-application", ReadTrustedApplication(path: "/usr/bin/true")),
            ("trusted-application-own", ReadTrustedApplication(path: nil)),
            ("evaluate-trust", EvaluateTrust(TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.ssl, name: "a")]))),
            ("system-roots", ReadSystemRoots()), ("trust-list", TrustSettingsCommand.list(.admin)),
            ("trust-set", TrustSettingsCommand.set(certificate: [0x30, 0], [TrustConstraint(.deny, policy: .ssl)])),
            ("trust-remove", TrustSettingsCommand.remove(certificate: [0x30, 0])),
            ("trust-remove-all", TrustSettingsCommand.removeAll),
            (
                "trust-replace",
                TrustSettingsCommand.replace([
                    TrustSetting(certificate: [0x30, 0], subject: [], summary: "", modified: 7)
                ])
            ),
            ("read-certificates", ReadCertificates([[0x30, 0], [0x30, 1]])),
            ("external-file", ReadExternalFile(externalFile)), ("external-order", WriteExternalFile(externalOrder)),
            ("external-file-asked", ReadExternalFile(externalFile, asking: OperationPrompt("Backup: its passphrase"))),
            ("cms-message", ReadCMSMessage(cmsMessage)), ("cms-order", WriteCMSMessage(cmsOrder)),
            (
                "evaluate-policy",
                EvaluatePolicy(
                    .deviceOwnerAuthentication,
                    AuthenticationQuestion(reason: OperationPrompt("sign in"), cancelTitle: OperationPrompt("Not now")))
            ),
            (
                "evaluate-access-control",
                EvaluateAccessControl(
                    AccessConstraints(), for: .useItem, AuthenticationQuestion(reason: OperationPrompt("sign in")))
            ),
        ]
        return (requests + keychainItemRequests + keyRequests).map { name, request in
            seed(name, 0) { request.encode(to: &$0) }
        }
    }
}
