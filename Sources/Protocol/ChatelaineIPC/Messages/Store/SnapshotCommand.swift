import ChatelaineModel

/// Lists or changes the snapshots of a store (`security snapshot`).
///
/// The reply holds the snapshots that the command listed, took, restored or deleted. Without a path of a file keychain,
/// the store is that of the data protection keychain.
///
/// Errors: `errSecItemNotFound`; for a file keychain also those of ``KeychainCommand``. A file keychain must be
/// unlocked for taking a snapshot, and without a passcode also for restoring one. Otherwise the error is
/// `errSecInteractionNotAllowed`.
package enum SnapshotCommand: Sendable, Equatable {
    case list(keychain: String? = nil)
    /// Takes a snapshot now.
    case take(keychain: String? = nil)
    /// Replaces the store by a copy of a snapshot, and keeps the former store aside.
    ///
    /// A restored file keychain is locked, and has its password from the time of the snapshot.
    case restore(name: String, keychain: String? = nil)
    /// Deletes a snapshot, with its copies of items that were deleted since.
    case delete(name: String, keychain: String? = nil)
    /// Deletes all snapshots but the newest `kept` ones.
    case deleteAll(kept: UInt64, keychain: String? = nil)

    package var keychain: String? {
        switch self {
        case .list(let keychain), .take(let keychain), .restore(_, let keychain), .delete(_, let keychain),
            .deleteAll(_, let keychain):
            keychain
        }
    }

    /// Whether the command replaces or deletes something, and so needs the passcode where there is one.
    package var isGuarded: Bool {
        switch self {
        case .list, .take: false
        case .restore, .delete, .deleteAll: true
        }
    }
}

extension SnapshotCommand: RequestMessage {
    package typealias Reply = [SnapshotRecord]

    package static let name = "a command about snapshots"
    package static let needs = RequestNeeds.knownCallerIfOpen

    package var operation: Operation {
        switch self {
        case .list: .listSnapshots
        case .take: .takeSnapshot
        case .restore: .restoreSnapshot
        case .delete: .deleteSnapshot
        case .deleteAll: .deleteSnapshots
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.path, keychain)
        switch self {
        case .list, .take: break
        case .restore(let name, _), .delete(let name, _): writer.write(RequestField.name, name)
        case .deleteAll(let kept, _): writer.write(RequestField.number, kept)
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let keychain: String? = try fields.readIfPresent(RequestField.path)
        switch operation {
        case .listSnapshots: self = .list(keychain: keychain)
        case .takeSnapshot: self = .take(keychain: keychain)
        case .restoreSnapshot: self = .restore(name: try fields.read(RequestField.name), keychain: keychain)
        case .deleteSnapshot: self = .delete(name: try fields.read(RequestField.name), keychain: keychain)
        case .deleteSnapshots: self = .deleteAll(kept: try fields.read(RequestField.number), keychain: keychain)
        default: throw .unsupported
        }
    }
}
