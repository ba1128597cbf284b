import CChatelaine

/// How the table of a process's memory, `/proc/PID/pagemap`, is asked whether that memory is still there.
package enum MemoryTable {
    /// Whether a read of one byte says so at once: refused with EINVAL while the memory is there, and the end of the file afterwards.
    ///
    /// A read of a whole entry waits for the lock of the memory, which the process can keep for as long as it likes. One
    /// byte is refused before that, by kernels that look at the memory first and then at the size, as all since Linux 4.2 do. Tried on
    /// a process of our own, since the other order would have memory seem there that is gone.
    ///
    /// Makes a process: first asked before the sandbox forbids that.
    package static let answersAtOnce = chatelaine_memory_tables_answer_at_once() == 1
}
