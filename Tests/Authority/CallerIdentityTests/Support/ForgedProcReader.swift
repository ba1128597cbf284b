import Glibc

@testable import CallerIdentity

/// A reader of /proc whose read of a program began before the process executed it.
struct ForgedProcReader: ProcReader {
    /// The memory from before. The caller of the reader closes it.
    let before: Int32

    func look(at entry: ProcEntry, in folder: Int32) -> OpenedEntry {
        let opened = entry.open(in: folder)
        guard entry == .program, opened.descriptors.count == 3 else { return opened }
        close(opened.descriptors[1])
        return OpenedEntry(descriptors: [opened.descriptors[0], before, opened.descriptors[2]])
    }
}
