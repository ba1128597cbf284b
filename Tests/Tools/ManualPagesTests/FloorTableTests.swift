import Foundation
import TestSupport
import Testing

/// Tests that the table of floors in `ARCHITECTURE.md` says what each module imports.
struct FloorTableTests {
    /// The folders of modules in Swift, by name.
    private static func modules() throws -> [String: URL] {
        let sources = Repository.root.appendingPathComponent("Sources")
        let floors = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        let folders = try floors.filter { $0.lastPathComponent != "Programs" }.flatMap {
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return Dictionary(uniqueKeysWithValues: folders.map { ($0.lastPathComponent, $0) })
    }

    private static func imports(of folder: URL) throws -> Set<String> {
        let line = #/(?m)^(?:@_exported |public |package |internal )?import (\w+)/#
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try files.reduce(into: []) { imports, path in
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            imports.formUnion(text.matches(of: line).map { String($0.1) })
        }
    }

    /// The last column of the table, by module.
    private static func rows() throws -> [String: Set<String>] {
        let page = Repository.root.appendingPathComponent("ARCHITECTURE.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "| floor | target | its one idea | imports of ours |"))
        var rows: [String: Set<String>] = [:]
        for line in lines[(start + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = cells[1].split(separator: "`").first.map { String($0) } ?? ""
            let imports = cells[cells.count - 1].split(separator: ",")
            rows[name] = Set(imports.map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0 != "–" })
        }
        return rows
    }

    @Test func eachModuleHasItsImports() throws {
        let (modules, rows) = (try Self.modules(), try Self.rows())
        #expect(Set(modules.keys).subtracting(rows.keys) == [])
        for (name, folder) in modules {
            let imports = try Self.imports(of: folder).intersection(modules.keys)
            #expect(rows[name] == imports, "\(name)")
        }
    }
}
