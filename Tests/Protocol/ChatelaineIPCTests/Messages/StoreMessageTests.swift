import ChatelaineIPC
import ChatelaineModel
import Testing

/// Tests of the encodings of snapshots, losses and checks.
struct StoreMessageTests {
    static let record = SnapshotRecord(
        name: "20261121T083000Z-1", sequence: 7, date: 1.5, reason: .migration, items: 3, bytes: 4096)

    @Test func snapshotsComeBack() throws {
        var replaced = Self.record
        replaced.replaced = "/a"
        for record in [Self.record, replaced] {
            let bytes = HandshakeTests.encoded { record.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try SnapshotRecord(from: &$0) } == record)
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self) {
                    try HandshakeTests.reading(Array(bytes.prefix(length))) { try SnapshotRecord(from: &$0) }
                }
            }
        }
    }

    @Test func lossesComeBack() throws {
        var full = LossSummary()
        full.missing = LossSummary.Missing(changes: 6, since: 3, sinceDate: 1.5, lost: 1, restored: 2, setAside: 4)
        full.total = 3
        var attributes = AttributeSet()
        attributes[.service] = .text("a")
        full.setAside = [
            LossSummary.SetAside(item: ItemIdentifier(), itemClass: .internetPassword, reason: .secret, date: 3600),
            LossSummary.SetAside(
                item: nil, itemClass: nil, reason: nil, date: 0, attributes: attributes, isVerified: false),
        ]
        var unbounded = LossSummary()
        unbounded.missing = LossSummary.Missing(changes: nil, since: 0, isOpen: true)
        for summary in [LossSummary(), full, unbounded] {
            let bytes = HandshakeTests.encoded { summary.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try LossSummary(from: &$0) } == summary)
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self) {
                    try HandshakeTests.reading(Array(bytes.prefix(length))) { try LossSummary(from: &$0) }
                }
            }
        }
    }

    @Test func checksComeBack() throws {
        var step = CheckStep()
        step.rows = 512
        step.locked = 3
        var full = step
        full.next = 513
        full.total = 1_000_000
        full.structure = ["row 3 missing from index items_pair"]
        full.findings = [
            CheckStep.Finding(item: ItemIdentifier(), itemClass: .genericPassword, reason: .metadata, outcome: .left),
            CheckStep.Finding(item: ItemIdentifier(), itemClass: nil, reason: .columns, outcome: .mended),
        ]
        for step in [step, full] {
            let bytes = HandshakeTests.encoded { step.encode(to: &$0) }
            #expect(try HandshakeTests.reading(bytes) { try CheckStep(from: &$0) } == step)
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self) {
                    try HandshakeTests.reading(Array(bytes.prefix(length))) { try CheckStep(from: &$0) }
                }
            }
        }
    }
}
