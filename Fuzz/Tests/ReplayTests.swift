import Foundation
import Testing

/// Runs the corpus and every finding through their targets, so that fixed defects stay fixed.
struct ReplayTests {
    /// The seeds as the code that is fuzzed writes them today, by their names.
    private static let seeds = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seeds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Seeds.write(to: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: FuzzTarget.allCases.map { target in
                (target, try files(in: folder.appendingPathComponent(target.rawValue)))
            })
    }

    // One test for each target, since a target's files have one place.
    @Test(arguments: FuzzTarget.allCases)
    func everyInputIsSurvived(target: FuzzTarget) throws {
        let corpus = try Self.inputs("Corpus", target)
        #expect(corpus.count >= 10, "the target \(target.rawValue) has hardly any corpus")
        let seeds = try Self.seeds.get()[target] ?? [:]
        #expect(
            Set(seeds.keys) == Set(corpus.keys.filter { !Self.isFoundBySearch($0) }),
            "Fuzz/Corpus/\(target.rawValue) has other seeds than Fuzz/Seeds or Fuzz/Trust/Seeds.swift writes")
        for content in try [corpus, seeds, Self.inputs("Findings", target)].flatMap(\.values) {
            content.withUnsafeBytes { target.run($0) }
        }
        target.run(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Whether a name is the digest that libFuzzer gives to an input.
    private static func isFoundBySearch(_ name: String) -> Bool { name.count == 40 && name.allSatisfy(\.isHexDigit) }

    static func inputs(_ kind: String, _ target: FuzzTarget) throws -> [String: Data] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try files(in: folder.appendingPathComponent("\(kind)/\(target.rawValue)"))
    }

    /// The contents of the files of a folder, by their names; none where there is no folder.
    private static func files(in folder: URL) throws -> [String: Data] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try Dictionary(uniqueKeysWithValues: files.map { ($0.lastPathComponent, try Data(contentsOf: $0)) })
    }
}
