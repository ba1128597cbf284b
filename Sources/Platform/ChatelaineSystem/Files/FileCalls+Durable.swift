import Glibc

/// Changes of files that are on disk when they return: the one way in which the daemons write small files.
extension FileCalls {
    /// Puts a file whole into the place of the one of its name, or of none.
    ///
    /// When this returns, the new content survives a power failure. When it throws, what was there before is still there or
    /// the new content is, never a mixture.
    ///
    /// - Parameters:
    ///   - folder: open, and its `path` for messages.
    ///   - draft: the name under which the file is written first. One fixed name: whatever a crash leaves behind is
    ///     overwritten by the next write, and was never acknowledged to anybody.
    ///   - isReplacing: whether a file of this name may be there; otherwise one that is stays, and the error is EEXIST.
    ///   - permissions: whatever the umask is.
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
            // The half-written draft takes room, perhaps the room whose lack made this fail.
            try? unlink(draft, in: folder)
            throw error
        }
        try step("syncing", path) { () throws(Errno) in try synchronize(folder) }
    }

    /// Permissions of a file that its owner alone reads and writes.
    package static let ownersOnly: UInt32 = 0o600

    /// Makes a file that must not exist yet, whole and synced; its name is durable once its folder is synced.
    package func create(
        _ name: String, in folder: Int32, path: String, permissions: UInt32 = Self.ownersOnly,
        with content: UnsafeRawBufferPointer
    ) throws(FileFailure) {
        let path = path.isEmpty ? name : "\(path)/\(name)"
        try create(name, in: folder, path: path) { (file) throws(FileFailure) in
            try step("writing", path) { () throws(Errno) in
                try writeAll(file, content)
                // It was made so.
                if permissions != Self.ownersOnly { try setPermissions(of: file, permissions) }
            }
        }
    }

    /// Copies a file that nobody writes to a new one, whole and synced.
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
        // Some file systems tell of a full disk, or of a lost server, only here.
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

/// A step on the way to a file that failed, such as “writing” a path.
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
