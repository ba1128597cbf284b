import ChatelaineModel
import Foundation
import StoredHomes
import TestSupport
import Testing

/// A home in `Tests/Fixtures/homes`, as an earlier version wrote it.
struct StoredHome: Sendable, CustomTestStringConvertible {
    /// The name with the format of the store, such as `format-2/intact`.
    let name: String

    var testDescription: String { name }
    var folder: URL { Self.folder.appendingPathComponent(name) }
    var expected: ExpectedHome { get throws { try ExpectedHome(folder: folder) } }

    private static let folder = Repository.root.appendingPathComponent("Tests/Fixtures/homes")

    private static let stored: [StoredHome] = names(folder).flatMap { format in
        names(folder.appendingPathComponent(format)).map { StoredHome(name: "\(format)/\($0)") }
    }

    /// The homes that open without a passcode.
    static let all = stored.filter { (try? $0.expected.passcode) == nil }
    /// The homes that a passcode opens.
    static let withPasscode = stored.filter { (try? $0.expected.passcode) != nil }

    /// The groups of the items in all homes. A team's group includes its owner, as the store keeps it.
    static let groups: [AccessGroup] = {
        let homes = stored.compactMap { try? $0.expected }
        let names = homes.flatMap { $0.items.map(\.group) + ($0.decisions?.adoptions.map(\.group) ?? []) }
        return Set(names).sorted().map { AccessGroup($0) }
    }()

    static func named(_ name: String) throws -> StoredHome { try #require(stored.first { $0.name == name }) }

    /// The names of the folders in a folder.
    private static func names(_ folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter {
            (try? folder.appendingPathComponent($0).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
        }
        .sorted()
    }
}

/// A copy of a home that a test may change, with the file modes that git does not keep.
final class HomeCopy: Sendable {
    private let folder: TemporaryFolder
    var path: String { folder("h") }

    init(_ home: StoredHome) throws {
        folder = try TemporaryFolder()
        let path = folder("h")
        let files = FileManager.default
        try files.copyItem(atPath: home.folder.path, toPath: path)
        try files.removeItem(atPath: "\(path)/\(ExpectedHome.fileName)")
        try #require(chmod(path, 0o700) == 0)
        for name in try files.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            _ = files.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            try #require(chmod("\(path)/\(name)", isFolder.boolValue ? 0o700 : 0o600) == 0)
        }
    }

    var store: String { path + "/data/stores/default" }
    var database: String { store + "/items.db" }

    func garble(pages: Int...) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: database))
        for page in pages {
            try file.seek(toOffset: UInt64(page - 1) * 4096)
            try file.write(contentsOf: Data((0..<4096).map { UInt8($0 % 251) }))
        }
        try file.close()
    }

    /// The events in the list of losses.
    func listed() throws -> [String] {
        let text = (try? String(contentsOfFile: store + ".losses.jsonl", encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }
}
