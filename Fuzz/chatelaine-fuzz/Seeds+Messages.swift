import AgentProtocol
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import FetchProtocol
import FormatProtocol
import Sealing
import TrustProtocol

extension Seeds {
    private static let externalItems: [ExternalItem] = {
        var certificate = ExternalItem(.certificate(der: [0x30, 0], key: [4]), label: "one", keyID: [1])
        certificate.issuer = 0
        return [
            certificate, ExternalItem(.privateKey(.ec, SecretBytes([4, 1]))),
            ExternalItem(.sessionKey(SecretBytes([7]))),
        ]
    }()
    private static let cmsMessage = CMSMessage(
        SecretBytes([0x30, 0]), content: SecretBytes([1]), certificates: [[0x30, 0]],
        key: CMSKey(of: 1, SecretBytes([2])))
    private static let cmsOrder = CMSOrder(
        SecretBytes([1]),
        .sign(
            {
                var signing = CMSSigning([0x30, 0], .sha256)
                (signing.others, signing.signingTime, signing.signature) = ([[0x30, 0]], 7, [1])
                return signing
            }()))
    private static let cmsContent = {
        var content = CMSContent(.signed)
        (content.content, content.certificates) = (SecretBytes([1]), [[0x30, 0]])
        content.signers = [CMSSigner(.good, certificate: [0x30, 0], digest: .sha256, signingTime: 7)]
        content.recipients = [CMSRecipient(1, certificate: 0, .agreement, digest: .sha1, encrypted: [1])]
        return content
    }()
    private static let externalFile = ExternalFile(
        SecretBytes([0x30, 0]), format: .pkcs12, kind: .aggregate, passphrase: SecretBytes([5]))
    private static let externalOrder = ExternalOrder(
        externalItems, format: .pkcs12, isArmoured: true, passphrase: SecretBytes([5]))

    private static let constraints = try? AccessConstraints([.devicePasscode, .biometryCurrentSet, .or])

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

    private static let listing: ItemQuery = {
        var query = ItemQuery(itemClass: .genericPassword)
        query.items = [identifier, ItemIdentifier(Bytes16(repeating: 9))]
        query.constraints = .unconstrained
        return query
    }()

    private static let inAnyCase: ItemQuery = {
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

    private static let item = FoundItem(
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
                item.encode(to: &$0)
                item.encode(to: &$0)
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
            seed("hello", 4) { Handshake.encodeHello(to: &$0) },
            seed("nonce", 4) { Handshake.encodeNonce(identifier.bytes, to: &$0) },
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
                KeychainItem(item, of: keychainItem.keychain, at: "/k/a-db", isVerified: true).encode(to: &$0)
            },
            seed("attributes", 10) { attributes.encode(to: &$0) },
        ]
        return seeds + trust
    }

    private static var trust: [Seed] {
        guard let team = TeamIdentifier("TEAM123456"), let digest = Bytes32([UInt8](repeating: 7, count: 32)) else {
            return []
        }
        let anchor = TeamAnchor(owner: TeamOwner(team: team, anchorKey: digest), certificate: [0x30, 0])
        let question = SignatureQuestion(
            signature: Array("a.b.c".utf8), digest: ExecutableDigest(digest), anchor: anchor, now: 1)
        let claims = SignedClaims(
            owner: anchor.owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a"],
            applicationGroups: ["group"], entitlements: Array("{}".utf8), validFrom: 1, validUntil: 2,
            certificates: [digest, digest], keys: [digest, digest])
        let report = AnchorReport(anchor: anchor, subject: "CN=A", validFrom: 1, validUntil: 2)
        let requests: [(String, TrustRequest)] = [
            ("trust-signature", .signature(question)),
            ("trust-anchor", .anchor(AnchorQuestion(file: [0x30], team: team, now: 1))),
            ("trust-certificates", .certificates([[0x30, 0], [0x30, 1]])), ("trust-names", .names([[0x30, 0]])),
        ]
        let replies: [(String, TrustReply)] = [
            ("trust-claims", .verdict(.claims(claims))), ("trust-needs", .verdict(.needsAnchor(team))),
            ("trust-defect", .verdict(.defect(.expired, detail: "why"))), ("trust-report", .report(report)),
            ("trust-unsuitable", .unsuitable("why")), ("trust-names-answer", .names([[1], []])),
            ("trust-readings", .readings([.report(certificate), .flaw("why")])),
        ]
        return requests.map { name, request in seed(name, 20) { request.encode(to: &$0) } }
            + replies.map { name, reply in seed(name, 21) { reply.encode(to: &$0) } }
    }

    private static var certificate: CertificateReport {
        let name = CertificateName(
            encoded: [0x30, 0], normalized: [], parts: [.init(identifier: "2.5.4.3", text: "A")])
        let key = CertificateKey(
            algorithm: "1.2.840.10045.2.1", kind: .p256, bits: 256, representation: [4, 1, 2],
            hash: [UInt8](repeating: 1, count: CertificateKey.hashBytes))
        var report = CertificateReport(
            version: 3, serialNumber: [1, 2], signatureAlgorithm: "1.2.3", issuer: name, subject: name, notBefore: 0,
            notAfter: 1, key: key, alternativeNames: [AlternativeName(.host, "a.example")],
            extensions: [CertificateExtension(identifier: "2.5.29.19", isCritical: true, value: [0x30, 0])])
        (report.subjectKeyIdentifier, report.authorityKeyIdentifier) = ([1], [2])
        (report.keyUsage, report.purposes) = (5, ["1.3.6.1.5.5.7.3.1"])
        report.authority = .init(isAuthority: true, pathLength: 1)
        return report
    }

    private static var check: CheckStep {
        var step = CheckStep()
        step.next = 5
        step.rows = 4
        step.total = 8
        step.structure = ["row 1 missing from index items_uuid"]
        step.findings = [.init(item: identifier, itemClass: .genericPassword, reason: .secret, outcome: .replaced)]
        return step
    }

    private static var losses: LossSummary {
        var losses = LossSummary()
        losses.missing = LossSummary.Missing(changes: 6, since: 3, sinceDate: 8e8, lost: 1, restored: 2, setAside: 4)
        losses.total = 1
        losses.setAside = [
            .init(item: identifier, itemClass: .key, reason: .secret, date: 8e8, attributes: attributes)
        ]
        return losses
    }

    private static var report: DaemonReport {
        var report = DaemonReport()
        report.add("store.items", 12)
        report.add("caller.path", "/usr/bin/true")
        return report
    }

    private static let digest = Bytes32([UInt8](repeating: 7, count: Bytes32.count))

    private static var program: ApplicationDescription? {
        guard let digest else { return nil }
        var program = ApplicationDescription(path: "/usr/bin/true", state: .signed, digest: digest)
        program.groups = [
            .init("ABCDE12345.mail", from: .keychainGroups), .init("group.mail", from: .applicationGroups),
        ]
        var signature = ApplicationDescription.Signature(path: "/opt/example.codesig")
        signature.team = TeamIdentifier("ABCDE12345")
        (signature.anchorKey, signature.origin, signature.validUntil) = (digest, .root, 1_800_000_000)
        signature.identifier = "ABCDE12345.mail"
        program.signature = signature
        program.adoption = .init(group: "ABCDE12345.mail", date: 1_800_000_000)
        program.change = .init(former: digest, digest: digest, date: 1_800_000_000)
        return program
    }

    private static var team: TeamDescription? {
        guard let identifier = TeamIdentifier("ABCDE12345") else { return nil }
        var team = TeamDescription(team: identifier, origin: .person)
        (team.anchorKey, team.subject, team.validUntil) = (digest, "OU=ABCDE12345", 1_800_000_000)
        return team
    }

    private static var device: DeviceReport {
        var report = DeviceReport()
        report.outcome = .delayed
        report.state = .locked
        report.hasPasscode = true
        report.failures = 7
        report.delay = 900_000
        report.memory = 65_536
        report.passes = 3
        return report
    }

    private static var passwordReport: KeychainPasswordReport {
        var report = KeychainPasswordReport()
        report.outcome = .wrong
        report.failures = 6
        report.delay = 60_000
        return report
    }

    private static var keychainState: KeychainState {
        var state = KeychainState()
        state.isUnlocked = true
        state.mayLackChanges = true
        return state
    }

    private static var settings: DeviceSettings {
        var settings = DeviceSettings()
        settings.idleTimeout = 900
        return settings
    }

    private static var requests: [Seed] {
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
            ("app-forget-passcode", Guarded(ApplicationCommand.forget(path: "/"), hasPasscode: true)),
            ("app-show", ShowApplication(path: "/usr/bin/true")),
            ("app-adopt", AdoptItems(path: "/usr/bin/true", isReturn: false)), ("team-list", TeamCommand.list),
            ("entitlements-read", ReadEntitlements()),
            ("team-add", TeamCommand.add(certificate: [0x30, 0x03, 1, 1, 0], team: TeamIdentifier("ABCDE12345"))),
            ("snapshot-list", SnapshotCommand.list),
            ("snapshot-take", SnapshotCommand.take),
            ("snapshot-restore", SnapshotCommand.restore(name: "20260102T030405Z-1")),
            ("snapshot-delete", SnapshotCommand.delete(name: "x")),
            ("snapshot-keep", SnapshotCommand.deleteAll(kept: 3)), ("verify", CheckStore(position: 77)),
            ("show-losses", LossCommand.show), ("acknowledge-losses", LossCommand.acknowledge),
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

    private static var enclaveMessages: [Seed] {
        let context = RowContext(
            store: StoreIdentifier(identifier.value), row: identifier, version: 300, itemClass: .key,
            accessibility: .afterFirstUnlock,
            isSynchronizable: true, isTombstone: false, groupDigest: Bytes16(repeating: 2))
        let key = SecretBytes([UInt8](repeating: 8, count: 32))
        let wrapped = [UInt8](repeating: 6, count: 60)
        let store = StoreIdentifier(identifier.value)
        let header = KeychainHeader(
            KeychainHeader.Terms(
                store: store, parameters: .least, salt: Bytes16(repeating: 4), indexSalt: Bytes16(repeating: 5)),
            check: [UInt8](repeating: 3, count: 32), wrappedKey: wrapped)
        var constraints = AccessConstraints()
        constraints.operations = [
            .decrypt: .atLeast(1, of: [.devicePasscode, .biometryCurrentSet(Bytes16(repeating: 7))]), .encrypt: .always,
        ]
        constraints.needsApplicationPassword = true
        var constrained = context
        constrained.constraints = constraints
        let use = KeyUse(ContextReference(number: 70000, principal: Bytes16(repeating: 3)), for: .decrypt)
        let question = AccessQuestion(use, constraints, groupDigest: Bytes16(repeating: 2))
        let requests: [(String, EnclaveRequest)] = [
            ("open-store", .openStore(store, isEmpty: true)), ("close-store", .closeStore(store)),
            ("note-mark", .noteMark(store)), ("sealing-key", .metadataKeyForSealing(.always, in: store)),
            ("metadata-key", .metadataKey(id: 70000, in: store)),
            ("create-keys", .createRowKeys([context, context], in: store)),
            (
                "open-keys",
                .openRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: context)], in: store)
            ),
            ("ask-report", .report), ("open-channel", .openChannel), ("ask-sandbox", .sandbox),
            ("passcode-status", .passcodeStatus(.program(identifier.value), in: store)),
            ("set-passcode", .setPasscode(in: store)), ("change-passcode", .changePasscode(.agent, in: store)),
            ("remove-passcode", .removePasscode(.agent, in: store)), ("unlock", .unlock(.agent, in: store)),
            ("lock", .lock(store)), ("make-new-keys", .newKeys(.agent, in: store)),
            ("destroy-keys", .destroyKeys([1, 300, 70000], in: store)),
            ("verify-passcode", .verifyPasscode(.agent, in: store)),
            ("endorse", .endorse([UInt8](repeating: 5, count: Endorsement.digestBytes), .agent, in: store)),
            (
                "check-endorsement",
                .checkEndorsement(
                    Endorsement(number: 3, signature: [UInt8](repeating: 6, count: Endorsement.signatureBytes)),
                    of: [UInt8](repeating: 5, count: Endorsement.digestBytes), in: store)
            ),
            ("create-constrained", .createRowKeys([constrained], for: use, in: store)),
            (
                "open-constrained",
                .openRowKeys(
                    [WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], for: use, in: store)
            ),
            (
                "rewrap-keys",
                .rewrapRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], in: store)
            ),
            ("evaluate", .evaluate(question, in: store)), ("prove", .prove(question, .agent, in: store)),
            (
                "prove-policy",
                .provePolicy(.deviceOwnerAuthentication, use.context, .program(identifier.value), in: store)
            ),
            ("prove-passcode", .provePasscode(use.context, .program(identifier.value), in: store)),
            ("evaluate-policy", .evaluatePolicy(.deviceOwnerAuthentication, use.context, in: store)),
            ("ask-biometry", .biometryReport(in: store)), ("match", .match(question, in: store)),
            ("match-policy", .matchPolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, in: store)),
            ("allow-reuse", .allowReuse(use.context, seconds: 10, in: store)),
            ("set-credential", .setCredential(use.context, isPresent: true, in: store)),
            ("end-context", .endContext(70000)),
            ("create-keychain", .createKeychain(in: store)), ("open-keychain", .openKeychain(store)),
            ("unlock-keychain", .unlockKeychain(header, .program(identifier.value), in: store)),
            ("change-keychain-password", .changeKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-password", .verifyKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-secret", .verifyKeychainSecret(header, .agent, orPasscodeOf: store, in: store)),
        ]
        var keychain = KeychainReport()
        keychain.failures = 3
        keychain.header = header
        var passcode = PasscodeReport()
        passcode.outcome = .delayed
        passcode.supersededKeys = [1, 2, 400]
        passcode.delay = 900_000
        let replies: [(String, EnclaveReply)] = [
            ("passcode", .passcode(passcode)), ("keychain", .keychain(keychain)),
            ("done", .done), ("store", .store(StoreKeys(keybag: KeybagIdentifier(identifier.value)) { _ in key })),
            ("key", .metadataKey(MetadataKey(id: 9, key: key, sealsGranted: 65536))),
            ("new-keys", .newRowKeys([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped)])),
            ("row-keys", .rowKeys([.success(key), .failure(KeychainError(.decode, "not here"))])),
            (
                "enclave-report",
                .report(
                    EnclaveReport(
                        backend: "software", isUnlocked: true, hasPasscode: false, isDumpable: false,
                        lockedBytes: 65536,
                        unlockedBytes: 0, classKeys: 12))
            ),
            ("failure", .failure(KeychainError(.notAvailable, "the disk is full"))),
            ("sandbox", .sandbox([SandboxFact(name: "calls", level: 1, detail: "62")])),
            ("satisfied", .evaluation(.satisfied)), ("needs", .evaluation(.needs([.passcode, .applicationPassword]))),
            ("biometry", .biometry(BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 7)))),
            ("not-matched", .match(MatchReport(.notMatched, triesLeft: 4))),
            ("impossible", .evaluation(.impossible(.noBiometry))),
            (
                "rewrapped",
                .rewrappedRowKeys([.key(classKeyID: 9, wrapped: wrapped), .failure(KeychainError(.decode, "not here"))])
            ),
            (
                "new-constrained",
                .newRowKeys([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped, constraints: constrained.constraints)]
                )
            ),
        ]
        var seeds = requests.map { name, request in
            seed(name, 2) { EnclaveEnvelope(id: 5, payload: request).encode(to: &$0) }
        }
        seeds += replies.map { name, reply in
            seed(name, 3) { EnclaveEnvelope(id: 5, payload: reply).encode(to: &$0) }
        }
        return seeds
    }
}
