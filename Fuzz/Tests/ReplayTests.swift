import Foundation
import Testing

/// Runs the corpus and every finding through their targets, so that fixed defects stay fixed.
struct ReplayTests {
    @Test(arguments: FuzzTarget.allCases)
    func everyInputIsSurvived(target: FuzzTarget) throws {
        let inputs = try Self.inputs("Corpus", target) + Self.inputs("Findings", target)
        #expect(inputs.count >= 10, "the target \(target.rawValue) has hardly any corpus")
        for input in inputs {
            let content = try Data(contentsOf: input)
            content.withUnsafeBytes { target.run($0) }
        }
        target.run(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The code that is fuzzed today writes the named inputs of the corpus, and reads what it has written.
    @Test func theCorpusHasEverySeed() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seeds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Seeds.write(to: folder.path)
        for target in FuzzTarget.allCases {
            let seeds = try Self.files(in: folder.appendingPathComponent(target.rawValue))
            let named = try Self.inputs("Corpus", target).filter { !Self.isFoundBySearch($0.lastPathComponent) }
            #expect(
                Set(seeds.map(\.lastPathComponent)) == Set(named.map(\.lastPathComponent)),
                "Fuzz/Corpus/\(target.rawValue) has other seeds than Fuzz/Seeds and Fuzz/Trust/Seeds.swift write")
            for seed in seeds { try Data(contentsOf: seed).withUnsafeBytes { target.run($0) } }
        }
    }

    /// Whether a name is the digest that libFuzzer gives to an input.
    private static func isFoundBySearch(_ name: String) -> Bool { name.count == 40 && name.allSatisfy(\.isHexDigit) }

    private static func inputs(_ kind: String, _ target: FuzzTarget) throws -> [URL] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("\(kind)/\(target.rawValue)")
        return try files(in: folder)
    }

    private static func files(in folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
}
