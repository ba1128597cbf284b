import Foundation
import TestSupport

/// A table of Tools/data, read at run time, so that tests compare compiled values with the table itself.
struct ReferenceTable {
    let rows: [[String]]

    /// Reads a table without its header line.
    init(_ name: String) throws {
        let root = Repository.root
        let text = try String(contentsOf: root.appendingPathComponent("Tools/data/\(name)"), encoding: .utf8)
        rows = text.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
