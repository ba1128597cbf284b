import ChatelaineModel
import ChatelaineSystem
import Glibc

/// An output file that is written completely and durably, or not at all.
struct OutputFile {
    private let folder: String
    private let name: String
    private let calls: FileCalls

    init(_ path: String, calls: FileCalls = .system) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        self.calls = calls
    }

    private var path: String { "\(folder)/\(name)" }

    /// Replaces the file, readable for everyone.
    func replace(with content: [UInt8]) throws(KeychainError) {
        try inFolder { (folder) throws(FileFailure) in
            try calls.replace(
                name, in: folder, path: self.folder, draft: ".\(name).\(getpid())", permissions: 0o644, with: content)
        }
    }

    /// Creates the file; it fails if the file exists.
    func make(with content: UnsafeRawBufferPointer, _ permissions: UInt32) throws(KeychainError) {
        try inFolder { (folder) throws(FileFailure) in
            try calls.create(name, in: folder, path: self.folder, permissions: permissions, with: content)
            try step("syncing the folder of") { () throws(Errno) in try calls.synchronize(folder) }
        }
    }

    var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func inFolder(_ body: (Int32) throws(FileFailure) -> Void) throws(KeychainError) {
        do throws(FileFailure) {
            let opened = try step("opening the folder of") { () throws(Errno) in
                try calls.open(folder, in: AT_FDCWD, .folderThrough)
            }
            try body(opened.number)
        } catch {
            throw KeychainError(system: error.error.code, "\(error.action) \(error.path)")
        }
    }

    private func step<Answer: ~Copyable>(
        _ action: String, _ call: () throws(Errno) -> Answer
    ) throws(FileFailure) -> Answer {
        do throws(Errno) { return try call() } catch { throw FileFailure(error, action, path) }
    }
}
