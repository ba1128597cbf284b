import ChatelaineMemory
import Glibc

/// Whether the loader was told to put code of somebody's into a program when that started (ld.so(8)).
package enum Preloading: Sendable, Equatable {
    case none
    case some
    /// The process does not let it be read, or not in time.
    case unknown
}

/// The environment with which a process started, of which nobody is told more than whether it has others' code loaded.
///
/// It lies in memory of the process's own: that can be overwritten, and reading it waits for the process for as long as it likes. So it is read by
/// who can be ended, when a person is about to be asked whether a program is to be remembered, and never for a message (decision 8).
enum StartEnvironment {
    /// What makes the loader load more than the program asks for.
    static let names = ["LD_PRELOAD", "LD_AUDIT"]
    /// Linux gives the arguments and the environment of a program no more than 6 MiB together; who shows more has said where it lies itself.
    static let longest = 8 << 20
    private static let pieceBytes = 64 << 10

    /// What stands in the folder of a process; wipes what it has read.
    static func preloading(in folder: Int32) -> Preloading {
        let file = openat(folder, "environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .unknown }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 1) { piece in
            defer { ChatelaineMemory.wipe(piece) }
            var search = PreloadSearch()
            var total = 0
            while true {
                // SAFETY: the call writes at most as many bytes as there are.
                let count = read(file, piece.baseAddress, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? .unknown : search.hasFound ? .some : .none }
                total += count
                guard total <= longest else { return .unknown }
                for byte in piece.prefix(count) { search.take(byte) }
            }
        }
    }
}

/// Looks through an environment, byte by byte: `NAME=VALUE` with a zero behind each.
struct PreloadSearch {
    private static let beginnings = StartEnvironment.names.map { Array("\($0)=".utf8) }

    /// How many bytes of this entry there were, as long as they can be one of the names.
    private var position = 0
    /// The names that they can be, by their bits; 0 once they are none.
    private var candidates = all
    private(set) var hasFound = false

    private static var all: UInt8 { (1 << UInt8(beginnings.count)) - 1 }

    mutating func take(_ byte: UInt8) {
        guard byte != 0 else {
            (position, candidates) = (0, Self.all)
            return
        }
        guard candidates != 0 else { return }
        for (index, beginning) in Self.beginnings.enumerated() where candidates & 1 << UInt8(index) != 0 {
            // Something behind the sign: an empty list loads nothing.
            if position == beginning.count { hasFound = true }
            if position >= beginning.count || beginning[position] != byte { candidates &= ~(1 << UInt8(index)) }
        }
        position += 1
    }
}

extension OpenedEntry {
    /// The answer to ``ProcEntry/environment`` as one of numbers: a look says nothing else. No call fails with it that looks there.
    private static let preloaded = OpenedEntry(error: ELIBACC)

    static func ofEnvironment(in folder: Int32) -> OpenedEntry {
        switch StartEnvironment.preloading(in: folder) {
        case .none: OpenedEntry(descriptors: [])
        case .some: preloaded
        case .unknown: OpenedEntry(error: EACCES)
        }
    }

    /// What a reader of /proc has said about an environment. It has nothing to pass.
    var preloading: Preloading {
        for number in descriptors { close(number) }
        guard descriptors.isEmpty else { return .unknown }
        return error == 0 ? .none : error == Self.preloaded.error ? .some : .unknown
    }
}

extension ExecutableSnapshot {
    /// Whether code of somebody's was loaded into the program when it started, as far as its environment shows that; waits for a second at the most.
    package func preloading() -> Preloading {
        let found = process.system.preloading(process.folder.number)
        // What was read is another program's where this one has gone.
        return isStillRunning() ? found : .unknown
    }
}
