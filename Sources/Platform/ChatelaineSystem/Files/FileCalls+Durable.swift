import Glibc

/// Durable changes of files: they are on disk when a call returns. The daemons write small files in no other way.
extension FileCalls {
    /// Writes a whole file under a name, and replaces the file of that name where there is one.
    ///
    /// When this returns, the new content survives a power failure. When it throws, the file has either its former or
    /// its new content, never a mixture.
    ///
    /// - Parameters:
    ///   - folder: the open folder; `path` is its path, for messages.
    ///   - draft: the name under which the file is written first. The name is fixed, so that the next write overwrites
    /// what a crash left behind; such a rest was never acknowledged to anybody.
    ///   - isReplacing: whether a file of this name may exist; otherwise an existing file stays, and the error is
    /// EEXIST.
    ///   - permissions: the file's permissions, whatever the umask is.
    package func replace(
        _ name: String, in folder: Int32, path: String, draft: String, isReplacing: Bool = true,
        permissions: UInt32 = Self.ownersOnly, with content: UnsafeRawBufferPointer
    ) throws(FileFailure) {
        try step("removing", "\(path)/\(draft)") { () throws(Errno) in
            do throws(Errno) { try unlink(draft, in: folder) } catch .notFound {}
        }
        do throws(FileFailure) {
            try create(draft, in: folder, path: path, permissions: permissions, with: content)
            if !isReplacing { try checkAbsence(of: name, in: folder, path: path) }
            try step("renaming a draft to", "\(path)/\(name)") { () throws(Errno) in
                try rename(draft, to: name, in: folder)
            }
        } catch {
            // The half-written draft takes room on the disk, perhaps the room whose lack caused the failure.
            try? unlink(draft, in: folder)
            throw error
        }
        try step("syncing", path) { () throws(Errno) in try synchronize(folder) }
    }

    /// Permissions of a file that only its owner reads and writes.
    package static let ownersOnly: UInt32 = 0o600

    /// Makes a new file, whole and synced. Its name is durable once its folder is synced.
    package func create(
        _ name: String, in folder: Int32, path: String, permissions: UInt32 = Self.ownersOnly,
        with content: UnsafeRawBufferPointer
    ) throws(FileFailure) {
        let path = path.isEmpty ? name : "\(path)/\(name)"
        try create(name, in: folder, path: path) { (file) throws(FileFailure) in
            try step("writing", path) { () throws(Errno) in
                try writeAll(file, content)
                // The file was created with these permissions.
                if permissions != Self.ownersOnly { try setPermissions(of: file, permissions) }
            }
        }
    }

    /// Copies a file to a new one, whole and synced; nobody may write to the source meanwhile.
    package func copy(_ source: Int32, path: String, to copy: String, in folder: Int32) throws(FileFailure) {
        var block = [UInt8](repeating: 0, count: 1 << 20)
        try create(copy, in: folder, path: copy) { (file) throws(FileFailure) in
            try block.withUnsafeMutableBufferPointer { block throws(FileFailure) in
                let block = UnsafeMutableRawBufferPointer(block)
                var offset: Int64 = 0
                while true {
                    let count = try step("reading", path) { () throws(Errno) in
                        try read(source, into: block, at: offset)
                    }
                    if count == 0 { return }
                    let piece = UnsafeRawBufferPointer(rebasing: block[..<count])
                    try step("writing", copy) { () throws(Errno) in try writeAll(file, piece) }
                    offset += Int64(count)
                }
            }
        }
    }

    private func create(
        _ name: String, in folder: Int32, path: String, _ fill: (Int32) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        let file = try step("creating", path) { () throws(Errno) in try open(name, in: folder, .create) }
        let number = file.number
        try fill(number)
        try step("syncing", path) { () throws(Errno) in try synchronize(number) }
        _ = file.release()
        // Some file systems report a full disk, or a lost server, only here.
        try step("closing", path) { () throws(Errno) in
            // Linux releases the descriptor even where close reports an interruption.
            do throws(Errno) { try close(number) } catch .interrupted {}
        }
    }

    package func replace(
        _ name: String, in folder: Int32, path: String, draft: String, permissions: UInt32 = Self.ownersOnly,
        with content: [UInt8]
    ) throws(FileFailure) {
        try content.withUnsafeBufferPointer { bytes throws(FileFailure) in
            try replace(
                name, in: folder, path: path, draft: draft, permissions: permissions,
                with: UnsafeRawBufferPointer(bytes))
        }
    }

    private func checkAbsence(of name: String, in folder: Int32, path: String) throws(FileFailure) {
        try step("looking for", "\(path)/\(name)") { () throws(Errno) in
            do throws(Errno) { _ = try open(name, in: folder, .read) } catch .notFound { return }
            throw .exists
        }
    }

    private func step<Answer: ~Copyable>(
        _ action: String, _ path: String, _ call: () throws(Errno) -> Answer
    ) throws(FileFailure) -> Answer {
        do throws(Errno) { return try call() } catch { throw FileFailure(error, action, path) }
    }
}

/// A failed step of a file operation, such as “writing” a path.
package struct FileFailure: Error, Equatable, Sendable {
    package let error: Errno
    package let action: String
    package let path: String

    package init(_ error: Errno, _ action: String, _ path: String) {
        self.error = error
        self.action = action
        self.path = path
    }
}
