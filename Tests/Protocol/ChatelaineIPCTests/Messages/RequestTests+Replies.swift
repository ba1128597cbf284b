import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Testing

/// The values of replies, and those that come unasked.
extension RequestTests {
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
