import ChatelaineMemory
import Glibc

/// Whether the loader was told to load additional code into a program when it started (ld.so(8)).
package enum Preloading: Sendable, Equatable {
    case none
    case some
    /// The process does not let its environment be read, or not in time.
    case unknown
}

/// The environment with which a process started, of which only one fact is reported: whether it loads code of others.
///
/// The environment lies in the process's own memory. The process can overwrite it, and can delay a read for as long as
/// it likes. So a process that can be killed reads it, when a person is about to be asked whether to remember a
/// program. It is never read for a message (decision 8).
enum StartEnvironment {
    /// The variables that make the loader load more than the program asks for.
    static let names = ["LD_PRELOAD", "LD_AUDIT"]
    /// In bytes. Linux limits the arguments and the environment together to 6 MiB; a process that shows more has moved
    /// them itself.
    static let longest = 8 << 20
    private static let pieceBytes = 64 << 10

    /// Reads the environment in the folder of a process, and wipes the bytes read.
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

/// Searches an environment byte by byte: entries are `NAME=VALUE` with a zero byte after each.
struct PreloadSearch {
    private static let beginnings = StartEnvironment.names.map { Array("\($0)=".utf8) }

    /// The number of bytes of this entry so far, while it may still begin with one of the names.
    private var position = 0
    /// One bit for each name with which the entry may begin; 0 once there is none.
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
            // Only a byte after the equals sign counts, because an empty list loads nothing.
            if position == beginning.count { hasFound = true }
            if position >= beginning.count || beginning[position] != byte { candidates &= ~(1 << UInt8(index)) }
        }
        position += 1
    }
}

extension OpenedEntry {
    /// Reports ``Preloading/some`` as an error number, because a look has no other result.
    ///
    /// No call of such a look fails with it.
    private static let preloaded = OpenedEntry(error: ELIBACC)

    static func ofEnvironment(in folder: Int32) -> OpenedEntry {
        switch StartEnvironment.preloading(in: folder) {
        case .none: OpenedEntry(descriptors: [])
        case .some: preloaded
        case .unknown: OpenedEntry(error: EACCES)
        }
    }

    /// The answer that a reader of /proc gave about an environment.
    ///
    /// It must not contain a descriptor.
    var preloading: Preloading {
        for number in descriptors { close(number) }
        guard descriptors.isEmpty else { return .unknown }
        return error == 0 ? .none : error == Self.preloaded.error ? .some : .unknown
    }
}

extension ExecutableSnapshot {
    /// Whether code of others was loaded into the program when it started, as far as its environment shows that.
    ///
    /// The call waits for a second at the most.
    package func preloading() -> Preloading {
        let found = process.system.preloading(process.folder.number)
        // If the process executed another program, the environment read may be that program's.
        return isStillRunning() ? found : .unknown
    }
}
