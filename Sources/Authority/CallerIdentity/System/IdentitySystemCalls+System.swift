import ChatelaineSystem
import Glibc

extension IdentitySystemCalls {
    /// The real system.
    static let system = IdentitySystemCalls(
        files: .system, processes: .system,
        view: { folder throws(Errno) in try ExecutableView(ProcEntry.program.open(in: folder)) },
        terminal: { folder throws(Errno) in try ProcEntry.terminal.open(in: folder).onlyOne() },
        parent: { folder throws(Errno) in try ProcEntry.parent.open(in: folder).onlyOne() },
        preloading: { folder in ProcEntry.environment.open(in: folder).preloading },
        isProvided: { mount throws(Errno) in try MountTable.own.isProvided(mount) },
        hasMemory: { table in
            // The entry of page 0, which is never mapped. While the memory exists, the entry can be read, and a read of
            // one byte fails with EINVAL.
            var entry: UInt64 = 0
            // SAFETY: at most the eight bytes of the entry are written.
            if MemoryTable.answersAtOnce { return pread(table, &entry, 1, 0) < 0 && errno == EINVAL }
            return pread(table, &entry, MemoryLayout<UInt64>.size, 0) == MemoryLayout<UInt64>.size
        },
        now: {
            var time = timespec()
            // SAFETY: the call fills the structure.
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        })

    /// The system calls, with `procReader` as the reader of /proc if there is one.
    static func seen(by procReader: (any ProcReader)?) -> IdentitySystemCalls {
        procReader.map { system.reading(through: $0) } ?? system
    }
}
