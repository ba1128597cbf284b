import Foundation
import TestSupport
import Testing

@testable import StoreEngine

/// The list of losses survives what disks do to it.
@Suite struct LossListTests {
    /// `item-store.md` documents these words for what happened to a row.
    @Test func wordsStay() {
        #expect(RowAlteration.Kind.allCases.map(\.rawValue) == ["removed", "added", "exchanged"])
    }

    /// A line that a power cut left incomplete must not join the next one.
    @Test(arguments: ["", "{\"event\":\"lost\"}\n", "{\"event\":\"los", "{\"event\":\"los\0\0"])
    func aLineThatWasCutShortIsJoinedWithNone(before: String) throws {
        let folder = try TemporaryFolder()
        let places = StorePlaces(store: folder.path + "/store", mark: folder.path + "/mark")
        let list = LossList(places, clock: .system)
        try Data(before.utf8).write(to: URL(fileURLWithPath: list.path))
        try list.append([(.acknowledged, []), (.markMissing, [])])
        let text = try String(contentsOfFile: list.path, encoding: .utf8)
        #expect(text.hasPrefix(before))
        let lines = text.dropFirst(before.count).split(separator: "\n", omittingEmptySubsequences: false)
        let isWhole = before.isEmpty || before.hasSuffix("\n")
        #expect(lines.count == (isWhole ? 3 : 4))
        #expect(isWhole || lines.first?.isEmpty == true)
        #expect(lines.dropLast().suffix(2).allSatisfy { $0.hasPrefix("{\"time\":") && $0.hasSuffix("}") })
    }
}
