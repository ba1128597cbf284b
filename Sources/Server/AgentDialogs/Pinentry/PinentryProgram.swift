import CChatelaine
import ChatelaineSystem
import Glibc

/// A pinentry that nobody but root can have changed.
struct PinentryProgram {
    /// The path with all links resolved, so that the checked file is the one that is executed.
    let path: String

    /// Resolves and checks the program.
    ///
    /// - Throws: ``PinentryFailure`` where there is none, and where anybody but root can change or replace it.
    init(at path: String) throws(PinentryFailure) {
        guard let path = try? RealPath.of(path), Self.isExecutable(path) else { throw .missing }
        for place in Self.placesAbove(path) where !Self.isRootsOnly(place) { throw .unsafe }
        self.path = path
    }

    /// The file, and every folder up to the root.
    private static func placesAbove(_ path: String) -> [String] {
        let parts = path.split(separator: "/")
        return (0...parts.count).map { "/" + parts.prefix($0).joined(separator: "/") }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func isRootsOnly(_ path: String) -> Bool {
        let number = chatelaine_open_path(AT_FDCWD, path, 0)
        guard number >= 0 else { return false }
        let place = Descriptor(number)
        var status = stat()
        guard fstat(place.number, &status) == 0, status.st_uid == 0, status.st_mode & S_IFMT != S_IFLNK else {
            return false
        }
        return status.st_mode & (S_IWGRP | S_IWOTH) == 0 && chatelaine_has_access_list(place.number) == 0
    }
}

/// Why a pinentry shows no dialog, or not until its end.
package enum PinentryFailure: Error, Equatable {
    case missing
    /// Others than root can change the program.
    case unsafe
    /// There is neither a display nor a terminal for it.
    case nowhere
    /// It does not start, or ends, or breaks the protocol.
    case confused
    /// securityd needs the dialog no longer.
    case withdrawn
    /// It stays longer than allowed.
    case overdue
}
