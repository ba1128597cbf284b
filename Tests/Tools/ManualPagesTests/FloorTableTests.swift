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

    /// The dependencies that a manifest declares for modules and programs in Swift, by name.
    private static func declared(in manifest: String) throws -> [String: Set<String>] {
        let target = #/\.(?:module|program)\(\s*(?:\.\w+,\s*)?"([\w-]+)"(?:,\s*\[([^\]]*)\])?/#
        let text = try String(contentsOf: Repository.root.appendingPathComponent(manifest), encoding: .utf8)
        let pairs = text.matches(of: target).map { match in
            let list = match.output.2 ?? ""
            let names = list.matches(of: #/"(\w+)"/#).map { String($0.output.1) }
            return (String(match.output.1), Set(names + (list.contains("crypto") ? ["Crypto"] : [])))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// A module that is imported and not declared compiles only as long as another one happens to bring it.
    @Test(arguments: ["Package.swift", "Trust/Package.swift"])
    func eachTargetDeclaresWhatItImports(manifest: String) throws {
        let modules = try Self.modules()
        let programs = Repository.root.appendingPathComponent("Sources/Programs")
        let known = Set(modules.keys).union(["Crypto"])
        let declared = try Self.declared(in: manifest)
        #expect(declared.count > 1)
        for (name, dependencies) in declared {
            let imports = try Self.imports(of: modules[name] ?? programs.appendingPathComponent(name))
            #expect(imports.intersection(known) == dependencies.intersection(known), "\(name)")
        }
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
