import Foundation
import TestSupport

/// A table of Tools/data, read when a test runs, so that a test compares compiled values with the facts themselves.
struct ReferenceTable {
    let rows: [[String]]

    /// Reads a table; its header line is left out.
    init(_ name: String) throws {
        let root = Repository.root
        let text = try String(contentsOf: root.appendingPathComponent("Tools/data/\(name)"), encoding: .utf8)
        rows = text.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
