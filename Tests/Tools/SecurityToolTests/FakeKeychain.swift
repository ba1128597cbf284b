import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Synchronization

@testable import SecurityTool

/// A Keychain with a few fixed items and records, which remembers its requests.
final class FakeKeychain: KeychainService {
    enum Asked: Sendable {
        case find(ItemQuery)
        case add(NewItem)
        case update(ItemQuery, ItemChange)
        case delete(ItemQuery)
        case applications(ApplicationCommand)
        case teams(TeamCommand)
        case adopt(AdoptItems)
        case application(String)
        case snapshots(SnapshotCommand)
        case losses(LossCommand)
        case authentication
        case device(DeviceCommand)
        case settings(SettingsCommand)
        case passcode(PasscodeCommand, [SecretBytes])
        case keychainPassword(KeychainPasswordCommand, [SecretBytes])
        case keychain(KeychainCommand)
        case keychainQuestion(KeychainQuestion)
        /// The preference, its domain, and the new value.
        case preference(KeychainPreference, PreferenceDomain, [String]?)
        case findInKeychains(ItemQuery, KeychainScope)
        case addToKeychain(NewItem, KeychainPath?)
        case updateInKeychains(ItemQuery, ItemChange, KeychainScope)
        case deleteInKeychains(ItemQuery, KeychainScope, asksPerson: Bool)
        /// The last value is the keychain's password, if the call had it.
        case setAccess(AccessObject, KeychainItemReference, SecretBytes?)
        case trusted(String?)
        case judged(TrustQuestion)
    }

    func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict {
        note(.judged(question))
        throw KeychainError(.notAvailable, "nobody judges certificates here")
    }

    func systemRoots() throws(KeychainError) -> [[UInt8]] { [] }

    func read(
        _ file: ExternalFile, asking question: OperationPrompt?
    ) throws(KeychainError) -> ExternalContent {
        throw KeychainError(.notAvailable, "nobody reads files here")
    }

    func write(
        _ order: ExternalOrder, asking question: OperationPrompt?
    ) throws(KeychainError) -> SecretBytes {
        throw KeychainError(.notAvailable, "nobody writes files here")
    }

    func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent {
        throw KeychainError(.notAvailable, "nobody reads messages here")
    }

    func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes {
        throw KeychainError(.notAvailable, "nobody writes messages here")
    }

    func useKey(_ use: KeyUsage) throws(KeychainError) -> SecretBytes {
        throw KeychainError(.notAvailable, "nobody uses keys here")
    }

    func useKey(_ use: KeyUsage, in scope: KeychainScope) throws(KeychainError) -> SecretBytes {
        throw KeychainError(.notAvailable, "nobody uses keys here")
    }

    func read(certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] {
        certificates.map { _ in .flaw("nobody reads certificates here") }
    }

    func trustSettings(
        _ command: TrustSettingsCommand, passcode: SecretBytes?
    ) throws(KeychainError) -> [TrustSetting] { [] }

    let asked = Mutex<[Asked]>([])
    let keychainItems = Mutex<[KeychainItem]>(FakeKeychain.fixedKeychainItems)
    /// The access object of the file keychains' items.
    let access = Mutex(FakeKeychain.fixedAccess)
    /// The error that refuses all reading and changing of these items, or nil.
    let refusal = Mutex<KeychainError?>(nil)
    /// The class of which a search in file keychains fails.
    let unreadable = Mutex<ItemClass?>(nil)
    /// The error in place of every access object, or nil.
    let accessRefusal = Mutex<KeychainError?>(nil)
    /// How many searches of file keychains find nothing yet, since another process adds the items after them.
    let blindSearches = Mutex(0)
    /// Whether the signature of every program counts.
    let isSigned = Mutex(true)
    /// The passcodes that came with decisions about programs and snapshots.
    let given = Mutex<[SecretBytes?]>([])
    /// Files that took the place of others, which lists also report.
    let changes = Mutex<[ApplicationDecision]>([])
    private let deleted = Mutex<Set<ItemIdentifier>>([])
    /// The state of the passcode, which is “right” if there is one.
    let report = Mutex(DeviceReport())
    let deviceSettings = Mutex(DeviceSettings())
    let keychainSettings = Mutex(KeychainSettings())
    /// The state of the one keychain.
    let keychainState = Mutex(KeychainState())
    /// The paths of the file keychains that were checked.
    let checked = Mutex<[String]>([])
    let defaultKeychain = Mutex<String?>("/nonexistent/chatelaine/data/keychains/a-db")
    let authenticationReport = Mutex(AuthenticationReport())
    var deployment: Deployment {
        get throws(KeychainError) {
            try Deployment.current(
                ProcessEnvironment(
                    uid: 1, home: "/nonexistent",
                    variable: { $0 == "CHATELAINE_HOME" ? "/nonexistent/chatelaine" : nil },
                    isOwnFolder: { _ in false }, isSystemMode: { false }))
        }
    }
    let items: [FoundItem]

    init(items: [FoundItem] = FakeKeychain.fixedItems) { self.items = items }

    var last: Asked? { asked.withLock { $0.last } }
    var all: [Asked] { asked.withLock { $0 } }
    func forget() { asked.withLock { $0 = [] } }
    func note(_ what: Asked) { asked.withLock { $0.append(what) } }
    var hasAskedForReader: Bool {
        asked.withLock { asked in asked.contains { if case .authentication = $0 { true } else { false } } }
    }

    static let fixedItems = [
        item(
            .genericPassword, 1,
            [
                .service: .text("mail"), .account: .text("anna"), .label: .text("Post"), .accessGroup: .text("group.a"),
                .creator: .number(0x6162_6364), .creationDate: .date(0.25), .modificationDate: .date(86_400),
            ], secret: Array("s3cret".utf8)),
        item(
            .genericPassword, 2,
            [
                .service: .text("mail"), .account: .text("bob\u{1B}[2J"), .label: .text("日本"),
                .accessGroup: .text("group.a"), .generic: .data([0, 255]), .modificationDate: .date(-1),
            ], secret: [0xFF, 0x00, 0x0A]),
        item(
            .internetPassword, 3,
            [
                .server: .text("example.org"), .account: .text("anna"), .protocolType: .text("htps"),
                .port: .number(443), .accessGroup: .text("group.b"), .modificationDate: .date(0),
            ], secret: nil),
    ]

    private static func item(
        _ itemClass: ItemClass, _ number: UInt8, _ values: [AttributeKey: AttributeValue], secret: [UInt8]?
    ) -> FoundItem {
        var attributes = AttributeSet()
        for (key, value) in values { attributes[key] = value }
        return FoundItem(
            identifier: ItemIdentifier(Array(repeating: number, count: 16)) ?? ItemIdentifier(), itemClass: itemClass,
            accessibility: .whenUnlocked, isSynchronizable: number == 2,
            attributes: EncodedAttributes(attributes),
            secret: secret.map { SecretBytes($0) })
    }

    func listAll(_ query: ItemQuery, passcode: SecretBytes) throws(KeychainError) -> [FoundItem] {
        given.withLock { $0.append(passcode) }
        return try find(query)
    }

    func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        asked.withLock { $0.append(.find(query)) }
        if query.accessGroup == "foreign" { throw KeychainError(.missingEntitlement, "the group is another program's") }
        if query.accessGroup == "changed" { throw KeychainError(.authFailed, "the program is not the one it was") }
        return try matching(query).prefix(query.limit.maximum).map { item in
            var item = item
            if !query.returns.contains(.data) { item.secret = nil }
            if !query.returns.contains(.attributes) { item.encodedAttributes = nil }
            return item
        }
    }

    private func matching(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        let deleted = deleted.withLock { $0 }
        let found = items.filter { item in
            item.itemClass == query.itemClass && AttributeDemand(query).isSatisfied(by: item.attributes)
                && (query.identifier ?? item.identifier) == item.identifier && !deleted.contains(item.identifier)
                && query.synchronizable != (item.isSynchronizable ? .local : .synchronizable)
        }
        if found.isEmpty { throw KeychainError(.itemNotFound, "no item matches") }
        return found
    }

    func add(_ item: NewItem) throws(KeychainError) -> FoundItem {
        asked.withLock { $0.append(.add(item)) }
        if item.itemClass == .certificate { throw KeychainError(.unimplemented, "certificates come later") }
        if item.attributes[.account] == .text("anna") { throw KeychainError(.duplicateItem, "") }
        return FoundItem(
            identifier: ItemIdentifier(Array(repeating: 9, count: 16)) ?? ItemIdentifier(), itemClass: item.itemClass,
            accessibility: item.accessibility ?? .whenUnlocked, isSynchronizable: false,
            attributes: EncodedAttributes(item.attributes),
            secret: nil, constraints: item.constraints)
    }

    func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError) {
        asked.withLock { $0.append(.update(query, change)) }
    }

    func delete(_ query: ItemQuery) throws(KeychainError) {
        asked.withLock { $0.append(.delete(query)) }
        let found = try matching(query)
        deleted.withLock { $0.formUnion(found.map(\.identifier)) }
    }

    func status() throws(KeychainError) -> DaemonReport {
        var report = DaemonReport()
        report.add("daemon.version", SecurityTool.version)
        report.add("daemon.uptime", 3_723)
        report.add("store.items", 3)
        report.add("store.bytes", 1_258_291)
        report.add("caller.assurance", "file")
        report.add("caller.path", "/usr/bin/\u{1B}security")
        report.add("store.future.fact", "shown")
        return report
    }

    func snapshots(_ command: SnapshotCommand, passcode: SecretBytes?) throws(KeychainError) -> [SnapshotRecord] {
        given.withLock { $0.append(passcode) }
        asked.withLock { $0.append(.snapshots(command)) }
        let newest = SnapshotRecord(
            name: "20261121T083000Z-1", sequence: 42, date: 816_000_000, reason: .daily, items: 3, bytes: 1_258_291)
        let oldest = SnapshotRecord(
            name: "20261120T083000Z-1", sequence: 40, date: 815_913_600, reason: .migration, items: 2, bytes: 98_304)
        switch command {
        case .list: return [newest, oldest]
        case .take: return [newest]
        case .restore("20261121T083000Z-1", _):
            var restored = newest
            restored.replaced = "/home/anna/stores/default.quarantine/20261121T090000Z-1"
            return [restored]
        case .delete("20261121T083000Z-1", _): return [newest]
        case .deleteAll(let kept, _): return Array([newest, oldest].dropFirst(Int(clamping: kept)))
        default: throw KeychainError(.itemNotFound, "there is no snapshot of that name")
        }
    }

    func check(position: UInt64, keychain: String?) throws(KeychainError) -> CheckStep {
        if let keychain { checked.withLock { $0.append(keychain) } }
        var step = CheckStep()
        switch position {
        case 0:
            step.next = 1
            step.total = 3
        case 1:
            step.next = 3
            step.rows = 2
            step.findings = [
                CheckStep.Finding(item: items[0].identifier, itemClass: nil, reason: .metadata, outcome: .replaced)
            ]
        default: step.rows = 1
        }
        return step
    }

    func losses(_ command: LossCommand) throws(KeychainError) -> LossSummary {
        asked.withLock { $0.append(.losses(command)) }
        var summary = LossSummary()
        summary.missing = LossSummary.Missing(
            changes: 6, since: 3, sinceDate: 816_000_000, lost: 1, restored: 2, setAside: 2)
        summary.total = 2
        var named = AttributeSet()
        named[.service] = .text("mail\u{1B}")
        named[.account] = .text("anna")
        summary.setAside = [
            LossSummary.SetAside(
                item: items[0].identifier, itemClass: .genericPassword, reason: .secret, date: 816_001_200,
                attributes: named),
            LossSummary.SetAside(item: nil, itemClass: nil, reason: .columns, date: 815_998_800),
        ]
        if command.keychain != nil { summary.setAside[0].isVerified = false }
        return summary
    }

    func authentication() throws(KeychainError) -> AuthenticationReport {
        asked.withLock { $0.append(.authentication) }
        return authenticationReport.withLock { $0 }
    }

    func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport {
        asked.withLock { $0.append(.device(command)) }
        return report.withLock { report in
            if command == .lock, report.hasPasscode { report.state = .locked }
            return report
        }
    }

    func settings(_ command: SettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> DeviceSettings {
        asked.withLock { $0.append(.settings(command)) }
        return deviceSettings.withLock { settings in
            if case .setIdleTimeout(let seconds) = command { settings.idleTimeout = seconds }
            return settings
        }
    }

    func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport {
        asked.withLock { $0.append(.passcode(command, passcodes)) }
        return report.withLock { report in
            var answer = report
            if command != .set, passcodes.first != SecretBytes("right".utf8) {
                answer.outcome = .wrong
                answer.failures += 1
                return answer
            }
            report.hasPasscode = command != .remove
            report.state = .unlocked
            report.memory = report.hasPasscode ? 65_536 : 0
            report.passes = report.hasPasscode ? 3 : 0
            return report
        }
    }

    func applications(
        _ command: ApplicationCommand, passcode: SecretBytes?
    ) throws(KeychainError) -> [ApplicationDecision] {
        given.withLock { $0.append(passcode) }
        asked.withLock { $0.append(.applications(command)) }
        return [
            ApplicationDecision(
                path: "/opt/a tool", state: .changed, digest: Array(repeating: 0xAB, count: 32), date: 0),
            ApplicationDecision(path: "/home/anna/build", state: .development, digest: [], date: 700_000_000.5),
        ] + changes.withLock { $0 }
    }
}
