import ChatelaineModel

/// What can be done with snapshots of a store (`security snapshot`); those that it left, took, made the store or
/// deleted follow. `errSecItemNotFound`.
///
/// The store is the data protection keychain's where no path of a file keychain is given. Of that it fails as a ``KeychainCommand``; one is
/// taken of an unlocked one alone, and without a passcode restored likewise, else it is `errSecInteractionNotAllowed`.
package enum SnapshotCommand: Sendable, Equatable {
    case list(keychain: String? = nil)
    /// Takes one now.
    case take(keychain: String? = nil)
    /// Makes a copy of one the store; what it replaces is kept aside. A file keychain is locked then, and has the password of then.
    case restore(name: String, keychain: String? = nil)
    /// Deletes one, with what it keeps of items that were deleted since.
    case delete(name: String, keychain: String? = nil)
    /// Deletes all but the newest few.
    case deleteAll(kept: UInt64, keychain: String? = nil)

    package var keychain: String? {
        switch self {
        case .list(let keychain), .take(let keychain), .restore(_, let keychain), .delete(_, let keychain),
            .deleteAll(_, let keychain):
            keychain
        }
    }

    /// Whether something is replaced or deleted by it, for which a passcode is wanted where there is one.
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
