import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import TestSupport
import Testing

/// Tests of the encodings of all requests and replies.
struct RequestTests {
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

    static func encoding(_ request: any RequestMessage) -> [UInt8] {
        HandshakeTests.encoded { request.encode(to: &$0) }
    }

    static func decoding(_ bytes: [UInt8]) throws -> any RequestMessage {
        try bytes.withUnsafeBytes { try RequestReader($0).readAny() }
    }

    @Test func allComeBack() throws {
        for request in Self.requests {
            let bytes = Self.encoding(request)
            #expect(try Self.encoding(Self.decoding(bytes)) == bytes)
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self, "\(length)") { try Self.decoding(Array(bytes.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.decoding(bytes + [0xF6]) }
        }
    }

    @Test(arguments: [
        // No operation, an unknown one, a field too few or too many, or an unknown field.
        [0xA0], [0xA1, 0x00, 0x05], [0xA1, 0x00, 0x00], [0xA1, 0x00, 0x01], [0xA1, 0x00, 0x12],
        [0xA2, 0x00, 0x10, 0x04, 0x60], [0xA2, 0x00, 0x11, 0x04, 0x61, 0x2F], [0xA2, 0x00, 0x10, 0x05, 0x00],
        [0xA2, 0x00, 0x12, 0x04, 0x41, 0x2F], [0xA2, 0x00, 0x18, 0x20, 0x06, 0x00],
        [0xA2, 0x00, 0x18, 0x22, 0x04, 0x60], [0xA3, 0x00, 0x18, 0x22, 0x05, 0x60, 0x06, 0x00],
        [0xA1, 0x00, 0x18, 0x25], [0x80], [0xF6], [0xA2, 0x00, 0x10, 0x00, 0x10],
    ])
    func broken(_ bytes: [UInt8]) { #expect(throws: CBORError.self) { try Self.decoding(bytes) } }

    @Test func addNeedsAnIdentifierAndFindHasNone() {
        let query = HandshakeTests.encoded { Self.query.encode(to: &$0) }
        let item = HandshakeTests.encoded { Self.item.encode(to: &$0) }
        let identifier: [UInt8] = [0x01, 0x50] + [UInt8](repeating: 1, count: 16)
        #expect(throws: Never.self) { try Self.decoding([0xA2, 0x00, 0x01, 0x02] + query) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA2, 0x00, 0x02, 0x02] + item) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x01] + identifier + [0x02] + query) }
        #expect(throws: Never.self) { try Self.decoding([0xA3, 0x00, 0x02] + identifier + [0x02] + item) }
        // A search does not decode as an item.
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x02] + identifier + [0x02] + query) }
        #expect(throws: CBORError.self) { try Self.decoding([0xA3, 0x00, 0x03] + identifier + [0x02] + query) }
        #expect(throws: Never.self) {
            try Self.decoding([0xA4, 0x00, 0x03] + identifier + [0x02] + query + [0x03, 0xA0])
        }
    }

    @Test func damagedRequests() {
        var generator = SeededGenerator()
        let seeds = Self.requests.map { Self.encoding($0) }
        for round in 0..<30_000 {
            let input = round % 5 == 0 ? generator.bytes(upTo: 40) : generator.damaged(seeds[round % seeds.count])
            guard let request = try? Self.decoding(input) else { continue }
            let again = Self.encoding(request)
            #expect((try? Self.decoding(again)).map { Self.encoding($0) } == again, "seed \(generator.seed)")
        }
    }

    @Test func repliesAboutKeychainsComeBack() throws {
        for outcome in PasscodeOutcome.allCases {
            var report = KeychainPasswordReport()
            (report.outcome, report.failures, report.delay) = (outcome, .max, .max)
            let bytes = HandshakeTests.encoded { report.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try KeychainPasswordReport(from: &$0) } == report)
        }
        for bits in UInt32(0)..<8 {
            var state = KeychainState()
            (state.isUnlocked, state.isWritable, state.mayLackChanges) = (bits & 1 != 0, bits & 4 != 0, bits & 2 != 0)
            let bytes = HandshakeTests.encoded { state.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try KeychainState(from: &$0) } == state)
            // An existing keychain is readable, as on macOS.
            #expect(state.statusBits == bits | 2)
        }
        for bytes in [[0xA0], [0xA1, 0x00, 0xF5]] as [[UInt8]] {
            #expect(throws: CBORError.self) { try HandshakeTests.reading(bytes) { try KeychainState(from: &$0) } }
            #expect(throws: CBORError.self) {
                try HandshakeTests.reading(bytes) { try KeychainPasswordReport(from: &$0) }
            }
        }
    }

    @Test func placesOfKeychainsComeBack() throws {
        for paths in [[], ["/k/a-db"], (0..<2000).map { "/k/\($0)" }] as [[String]] {
            let bytes = HandshakeTests.encoded { KeychainPlaces(paths).encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try KeychainPlaces(from: &$0) }.paths == paths)
        }
        let tooMany = HandshakeTests.encoded { KeychainPlaces(Array(repeating: "a", count: 2001)).encode(to: &$0) }
        #expect(throws: CBORError.self) { try HandshakeTests.reading(tooMany) { try KeychainPlaces(from: &$0) } }
        // An unknown preference, an unknown domain, and a question with places.
        for value: [UInt8] in [
            [0xA3, 0x00, 0x04, 0x01, 0x00, 0x02, 0x80], [0xA3, 0x00, 0x00, 0x01, 0x04, 0x02, 0x80],
            [0xA3, 0x00, 0x00, 0x01, 0x00, 0x02, 0x81, 0x61, 0x61],
        ] {
            #expect(throws: CBORError.self) { try Self.decoding([0xA2, 0x00, 0x18, 103, 0x02] + value) }
        }
    }

    @Test func settingsOfKeychainsComeBack() throws {
        for (interval, seconds) in [
            (0, 1), (1, 1), (300, 300), (KeychainSettings.never - 1, 2_147_483_646), (KeychainSettings.never, nil),
            (.max, nil),
        ] as [(UInt32, Double?)] {
            var settings = KeychainSettings()
            (settings.lockInterval, settings.locksOnSleep) = (interval, interval == 0)
            #expect(settings.seconds == seconds)
            let bytes = HandshakeTests.encoded { settings.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try KeychainSettings(from: &$0) } == settings)
        }
        for bytes in [[0xA0], [0xA1, 0x00, 0x01], [0xA2, 0x00, 0x1B, 0, 0, 0, 1, 0, 0, 0, 0, 0x01, 0xF5]] as [[UInt8]] {
            #expect(throws: CBORError.self) { try HandshakeTests.reading(bytes) { try KeychainSettings(from: &$0) } }
        }
    }

    @Test func repliesComeBack() throws {
        var report = DaemonReport()
        report.add("a.b", "text")
        report.add("a.c", UInt64.max)
        let bytes = HandshakeTests.encoded { report.encode(to: &$0) }
        let read = try HandshakeTests.reading(bytes) { try DaemonReport(from: &$0) }
        #expect(read == report && read["a.c"] == .number(.max) && read["x"] == nil)
        let tooMany: [UInt8] = [0x99, 0x01, 0x01] + [UInt8](repeating: 0x80, count: 257)
        #expect(throws: CBORError.limitExceeded) { try HandshakeTests.reading(tooMany) { try DaemonReport(from: &$0) } }

        for state in [ApplicationDecision.State.pinned, .changed, .development, .missing, .accepted] {
            var decision = ApplicationDecision(path: "/usr/bin/ä", state: state, digest: [1], date: 2.5)
            if state == .accepted { decision.former = [2] }
            let bytes = HandshakeTests.encoded { decision.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try ApplicationDecision(from: &$0) } == decision)
        }
        for broken: [UInt8] in [[0xA0], [0xA1, 0x00, 0x60], [0xA1, 0x01, 0x01]] {
            #expect(throws: CBORError.self) {
                try HandshakeTests.reading(broken) { try ApplicationDecision(from: &$0) }
            }
        }
    }

    @Test func deviceReportsComeBack() throws {
        for state in LockState.allCases {
            for outcome in PasscodeOutcome.allCases {
                var report = DeviceReport()
                (report.state, report.outcome) = (state, outcome)
                report.hasPasscode = state != .unlocked
                report.isProtected = outcome == .done
                (report.failures, report.delay, report.memory, report.passes) = (.max, .max, 19_456, 2)
                let bytes = HandshakeTests.encoded { report.encode(to: &$0) }
                #expect(try HandshakeTests.reading(bytes) { try DeviceReport(from: &$0) } == report)
            }
        }
        #expect(throws: CBORError.self) { try HandshakeTests.reading([0xA0]) { try DeviceReport(from: &$0) } }
    }

    @Test func matchesCountForFiveMinutesAtTheMost() throws {
        #expect(BeginAuthentication(reuse: .max).reuse == 300)
        let longer = HandshakeTests.encoded { writer in
            writer.writeMap {
                $0.write(RequestField.operation, Operation.beginAuthentication)
                $0.write(RequestField.number, UInt32(301))
            }
        }
        #expect(throws: CBORError.self) { try Self.decoding(longer) }
    }

    @Test func authenticationReportsComeBack() throws {
        for biometry in BiometryAvailability.allCases {
            var report = AuthenticationReport()
            report.biometry = biometry
            report.hasPasscode = biometry == .ready
            report.kind = report.hasPasscode ? .fingerprint : nil
            report.domainState = report.hasPasscode ? Bytes16(repeating: 7) : nil
            let bytes = HandshakeTests.encoded { report.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try AuthenticationReport(from: &$0) } == report)
        }
        #expect(throws: CBORError.self) { try HandshakeTests.reading([0xA0]) { try AuthenticationReport(from: &$0) } }
    }

    /// The binding that an item got when it was stored is not sent to programs, which have no use for it.
    @Test func accessControlsAreSentUnbound() throws {
        var constraints = AccessConstraints()
        constraints.operations[.decrypt] = .biometryCurrentSet(Bytes16(repeating: 1))
        let question = AuthenticationQuestion(reason: OperationPrompt("x"))
        let request = EvaluateAccessControl(constraints, for: .useItem, question)
        #expect(request.constraints.operations[.decrypt] == .biometryCurrentSet(nil))
        let bound = HandshakeTests.encoded { writer in
            writer.writeMap {
                $0.write(RequestField.operation, Operation.evaluateAccessControl)
                $0.write(RequestField.number, AccessControlUse.useItem)
                $0.write(RequestField.question, question)
                $0.write(RequestField.constraints, constraints)
            }
        }
        #expect(throws: CBORError.self) { try Self.decoding(bound) }
    }

    /// Each part has one number on the wire, and no other numbers exist.
    @Test func passcodePartsComeBack() throws {
        #expect(PasscodePart.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        for part in PasscodePart.allCases {
            let bytes = HandshakeTests.encoded { part.encodeFrame(to: &$0) }
            #expect(bytes == [0xA1, 0x00, part.rawValue])
            #expect(try bytes.withUnsafeBytes { try PasscodePart(frame: $0) } == part)
        }
        for broken: [UInt8] in [[], [0xA0], [0xA1, 0x00, 0x00], [0xA1, 0x00, 0x06], [0xA1, 0x00, 0x01, 0xF6]] {
            #expect(throws: CBORError.self) { try broken.withUnsafeBytes { try PasscodePart(frame: $0) } }
        }
        #expect(PasscodeCommand.change.parts == [.present, .new] && PasscodeCommand.set.parts == [.new])
    }

    @Test func notificationsComeBack() throws {
        for notification in [
            ChangeNotification(number: 0, keychain: nil), ChangeNotification(number: .max, keychain: .default),
        ] {
            let bytes = HandshakeTests.encoded { notification.encode(to: &$0) }
            #expect(bytes.count <= FrameLimits.notificationBytes)
            #expect(try HandshakeTests.reading(bytes) { try ChangeNotification(from: &$0) } == notification)
        }
        let reference = KeychainItemReference(
            keychain: StoreIdentifier(),
            item: PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier()))
        for event in [
            KeychainEvent.anything, KeychainEvent(.locked, keychain: "/k/a-db", pid: .max),
            KeychainEvent(
                .itemAdded, keychain: String(repeating: "x", count: KeychainPlace.maximumBytes), item: reference, pid: 7
            ),
        ] {
            let bytes = HandshakeTests.encoded { event.encode(to: &$0) }
            #expect(bytes.count <= FrameLimits.keychainEventBytes)
            #expect(try HandshakeTests.reading(bytes) { try KeychainEvent(from: &$0) } == event)
        }
        // An unknown event.
        #expect(throws: CBORError.self) {
            try HandshakeTests.reading([0xA2, 0x00, 0x08, 0x03, 0x00]) { try KeychainEvent(from: &$0) }
        }
        // No number, a name that no keychain has, or an unknown field.
        for broken: [UInt8] in [
            [0xA0], [0xA1, 0x01, 0x61, 0x61], [0xA2, 0x00, 0x01, 0x01, 0x61, 0x41], [0xA2, 0x00, 0x01, 0x02, 0x01],
        ] {
            #expect(throws: CBORError.self) {
                try HandshakeTests.reading(broken) { try ChangeNotification(from: &$0) }
            }
        }
    }
}
