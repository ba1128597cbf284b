import Glibc
import seam

/// A way in which a call can fail.
struct Fault {
    let name: String
    let manner: seam_manner
    let code: Int32
    /// The kinds of calls that can fail like this; nil for all.
    var kinds: Set<UInt32>?

    func befalls(_ kind: Int32) -> Bool { kinds?.contains(UInt32(kind)) ?? true }

    /// Calls that change a file, or a descriptor of the program.
    private static let changing = Set(
        [SEAM_WRITE, SEAM_SYNC, SEAM_TRUNCATE, SEAM_RENAME, SEAM_LINK, SEAM_REMOVE].map(\.rawValue)
    )
    .union([SEAM_MAKE_FOLDER, SEAM_CLOSE, SEAM_OPEN].map(\.rawValue))

    static let all: [Fault] = [
        Fault(name: "EIO", manner: SEAM_INSTEAD, code: EIO),
        Fault(name: "ENOSPC", manner: SEAM_INSTEAD, code: ENOSPC),
        Fault(name: "EINTR", manner: SEAM_INSTEAD, code: EINTR),
        Fault(name: "EAGAIN", manner: SEAM_INSTEAD, code: EAGAIN),
        Fault(name: "EMFILE", manner: SEAM_INSTEAD, code: EMFILE),
        Fault(name: "short", manner: SEAM_SHORT, code: 0, kinds: Set([SEAM_READ, SEAM_WRITE].map(\.rawValue))),
        Fault(name: "EIO-afterwards", manner: SEAM_AFTERWARDS, code: EIO, kinds: changing),
        Fault(
            name: "ENOSPC-onwards", manner: SEAM_ONWARDS, code: ENOSPC,
            kinds: Set([SEAM_WRITE, SEAM_MAKE_FOLDER, SEAM_RENAME, SEAM_LINK, SEAM_TRUNCATE].map(\.rawValue))),
    ]
}
