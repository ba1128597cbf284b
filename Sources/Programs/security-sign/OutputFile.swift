import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls

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

    /// Puts it into the place of what is there.
    func replace(with content: [UInt8], mode: mode_t) throws(KeychainError) {
        let draft = ".\(name).\(getpid())"
        try inFolder { (folder) throws(FileFailure) in
            do throws(FileFailure) {
                try create(draft, in: folder, content)
                try step("setting the mode of") { () throws(Errno) in
                    guard fchmodat(folder, draft, mode, 0) == 0 else { throw .last }
                }
                try step("naming") { () throws(Errno) in try calls.rename(draft, to: name, in: folder) }
            } catch {
                try? calls.unlink(draft, in: folder)
                throw error
            }
            try step("syncing the folder of") { () throws(Errno) in try calls.synchronize(folder) }
        }
    }

    /// Makes it, for its owner alone; one that is there stays as it is.
    func make(with content: UnsafeRawBufferPointer) throws(KeychainError) {
        try inFolder { (folder) throws(FileFailure) in
            try calls.create(name, in: folder, path: self.folder, with: content)
            try step("syncing the folder of") { () throws(Errno) in try calls.synchronize(folder) }
        }
    }

    var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func create(_ name: String, in folder: Int32, _ content: [UInt8]) throws(FileFailure) {
        try content.withUnsafeBufferPointer { (bytes) throws(FileFailure) in
            try calls.create(name, in: folder, path: self.folder, with: UnsafeRawBufferPointer(bytes))
        }
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
