import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A file that is written whole and durable, or not at all.
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

    /// Puts it into the place of what is there, for everyone to read.
    func replace(with content: [UInt8]) throws(KeychainError) {
        try inFolder { (folder) throws(FileFailure) in
            try calls.replace(
                name, in: folder, path: self.folder, draft: ".\(name).\(getpid())", permissions: 0o644, with: content)
        }
    }

    /// Makes it; one that is there stays as it is.
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
