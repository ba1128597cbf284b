import ChatelaineSystem
import Glibc

extension IdentitySystemCalls {
    /// The same calls for a sandboxed process: a reader of /proc opens the entries that the sandbox forbids.
    func reading(through procReader: any ProcReader) -> IdentitySystemCalls {
        let own = files
        let open: @Sendable (ProcEntry, Int32) throws(Errno) -> Descriptor = { entry, folder throws(Errno) in
            try procReader.look(at: entry, in: folder).onlyOne()
        }
        var calls = self
        calls.files.openat = { folder, path, mode throws(Errno) in
            guard let entry = ProcEntry(path, mode) else { return try own.openat(folder, path, mode) }
            let file = try open(entry, folder)
            return file.release()
        }
        calls.files.fstatat = { folder, path throws(Errno) in
            guard let entry = ProcEntry(path, .lookThrough) else { return try own.fstatat(folder, path) }
            // Bound to a name, so that it stays open until the call is over.
            let file = try open(entry, folder)
            return try own.statx(file.number)
        }
        calls.files.readlinkat = { folder, path, buffer throws(Errno) in
            guard let entry = ProcEntry(path, .lookThrough) else { return try own.readlinkat(folder, path, buffer) }
            let file = try open(entry, folder)
            // The kernel gives the same name for the file, whoever holds it open.
            return try own.readlinkat(AT_FDCWD, "/proc/self/fd/\(file.number)", buffer)
        }
        calls.view = { folder throws(Errno) in try ExecutableView(procReader.look(at: .program, in: folder)) }
        calls.terminal = { folder throws(Errno) in try open(.terminal, folder) }
        calls.preloading = { folder in procReader.look(at: .environment, in: folder).preloading }
        calls.parent = { folder throws(Errno) in try open(.parent, folder) }
        return calls
    }
}
