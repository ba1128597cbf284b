import Foundation
import TestSupport
import Testing

@testable import StoreEngine

/// The list of what was lost, as disks leave it.
@Suite struct LossListTests {
    /// The words of what happened to a row (`item-store.md`).
    @Test func wordsStay() {
        #expect(RowAlteration.Kind.allCases.map(\.rawValue) == ["removed", "added", "exchanged"])
    }

    /// What the power leaves of a last line ends where it ends.
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
