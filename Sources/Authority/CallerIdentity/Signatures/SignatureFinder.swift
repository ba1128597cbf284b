import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc

/// A signature file as it was read.
package struct SignatureFile: Sendable, Hashable {
    package let path: String
    let bytes: [UInt8]
    /// SHA-256 of ``bytes``.
    let digest: Bytes32

    init?(path: String, bytes: [UInt8]) {
        guard let digest = Bytes32(Array(SHA256.hash(data: bytes))) else { return nil }
        self.path = path
        self.bytes = bytes
        self.digest = digest
    }
}

/// Finds the signature of an executable.
///
/// It never reads a file whose server could delay the answer.
struct SignatureFinder: Sendable {
    enum Finding: Sendable, Equatable {
        /// There is no signature.
        case none
        case found(SignatureFile)
        /// There is a signature, and it cannot be read.
        case defect(SignatureDefect, path: String, detail: String)

        /// The path of the signature.
        var path: String? {
            switch self {
            case .none: nil
            case .found(let file): file.path
            case .defect(_, let path, _): path
            }
        }
    }

    /// The number of attempts to read a file that is replaced or written meanwhile.
    private static let attempts = 3

    let places: SignaturePlaces
    let system: IdentitySystemCalls

    /// The signature that root lists for an executable.
    func listed(_ digest: ExecutableDigest) -> Finding {
        let path = places.signature(of: digest)
        switch RootFile(at: path, limit: SignatureLimits.maximumFileBytes, system: system) {
        case .missing: return .none
        case .content(let bytes): return finding(path, bytes)
        case .unusable(let reason), .unreadable(let reason):
            return .defect(.unreadable, path: path, detail: reason)
        }
    }

    /// The signature beside an executable.
    ///
    /// A file counts only if root, the executable's owner or the user owns it. Otherwise, in a folder where everybody
    /// may create files, anybody could keep a program from its items.
    ///
    /// - Parameter folder: the folder in which the executable was found.
    func beside(
        _ executable: CanonicalPath, in folder: Int32, ownedBy owner: UInt32, for user: uid_t
    ) -> Finding {
        let name = executable.name + SignaturePlaces.ending
        let path = executable.text + SignaturePlaces.ending
        for attempt in 1...Self.attempts {
            do throws(Errno) {
                return try look(String(name), in: folder, path, owners: [0, owner, user])
            } catch .notFound {
                return .none
            } catch .nameTooLong {
                // No file can have such a long name.
                return .none
            } catch .stale where attempt < Self.attempts {
                continue
            } catch .tooBig {
                return .defect(.tooLarge, path: path, detail: "")
            } catch .stale {
                return .defect(.unreadable, path: path, detail: "it was changed while it was looked at")
            } catch {
                return .defect(.unreadable, path: path, detail: "\(error)")
            }
        }
        return .none
    }

    private func look(
        _ name: String, in folder: Int32, _ path: String, owners: [UInt32]
    ) throws(Errno) -> Finding {
        let file = try system.files.open(name, in: folder, .look)
        // A file system may be mounted on the name whose server never answers.
        guard try system.kind(of: file.number) == .local else {
            return .defect(.unreadable, path: path, detail: "it is not on a local disk")
        }
        let status = try system.files.knownStatus(of: file.number)
        guard owners.contains(status.owner) else { return .none }
        guard status.isRegular else { return .defect(.unreadable, path: path, detail: "it is not a regular file") }
        return finding(
            path, try system.contents(of: file.number, status, limit: SignatureLimits.maximumFileBytes))
    }

    private func finding(_ path: String, _ bytes: [UInt8]) -> Finding {
        SignatureFile(path: path, bytes: bytes).map(Finding.found) ?? .none
    }
}
