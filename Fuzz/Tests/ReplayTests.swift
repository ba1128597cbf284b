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

    private static func inputs(_ kind: String, _ target: FuzzTarget) throws -> [URL] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("\(kind)/\(target.rawValue)")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
}
